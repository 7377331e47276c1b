/** A panel as columns, date-major, in shared memory wherever it serves more than one thread: all read the same bytes,
 * nobody writes them after they are built.
 *
 * - Rows of date t are `offsets[t] .. offsets[t + 1]`, ascending by asset, at most one per asset.
 * - `assets` is sorted by id (UTF-16 code units, as JavaScript compares strings), so the order of indices is
 *   the order of ids and a tie between scores is settled by the smaller row.
 * - `score` NaN: not eligible that day. `forwardReturn` NaN: not known; it earns 0 and never decides
 *   eligibility.
 * - Market 0.. index `markets`; a row that named no market has the market named ''. */
export interface Dataset {
  /** Days since 1970-01-01, ascending. */
  readonly days: Int32Array
  readonly offsets: Int32Array
  readonly asset: Int32Array
  readonly market: Uint16Array
  readonly score: Float64Array
  readonly forwardReturn: Float64Array
  readonly assets: NameTable
  readonly markets: NameTable
  /** Each asset's only market; null where an asset changes its market, so costs need a look at every date. */
  readonly marketOfAsset: Uint16Array | null
  /** Kept where a dataset serves many backtests; null where one backtest can pick its legs faster. */
  readonly ranking: Ranking | null
}

/** What every backtest of a dataset needs to know about its dates, found once. With it a row takes 26 bytes. */
export interface Ranking {
  /** Each row's place among its date's eligible rows by (score, asset id), weakest 0; -1 where it is not eligible. */
  readonly rank: Int32Array
  /** Of each date. */
  readonly eligible: Int32Array
  readonly meanScore: Float64Array
  /** Mean of the date's known returns, 0 where none is known, and how many are. */
  readonly universe: Float64Array
  readonly known: Int32Array
}

export function dateCount(data: Dataset): number {
  return data.days.length
}

export function rowCount(data: Dataset): number {
  return data.asset.length
}

/** Rows as they arrived: unsorted columns, with assets and markets numbered in any order. */
export interface Columns {
  readonly count: number
  /** Days since 1970-01-01. */
  readonly day: Int32Array
  /** Index into `assetNames`. */
  readonly asset: Int32Array
  /** Index into `marketNames`; '' is the name for none. */
  readonly market: Uint16Array
  readonly score: Float64Array
  readonly forwardReturn: Float64Array
  readonly assetNames: readonly string[]
  /** What orders the assets where their names do not: one for each, all different. */
  readonly assetKeys?: readonly string[]
  readonly marketNames: readonly string[]
}

/** A list of names as UTF-8 in shared memory, so that a dataset can cross to any thread without a copy. */
export interface NameTable {
  readonly bytes: Uint8Array
  /** Name i is bytes[offsets[i] .. offsets[i + 1]). */
  readonly offsets: Int32Array
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function packNames(names: readonly string[]): NameTable {
  const encoded = names.map(name => encoder.encode(name))
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (names.length + 1)))
  for (let i = 0; i < names.length; i++) offsets[i + 1] = offsets[i] + encoded[i].length
  const bytes = new Uint8Array(new SharedArrayBuffer(offsets[names.length]))
  for (let i = 0; i < names.length; i++) bytes.set(encoded[i], offsets[i])
  return { bytes, offsets }
}

export function nameCount(table: NameTable): number {
  return table.offsets.length - 1
}

/** The copy is needed: a TextDecoder refuses shared memory. */
export function nameAt(table: NameTable, index: number): string {
  return decoder.decode(table.bytes.slice(table.offsets[index], table.offsets[index + 1]))
}

/** Dates first .. end - 1 of a dataset: a view, nothing is copied. */
export interface DateView {
  readonly firstDate: number
  readonly endDate: number
  /** Rows of the dates from .. to that `maxRows` left out. */
  readonly rowsOverLimit: number
}

/** The dates from `fromDay` to `toDay`, both included; with `maxRows`, the most recent whole dates whose rows fit
 * together (none where the most recent alone is larger). */
export function viewDates(data: Dataset, fromDay: number, toDay: number, maxRows: number): DateView {
  const { days, offsets } = data
  let firstDate = 0
  let endDate = days.length
  while (firstDate < endDate && days[firstDate] < fromDay) firstDate++
  while (endDate > firstDate && days[endDate - 1] > toDay) endDate--
  const firstRow = offsets[firstDate]
  while (firstDate < endDate && offsets[endDate] - offsets[firstDate] > maxRows) firstDate++
  return { firstDate, endDate, rowsOverLimit: offsets[firstDate] - firstRow }
}

/** The memory that a dataset takes, its ranking included. */
export function datasetBytes(data: Dataset): number {
  const { ranking, assets, markets, ...columns } = data
  let bytes = 0
  for (const column of [columns, assets, markets, ranking ?? {}].flatMap(part => Object.values(part))) {
    if (ArrayBuffer.isView(column)) bytes += column.byteLength
  }
  return bytes
}

export function maxRowsPerDate({ offsets }: Dataset): number {
  let most = 0
  for (let date = 0; date + 1 < offsets.length; date++) {
    most = Math.max(most, offsets[date + 1] - offsets[date])
  }
  return most
}
