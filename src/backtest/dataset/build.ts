import { type Columns, type Dataset, packNames } from './dataset.ts'

type BuiltDataset =
  | { dataset: Dataset; duplicate: null }
  /** Two rows for one (date, asset) cell, numbered in the order of arrival. */
  | { dataset: null; duplicate: { firstRow: number; secondRow: number } }

/** Turns columns in any order into a dataset without a ranking. The result does not depend on the order of the rows or
 * on the indices that names arrived with. Columns that are sorted already are used as they are, without a copy. */
export function buildDataset(columns: Columns): BuiltDataset {
  const assets = rankNames(columns.assetNames, columns.assetKeys)
  const markets = rankNames(columns.marketNames)
  const order = sortCells(columns, assets.rank)
  const { count } = columns
  const int32 = (buffer: SharedArrayBuffer) => new Int32Array(buffer)
  const uint16 = (buffer: SharedArrayBuffer) => new Uint16Array(buffer)
  const float64 = (buffer: SharedArrayBuffer) => new Float64Array(buffer)
  const day = order ? gather(columns.day, order, 4, int32) : columns.day
  const assetIndex = order ? gather(columns.asset, order, 4, int32) : columns.asset.subarray(0, count)
  const cut = cutDates(day, assetIndex, count)
  if (cut.repeated !== -1) {
    const { repeated: i } = cut
    return {
      dataset: null,
      duplicate: { firstRow: order ? order[i - 1] : i - 1, secondRow: order ? order[i] : i },
    }
  }
  const marketIndex = order ? gather(columns.market, order, 2, uint16) : columns.market.subarray(0, count)
  const asset = renumber(assetIndex, assets.rank, 4, int32)
  const market = renumber(marketIndex, markets.rank, 2, uint16)
  return {
    dataset: {
      days: cut.days,
      offsets: cut.offsets,
      asset,
      market,
      score: order ? gather(columns.score, order, 8, float64) : columns.score.subarray(0, count),
      forwardReturn: order
        ? gather(columns.forwardReturn, order, 8, float64)
        : columns.forwardReturn.subarray(0, count),
      ...sortedVolume(columns, order),
      assets: packNames(assets.sorted),
      markets: packNames(markets.sorted),
      marketOfAsset: fixedMarkets(asset, market, assets.sorted.length),
      ranking: null,
    },
    duplicate: null,
  }
}

/** rank[i] is the place of keys[i] among all keys in code-unit order; `sorted` lists the names in that order. */
function rankNames(
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

/** The rows in (date, asset rank) order: `order[i]` is the row that belongs at place i; null if the rows are sorted already.
 * Rows of one cell stay in their given order, so that a duplicate is reported with its first and second row. Two stable
 * counting sorts, O(rows + assets + days between the first and the last). */
function sortCells(columns: Columns, assetRank: Int32Array): Int32Array | null {
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

/** Where each date begins; `repeated` is the first row that repeats the cell before it, -1 if there is none. */
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

/** A column without any known volume is as if it had not been sent, so that equal rows are equal datasets. */
function sortedVolume(
  { dollarVolume, count }: Columns,
  order: Int32Array | null,
): Pick<Dataset, 'dollarVolume'> {
  const sent = dollarVolume?.subarray(0, count)
  if (!sent?.some(volume => !Number.isNaN(volume))) return {}
  return { dollarVolume: order ? gather(sent, order, 8, buffer => new Float64Array(buffer)) : sent }
}

type NumberColumn = Int32Array | Uint16Array | Float64Array

function gather<C extends NumberColumn>(
  from: C,
  order: Int32Array,
  bytesEach: number,
  make: (buffer: SharedArrayBuffer) => C,
): C {
  const to = make(new SharedArrayBuffer(bytesEach * order.length))
  for (let i = 0; i < order.length; i++) to[i] = from[order[i]]
  return to
}

/** Each index replaced by its rank; the column itself if every index equals its rank. */
function renumber<C extends Int32Array | Uint16Array>(
  indices: C,
  rank: Int32Array,
  bytesEach: number,
  make: (buffer: SharedArrayBuffer) => C,
): C {
  if (rank.every((place, index) => place === index)) return indices
  const ranked = make(new SharedArrayBuffer(bytesEach * indices.length))
  for (let i = 0; i < indices.length; i++) ranked[i] = rank[indices[i]]
  return ranked
}

/** Each asset's only market; null as soon as one asset has rows in two markets. */
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
