import type { Columns } from './columns.ts'
import type { Dataset } from './dataset.ts'
import { packNames } from './nameTable.ts'
import { rankNames } from './rankNames.ts'
import { sortCells } from './sortCells.ts'

export type BuiltDataset =
  | { dataset: Dataset; duplicate: null }
  /** Two rows for one (date, asset) cell, numbered as they arrived. */
  | { dataset: null; duplicate: { firstRow: number; secondRow: number } }

/** Columns in any order to a dataset without a ranking. The order of rows, and the numbers under which names
 * arrived, leave no trace in the result. */
export function buildDataset(columns: Columns): BuiltDataset {
  const assets = rankNames(columns.assetNames)
  const markets = rankNames(columns.marketNames)
  const order = sortCells(columns, assets.rank)
  const { count, day } = columns

  const asset = new Int32Array(new SharedArrayBuffer(4 * count))
  const market = new Uint16Array(new SharedArrayBuffer(2 * count))
  const score = new Float64Array(new SharedArrayBuffer(8 * count))
  const forwardReturn = new Float64Array(new SharedArrayBuffer(8 * count))
  let dates = 0
  for (let i = 0; i < count; i++) {
    const row = order[i]
    asset[i] = assets.rank[columns.asset[row]]
    market[i] = markets.rank[columns.market[row]]
    score[i] = columns.score[row]
    forwardReturn[i] = columns.forwardReturn[row]
    const newDate = i === 0 || day[row] !== day[order[i - 1]]
    if (newDate) dates++
    else if (asset[i] === asset[i - 1]) {
      return { dataset: null, duplicate: { firstRow: order[i - 1], secondRow: row } }
    }
  }
  const { days, offsets } = cutDates(columns, order, dates)
  return {
    dataset: {
      days,
      offsets,
      asset,
      market,
      score,
      forwardReturn,
      assets: packNames(assets.sorted),
      markets: packNames(markets.sorted),
      marketOfAsset: fixedMarkets(asset, market, assets.sorted.length),
      ranking: null,
    },
    duplicate: null,
  }
}

function cutDates({ count, day }: Columns, order: Int32Array, dates: number) {
  const days = new Int32Array(new SharedArrayBuffer(4 * dates))
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (dates + 1)))
  let date = -1
  for (let i = 0; i < count; i++) {
    if (i > 0 && day[order[i]] === day[order[i - 1]]) continue
    date++
    days[date] = day[order[i]]
    offsets[date] = i
  }
  offsets[dates] = count
  return { days, offsets }
}

function fixedMarkets(asset: Int32Array, market: Uint16Array, assetCount: number): Uint16Array | null {
  const only = new Uint16Array(new SharedArrayBuffer(2 * assetCount))
  const seen = new Uint8Array(assetCount)
  for (let i = 0; i < asset.length; i++) {
    const name = asset[i]
    if (seen[name] === 0) {
      seen[name] = 1
      only[name] = market[i]
    } else if (only[name] !== market[i]) return null
  }
  return only
}
