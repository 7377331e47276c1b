import { type Columns, type Dataset, packNames } from './dataset.ts'

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

/** The rows in (date, asset rank) order: `order[i]` is the row that belongs at place i; null where the rows are in
 * that order already. Rows of one cell keep their given order, so a repeated cell shows its first and second row. Two
 * stable counting sorts, O(rows + assets + days between first and last). */
export function sortCells(columns: Columns, assetRank: Int32Array): Int32Array | null {
  if (isSorted(columns, assetRank)) return null
  const { count, day, asset } = columns
  const byAsset = new Int32Array(count)
  const assetStart = new Int32Array(assetRank.length + 1)
  for (let i = 0; i < count; i++) {
    const place = assetRank[asset[i]] + 1
    assetStart[place] = (assetStart[place] + 1) | 0
  }
  for (let a = 0; a < assetRank.length; a++) assetStart[a + 1] += assetStart[a]
  for (let i = 0; i < count; i++) {
    const rank = assetRank[asset[i]]
    const place = assetStart[rank]
    assetStart[rank] = (place + 1) | 0
    byAsset[place] = i
  }

  let first = day[0]
  let last = day[0]
  for (let i = 1; i < count; i++) {
    if (day[i] < first) first = day[i]
    if (day[i] > last) last = day[i]
  }
  const dayStart = new Int32Array(last - first + 2)
  for (let i = 0; i < count; i++) {
    const place = day[i] - first + 1
    dayStart[place] = (dayStart[place] + 1) | 0
  }
  for (let d = 0; d <= last - first; d++) dayStart[d + 1] += dayStart[d]
  const order = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const row = byAsset[i]
    const place = dayStart[day[row] - first]
    dayStart[day[row] - first] = (place + 1) | 0
    order[place] = row
  }
  return order
}

function isSorted({ count, day, asset }: Columns, assetRank: Int32Array): boolean {
  for (let i = 1; i < count; i++) {
    if (day[i] < day[i - 1]) return false
    if (day[i] === day[i - 1] && assetRank[asset[i]] < assetRank[asset[i - 1]]) return false
  }
  return true
}

/** rank[i] is the place of keys[i] among all keys in code-unit order; `sorted` are the names in that order. */
export function rankNames(
  names: readonly string[],
  keys: readonly string[] = names,
): { rank: Int32Array; sorted: string[] } {
  const places = names.map((_, i) => i)
  places.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0))
  const rank = new Int32Array(names.length)
  places.forEach((original, place) => {
    rank[original] = place
  })
  return { rank, sorted: places.map(place => names[place]) }
}
