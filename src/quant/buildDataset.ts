import type { Columns } from './columns.ts'
import type { Dataset } from './dataset.ts'
import { packNames } from './nameTable.ts'
import { rankNames } from './rankNames.ts'
import { sortCells } from './sortCells.ts'

export type BuiltDataset =
  | { dataset: Dataset; duplicate: null }
  /** Two rows for one (date, asset) cell, numbered as they arrived. */
  | { dataset: null; duplicate: { firstRow: number; secondRow: number } }

/** Columns in any order to a dataset without a ranking. The order of rows, and the numbers under which names arrived,
 * leave no trace in the result. Columns that are in order already become the dataset's own, without a copy. */
export function buildDataset(given: Columns): BuiltDataset {
  const assets = rankNames(given.assetNames, given.assetKeys)
  const markets = rankNames(given.marketNames)
  const order = sortCells(given, assets.rank)
  const { count } = given
  const day = order ? gather(given.day, order, 4, shared => new Int32Array(shared)) : given.day
  const assetNumber = order
    ? gather(given.asset, order, 4, shared => new Int32Array(shared))
    : given.asset.subarray(0, count)
  const cut = cutDates(day, assetNumber, count)
  if (cut.repeated !== -1) {
    const { repeated: i } = cut
    return {
      dataset: null,
      duplicate: { firstRow: order ? order[i - 1] : i - 1, secondRow: order ? order[i] : i },
    }
  }
  const marketNumber = order
    ? gather(given.market, order, 2, shared => new Uint16Array(shared))
    : given.market.subarray(0, count)
  const asset = renumber(assetNumber, assets.rank, 4, shared => new Int32Array(shared))
  const market = renumber(marketNumber, markets.rank, 2, shared => new Uint16Array(shared))
  const doubles = (shared: SharedArrayBuffer) => new Float64Array(shared)
  return {
    dataset: {
      days: cut.days,
      offsets: cut.offsets,
      asset,
      market,
      score: order ? gather(given.score, order, 8, doubles) : given.score.subarray(0, count),
      forwardReturn: order
        ? gather(given.forwardReturn, order, 8, doubles)
        : given.forwardReturn.subarray(0, count),
      assets: packNames(assets.sorted),
      markets: packNames(markets.sorted),
      marketOfAsset: fixedMarkets(asset, market, assets.sorted.length),
      ranking: null,
    },
    duplicate: null,
  }
}

type NumberColumn = Int32Array | Uint16Array | Float64Array

function gather<C extends NumberColumn>(
  from: C,
  order: Int32Array,
  bytesEach: number,
  make: (shared: SharedArrayBuffer) => C,
): C {
  const to = make(new SharedArrayBuffer(bytesEach * order.length))
  for (let i = 0; i < order.length; i++) to[i] = from[order[i]]
  return to
}

/** Each number's rank; the column itself where every number is its rank. */
function renumber<C extends Int32Array | Uint16Array>(
  numbers: C,
  rank: Int32Array,
  bytesEach: number,
  make: (shared: SharedArrayBuffer) => C,
): C {
  if (rank.every((place, number) => place === number)) return numbers
  const ranked = make(new SharedArrayBuffer(bytesEach * numbers.length))
  for (let i = 0; i < numbers.length; i++) ranked[i] = rank[numbers[i]]
  return ranked
}

/** Where each date begins; `repeated` is the first row that repeats the cell before it, -1 where there is none. */
function cutDates(day: Int32Array, asset: Int32Array, count: number) {
  const starts: number[] = []
  let repeated = -1
  for (let i = 0; i < count; i++) {
    if (i === 0 || day[i] !== day[i - 1]) starts.push(i)
    else if (asset[i] === asset[i - 1]) {
      repeated = i
      break
    }
  }
  const days = new Int32Array(new SharedArrayBuffer(4 * starts.length))
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (starts.length + 1)))
  for (let date = 0; date < starts.length; date++) {
    days[date] = day[starts[date]]
    offsets[date] = starts[date]
  }
  offsets[starts.length] = count
  return { days, offsets, repeated }
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
