import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import { buildDataset } from '../dataset/build.ts'
import { type Columns, type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import { shareDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import { filterMarket } from '../dataset/subset.ts'
import type { BacktestSource } from '../request.ts'

/** The archive of a horizon, or one market of it, in shared memory. */
export interface CachedArchive {
  /** Another one for each load, so it names exactly these rows. */
  readonly id: string
  readonly horizon: Horizon
  /** null: all markets. */
  readonly market: string | null
  readonly data: Dataset
  readonly dataVersion: number
}

/** Identifies the archive that a request runs on. */
export function archiveKey(source: BacktestSource): Pick<CachedArchive, 'horizon' | 'market'> {
  return { horizon: source.horizon ?? '1d', market: source.market ?? null }
}

/** The resolved signals of one day and horizon as the database packs them, ordered by ticker, then market.
 * Reading millions of rows one by one would block a thread for seconds. */
export interface SignalDay {
  /** Days since 1970-01-01. */
  readonly day: number
  /** `TICKER MARKET`, one per line. */
  readonly names: string
  /** The forecasts, 8 bytes each, big-endian. */
  readonly predicted: Uint8Array
  /** The outcomes in the same format. */
  readonly actual: Uint8Array
}

/** Builds a ranked dataset from signals: the forecast is the score, the outcome the forward return. */
export function buildArchive(days: readonly SignalDay[]): Dataset {
  return buildRankedDataset(unpackDays(days))
}

/** One market's rows as a separate ranked dataset; null if no row has that market. */
export function filterArchive(data: Dataset, market: string): Dataset | null {
  const columns = filterMarket(data, market)
  return columns && buildRankedDataset(columns)
}

/** The ids of the dataset's assets in order, one per line. A line break within an id, which then is no company's, is a vertical tab
 * in the list. */
export function listAssetNames({ assets }: Dataset): string {
  const lines = Array.from({ length: nameCount(assets) }, (_, index) =>
    nameAt(assets, index).replaceAll('\n', '\v'),
  )
  return lines.join('\n')
}

/** Ranked once, so that every later backtest shares the order. No cell may occur twice. */
export function buildRankedDataset(columns: Columns): Dataset {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Failure('internal', 'Two rows have the same asset and date.')
  return rankDataset(shareDataset(dataset))
}

/** The asset id is the ticker, or TICKER:MARKET if two markets share the ticker. Assets are ordered by
 * ticker, then by market. If they were ordered by id, a later listing in another market would change how
 * ties between existing assets are broken. */
function unpackDays(days: readonly SignalDay[]): Columns {
  const rows = days.reduce((sum, { actual }) => sum + actual.length / 8, 0)
  const columns = allocate(rows)
  const assets = new Map<string, number>()
  const markets = new Map<string, number>()
  const marketOfAsset: number[] = []
  let row = 0
  for (const { day, names, predicted, actual } of days) {
    const scores = viewOf(predicted)
    const returns = viewOf(actual)
    const first = row
    for (const name of names.split('\n')) {
      let asset = assets.get(name)
      if (asset === undefined) {
        const market = name.slice(name.indexOf(' ') + 1)
        const index = markets.get(market) ?? markets.size
        markets.set(market, index)
        asset = marketOfAsset.push(index) - 1
        assets.set(name, asset)
      }
      columns.day[row] = day
      columns.asset[row] = asset
      columns.market[row] = marketOfAsset[asset]
      columns.score[row] = scores.getFloat64(8 * (row - first))
      columns.forwardReturn[row] = returns.getFloat64(8 * (row - first))
      row++
    }
  }
  const listings = [...assets.keys()].map(name => name.split(' '))
  return {
    ...columns,
    count: rows,
    assetNames: assetIds(listings),
    assetKeys: listings.map(([ticker, market]) => `${ticker}\0${market}`),
    marketNames: [...markets.keys()],
  }
}

function allocate(rows: number): Pick<Columns, 'day' | 'asset' | 'market' | 'score' | 'forwardReturn'> {
  const shared = (bytesEach: number) => new SharedArrayBuffer(bytesEach * rows)
  return {
    day: new Int32Array(shared(4)),
    asset: new Int32Array(shared(4)),
    market: new Uint16Array(shared(2)),
    score: new Float64Array(shared(8)),
    forwardReturn: new Float64Array(shared(8)),
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)

function assetIds(listings: readonly string[][]): string[] {
  const uses = new Map<string, number>()
  for (const [ticker] of listings) uses.set(ticker, (uses.get(ticker) ?? 0) + 1)
  return listings.map(([ticker, market]) => (uses.get(ticker) === 1 ? ticker : `${ticker}:${market}`))
}
