import { type Columns, type Dataset, type ExtraColumn, packNames } from './dataset.ts'

type BuiltDataset =
  | { dataset: Dataset; duplicate: null }
  /** Two rows for one (date, asset) cell, numbered in order of arrival. */
  | { dataset: null; duplicate: { firstRow: number; secondRow: number } }

export interface BuildOptions {
  /** The columns may become part of the dataset and change while it is built. An unsorted panel then needs
   * only 8 bytes per row on top of its columns, rather than a second set of columns. */
  readonly ownsColumns?: boolean
}

/** Builds a dataset without a ranking from columns in any order. The result does not depend on the order of
 * the rows or on the indices that names arrived with. Columns that are already sorted are used without a
 * copy. */
export function buildDataset(columns: Columns, { ownsColumns = false }: BuildOptions = {}): BuiltDataset {
  const assets = rankNames(columns.assetNames, columns.assetKeys)
  const markets = rankNames(columns.marketNames)
  const order = sortCells(columns, assets.rank)
  const repeated = findRepeated(columns, order)
  if (repeated !== -1) {
    const rowAt = (at: number) => (order ? order[at] : at)
    return { dataset: null, duplicate: { firstRow: rowAt(repeated - 1), secondRow: rowAt(repeated) } }
  }
  const known = withKnownNumbers(columns)
  const own = ownColumns(columns, order)
  const sorted = order === null ? known : ownsColumns ? permute(known, order) : gatherColumns(known, order)
  const inPlace = ownsColumns || order !== null
  const { count } = columns
  const asset = renumber(sorted.asset.subarray(0, count), assets.rank, inPlace ? null : sharedInt32)
  const market = renumber(sorted.market.subarray(0, count), markets.rank, inPlace ? null : sharedUint16)
  return {
    dataset: {
      ...cutDates(sorted.day, count),
      asset,
      market,
      score: sorted.score.subarray(0, count),
      forwardReturn: sorted.forwardReturn.subarray(0, count),
      ...(sorted.dollarVolume ? { dollarVolume: sorted.dollarVolume.subarray(0, count) } : {}),
      ...(sorted.close ? { close: sorted.close.subarray(0, count) } : {}),
      ...(sorted.borrowBps ? { borrowBps: sorted.borrowBps.subarray(0, count) } : {}),
      ...own,
      assets: packNames(assets.sorted),
      markets: packNames(markets.sorted),
      marketOfAsset: fixedMarkets(asset, market, assets.sorted.length),
      ranking: null,
    },
    duplicate: null,
  }
}

/** rank[i] is the rank of keys[i] among all keys in code-unit order; `sorted` lists the names in that
 * order. */
function rankNames(
  names: readonly string[],
  keys: readonly string[] = names,
): { rank: Int32Array; sorted: string[] } {
  const byKey = names.map((_, i) => i)
  byKey.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0))
  const rank = new Int32Array(names.length)
  byKey.forEach((original, at) => {
    rank[original] = at
  })
  return { rank, sorted: byKey.map(at => names[at]) }
}

/** The rows in (date, asset rank) order: `order[i]` is the row that belongs at index i; null if the rows are
 * already sorted. Rows of one cell keep their given order, so that a duplicate is reported with its first
 * and second row. Two stable counting sorts, O(rows + assets + days between the first and the last). */
function sortCells(columns: Columns, assetRank: Int32Array): Int32Array<ArrayBuffer> | null {
  if (isSorted(columns, assetRank)) return null
  const { count, day, asset } = columns
  const byAsset = new Int32Array(count)
  const assetStart = new Int32Array(assetRank.length + 1)
  for (let i = 0; i < count; i++) {
    const at = assetRank[asset[i]] + 1
    assetStart[at] = (assetStart[at] + 1) | 0
  }
  for (let a = 0; a < assetRank.length; a++) assetStart[a + 1] += assetStart[a]
  for (let i = 0; i < count; i++) {
    const rank = assetRank[asset[i]]
    const at = assetStart[rank]
    assetStart[rank] = (at + 1) | 0
    byAsset[at] = i
  }

  let first = day[0]
  let last = day[0]
  for (let i = 1; i < count; i++) {
    if (day[i] < first) first = day[i]
    if (day[i] > last) last = day[i]
  }
  const dayStart = new Int32Array(last - first + 2)
  for (let i = 0; i < count; i++) {
    const at = day[i] - first + 1
    dayStart[at] = (dayStart[at] + 1) | 0
  }
  for (let d = 0; d <= last - first; d++) dayStart[d + 1] += dayStart[d]
  const order = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const row = byAsset[i]
    const at = dayStart[day[row] - first]
    dayStart[day[row] - first] = (at + 1) | 0
    order[at] = row
  }
  release(byAsset)
  return order
}

/** Frees the memory immediately instead of at the next garbage collection. */
const release = ({ buffer }: Int32Array<ArrayBuffer>): void => void buffer.transfer(0)

function isSorted({ count, day, asset }: Columns, assetRank: Int32Array): boolean {
  for (let i = 1; i < count; i++) {
    if (day[i] < day[i - 1]) return false
    if (day[i] === day[i - 1] && assetRank[asset[i]] < assetRank[asset[i - 1]]) return false
  }
  return true
}

/** The first index, in sorted order, whose row has the same cell as the row before it; -1 if there is
 * none. */
function findRepeated({ count, day, asset }: Columns, order: Int32Array | null): number {
  for (let at = 1; at < count; at++) {
    const row = order ? order[at] : at
    const before = order ? order[at - 1] : at - 1
    if (day[row] === day[before] && asset[row] === asset[before]) return at
  }
  return -1
}

/** Finds the first row of each date. */
function cutDates(day: Int32Array, count: number): Pick<Dataset, 'days' | 'offsets'> {
  const starts: number[] = []
  for (let i = 0; i < count; i++) if (i === 0 || day[i] !== day[i - 1]) starts.push(i)
  const days = new Int32Array(new SharedArrayBuffer(4 * starts.length))
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (starts.length + 1)))
  for (let date = 0; date < starts.length; date++) {
    days[date] = day[starts[date]]
    offsets[date] = starts[date]
  }
  offsets[starts.length] = count
  return { days, offsets }
}

/** Drops optional columns without any known number, so that equal rows give equal datasets. */
function withKnownNumbers(columns: Columns): Columns {
  const known = (column: Float64Array | undefined) =>
    column?.subarray(0, columns.count).some(number => !Number.isNaN(number)) ? column : undefined
  const { dollarVolume, close, borrowBps } = columns
  return { ...columns, dollarVolume: known(dollarVolume), close: known(close), borrowBps: known(borrowBps) }
}

/** The groups and the columns of a caller's own in another order, as copies. Equal rows give equal columns: a column
 * without any group is left out, and the others are in the order of their names.
 *
 * @param order null: as they are */
function ownColumns(columns: Columns, order: Int32Array | null): Pick<Dataset, 'group' | 'extras'> {
  const { count, group, groupNames = [''], extras = [] } = columns
  const sent = group?.subarray(0, count)
  const names = rankNames(groupNames)
  const sortedExtras = extras.map(({ name, values }): ExtraColumn => {
    const own = values.subarray(0, count)
    return { name, values: order === null ? own : gather(own, order, sharedFloat64) }
  })
  sortedExtras.sort((a, b) => (a.name < b.name ? -1 : 1))
  const of = sent && (order === null ? sent : gather(sent, order, sharedUint16))
  return {
    ...(of?.some(name => name !== 0)
      ? {
          group: {
            of: renumber(of, names.rank, order === null ? sharedUint16 : null),
            count: names.sorted.length,
            names: packNames(names.sorted),
          },
        }
      : {}),
    ...(sortedExtras.length === 0 ? {} : { extras: sortedExtras }),
  }
}

type NumberColumn = Int32Array | Uint16Array | Float64Array

/** Returns the columns in another order, as copies. */
function gatherColumns(columns: Columns, order: Int32Array<ArrayBuffer>): Columns {
  const { day, asset, market, score, forwardReturn, dollarVolume, close, borrowBps } = columns
  const sorted = {
    ...columns,
    day: gather(day, order, sharedInt32),
    asset: gather(asset, order, sharedInt32),
    market: gather(market, order, sharedUint16),
    score: gather(score, order, sharedFloat64),
    forwardReturn: gather(forwardReturn, order, sharedFloat64),
    dollarVolume: dollarVolume && gather(dollarVolume, order, sharedFloat64),
    close: close && gather(close, order, sharedFloat64),
    borrowBps: borrowBps && gather(borrowBps, order, sharedFloat64),
  }
  release(order)
  return sorted
}

function gather<C extends NumberColumn>(from: C, order: Int32Array, make: (length: number) => C): C {
  const to = make(order.length)
  for (let i = 0; i < order.length; i++) to[i] = from[order[i]]
  return to
}

/** Reorders the columns in place, cycle by cycle, which needs no second copy. Consumes `order`. */
function permute(columns: Columns, order: Int32Array<ArrayBuffer>): Columns {
  const { day, asset, market, score, forwardReturn, dollarVolume, close, borrowBps } = columns
  for (let start = 0; start < order.length; start++) {
    if (order[start] === start || order[start] === moved) continue
    const firstDay = day[start]
    const firstAsset = asset[start]
    const firstMarket = market[start]
    const firstScore = score[start]
    const firstReturn = forwardReturn[start]
    const firstVolume = dollarVolume ? dollarVolume[start] : 0
    const firstClose = close ? close[start] : 0
    const firstBorrow = borrowBps ? borrowBps[start] : 0
    let to = start
    for (let from = order[to]; from !== start; from = order[to]) {
      day[to] = day[from]
      asset[to] = asset[from]
      market[to] = market[from]
      score[to] = score[from]
      forwardReturn[to] = forwardReturn[from]
      if (dollarVolume) dollarVolume[to] = dollarVolume[from]
      if (close) close[to] = close[from]
      if (borrowBps) borrowBps[to] = borrowBps[from]
      order[to] = moved
      to = from
    }
    order[to] = moved
    day[to] = firstDay
    asset[to] = firstAsset
    market[to] = firstMarket
    score[to] = firstScore
    forwardReturn[to] = firstReturn
    if (dollarVolume) dollarVolume[to] = firstVolume
    if (close) close[to] = firstClose
    if (borrowBps) borrowBps[to] = firstBorrow
  }
  release(order)
  return columns
}

const sharedInt32 = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))
const sharedUint16 = (length: number) => new Uint16Array(new SharedArrayBuffer(2 * length))
const sharedFloat64 = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length))

/** Marks a row in `order` that is already at its index. */
const moved = -1

/** Replaces each index with its rank. Returns the column itself if every index equals its rank.
 *
 * @param make creates a column for the ranks; null: the ranks overwrite the indices */
function renumber<C extends Int32Array | Uint16Array>(
  indices: C,
  rank: Int32Array,
  make: ((length: number) => C) | null,
): C {
  if (rank.every((at, index) => at === index)) return indices
  const ranked = make === null ? indices : make(indices.length)
  for (let i = 0; i < indices.length; i++) ranked[i] = rank[indices[i]]
  return ranked
}

/** The single market of each asset; null as soon as one asset has rows in two markets. */
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
