import { Failure } from '../../errors.ts'
import { buildDataset } from '../dataset/build.ts'
import { type Columns, type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import { filterMarket } from '../dataset/filterMarket.ts'
import { shareDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { SignalDay, TaskInput } from '../pool/tasks.ts'

/** Resolved signals as columns: the forecast is the score, the outcome the forward return. A ticker that two markets
 * share is two names, TICKER:MARKET; every other asset id is the ticker. They are ordered by ticker and then market, so that
 * a listing elsewhere, which may come later, does not settle ties among those that were there before. */
export function unpackDays(days: readonly SignalDay[]): Columns {
  const rows = days.reduce((sum, { actual }) => sum + actual.length / 8, 0)
  const columns = allocate(rows)
  const assets = new Map<string, number>()
  const markets = new Map<string, number>()
  /** Of each asset. */
  const marketOf: number[] = []
  let row = 0
  for (const { day, names, predicted, actual } of days) {
    const scores = bigEndian(predicted)
    const returns = bigEndian(actual)
    const first = row
    for (const name of names.split('\n')) {
      let asset = assets.get(name)
      if (asset === undefined) {
        const market = name.slice(name.indexOf(' ') + 1)
        const index = markets.get(market) ?? markets.size
        markets.set(market, index)
        asset = marketOf.push(index) - 1
        assets.set(name, asset)
      }
      columns.day[row] = day
      columns.asset[row] = asset
      columns.market[row] = marketOf[asset]
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

const bigEndian = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)

function assetIds(listings: readonly string[][]): string[] {
  const uses = new Map<string, number>()
  for (const [ticker] of listings) uses.set(ticker, (uses.get(ticker) ?? 0) + 1)
  return listings.map(([ticker, market]) => (uses.get(ticker) === 1 ? ticker : `${ticker}:${market}`))
}

export function buildArchive({ days }: TaskInput<'archive_build'>): Dataset {
  return buildRanked(unpackDays(days))
}

export function filterArchive({ data, market }: TaskInput<'dataset_filter'>): Dataset | null {
  const columns = filterMarket(data, market)
  return columns && buildRanked(columns)
}

/** Rows of which no cell may repeat, ranked at once: every later backtest shares the order. */
export function buildRanked(columns: Columns): Dataset {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Failure('internal', 'The rows repeat a cell.')
  return rankDataset(shareDataset(dataset))
}

export function listNames({ data: { assets } }: TaskInput<'dataset_names'>): string {
  return Array.from({ length: nameCount(assets) }, (_, place) => nameAt(assets, place)).join('\n')
}
