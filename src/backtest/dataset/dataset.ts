/** A panel as columns, date by date. A dataset that several threads use is in shared memory: all of them read
 * the same bytes, and none writes to them once the dataset is built.
 *
 * - Rows of date t are `offsets[t] .. offsets[t + 1]`, ascending by asset, at most one per asset.
 * - `assets` is sorted by id (UTF-16 code units, as JavaScript compares strings). So indices have the order
 *   of ids, and of two equal scores the one in the earlier row ranks lower.
 * - `score` NaN: not eligible on that date. `forwardReturn` NaN: unknown; it earns 0 and never affects
 *   eligibility.
 * - `dollarVolume` NaN: unknown. Volumes never affect the portfolio; they only measure the capacity of a
 *   record.
 * - `market` is an index into `markets`; a row without a market has the market named ''. */
export interface Dataset {
  /** Days since 1970-01-01, ascending. */
  readonly days: Int32Array
  readonly offsets: Int32Array
  readonly asset: Int32Array
  readonly market: Uint16Array
  readonly score: Float64Array
  readonly forwardReturn: Float64Array
  /** Absent if no row has a volume. */
  readonly dollarVolume?: Float64Array | undefined
  /** Prices from which the returns are computed when the length of a return is known; `forwardReturn` is NaN
   * until then. NaN: no close. Absent if no row has one. */
  readonly close?: Float64Array | undefined
  /** Annual cost of borrowing the name, in basis points. NaN: that of the configuration. Absent if no row has
   * one. */
  readonly borrowBps?: Float64Array | undefined
  /** The returns by which weights are decided, where `forwardReturn` contains what is only known later, or was replaced to
   * split a record; absent: the same. */
  readonly decisionReturn?: Float64Array | undefined
  /** When the returns of each date begin and end, if they were computed from closes or compounded on a calendar. */
  readonly returnSpans?: ReturnSpans | undefined
  /** The day on which the returns of each date are known, where an end of a name that they assume becomes known only after
   * they have ended; absent: when they end. */
  readonly knownDays?: Int32Array | undefined
  /** Trading days from the date of a row to the entry of its return, if prices gave it; absent: 0. */
  readonly returnLag?: number | undefined
  /** The group of each row, if legs are formed within groups rather than markets. */
  readonly group?: GroupColumn | undefined
  /** The group of each row, for what is shown by group; legs do not depend on it. */
  readonly labels?: GroupColumn | undefined
  /** The columns of a caller's own, in the order of their names; absent if there are none. */
  readonly extras?: readonly ExtraColumn[] | undefined
  /** What neutralising left out, if the scores were neutralised. */
  readonly neutralised?: NeutralisedDates | undefined
  readonly assets: NameTable
  readonly markets: NameTable
  /** The single market of each asset; null if an asset changes its market, in which case costs are looked up
   * on every date. */
  readonly marketOfAsset: Uint16Array | null
  /** Present if a dataset serves many backtests; null for a single backtest, which picks its legs faster
   * without it. */
  readonly ranking: Ranking | null
}

/** The days on whose closes the returns of each date begin and end, one element for each date. */
export interface ReturnSpans {
  readonly from: Int32Array
  readonly to: Int32Array
  /** The dates over which the sent returns of a date were compounded; absent: the returns are those from close to close. */
  readonly dates?: Int32Array | undefined
}

/** A group for each row; 0: none is known. */
export interface GroupColumn {
  readonly of: Uint16Array
  /** The number of groups, the unknown one included. */
  readonly count: number
  /** The names of the groups; the unknown one is ''. */
  readonly names?: NameTable | undefined
}

/** A column of a caller's own; NaN: no value. */
export interface ExtraColumn {
  readonly name: string
  readonly values: Float64Array
}

/** For each date of a dataset whose scores were neutralised. */
export interface NeutralisedDates {
  /** Rows with a score that have none any more, because a market, group or column is missing. */
  readonly withoutExposure: Int32Array
  /** Rows that have no score any more, because too few names remain to estimate anything. */
  readonly withoutResidual: Int32Array
  /** Columns that were left out, because others determine them. */
  readonly redundant: Int32Array
}

/** What every backtest of a dataset needs to know about its dates, computed once. A row with it takes 26
 * bytes. */
export interface Ranking {
  /** The rank of each row among its date's eligible rows by (score, asset id), the weakest at 0; -1 if it is
   * not eligible. */
  readonly rank: Int32Array
  /** The number of eligible rows on each date. */
  readonly eligible: Int32Array
  readonly meanScore: Float64Array
  /** Equal-weight mean of the date's known returns; 0 if none is known. */
  readonly universe: Float64Array
  /** The number of known returns on each date. */
  readonly known: Int32Array
}

/** Rows as they arrive: unsorted columns, with assets and markets numbered in any order. */
export interface Columns {
  readonly count: number
  /** Days since 1970-01-01. */
  readonly day: Int32Array
  /** Index into `assetNames`. */
  readonly asset: Int32Array
  /** Index into `marketNames`; '' is the name for no market. */
  readonly market: Uint16Array
  readonly score: Float64Array
  readonly forwardReturn: Float64Array
  /** NaN: unknown. */
  readonly dollarVolume?: Float64Array | undefined
  /** NaN: unknown. */
  readonly close?: Float64Array | undefined
  /** NaN: unknown. */
  readonly borrowBps?: Float64Array | undefined
  readonly assetNames: readonly string[]
  /** Distinct sort keys, one per asset; by default the names. */
  readonly assetKeys?: readonly string[]
  readonly marketNames: readonly string[]
  /** Index into `groupNames`, where '' has index 0; absent: no row has a group. */
  readonly group?: Uint16Array | undefined
  readonly groupNames?: readonly string[] | undefined
  readonly extras?: readonly ExtraColumn[] | undefined
}

/** A list of names as UTF-8 in shared memory, so that a dataset passes to any thread without a copy. */
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

/** Copies the bytes first, because a TextDecoder rejects shared memory. */
export function nameAt(table: NameTable, index: number): string {
  return decoder.decode(table.bytes.slice(table.offsets[index], table.offsets[index + 1]))
}

export function maxRowsPerDate({ offsets }: Dataset): number {
  let maxRows = 0
  for (let date = 0; date + 1 < offsets.length; date++) {
    maxRows = Math.max(maxRows, offsets[date + 1] - offsets[date])
  }
  return maxRows
}

/** The memory that a dataset occupies, including its ranking. */
export function datasetBytes(data: Dataset): number {
  const { ranking, assets, markets, group, extras = [], ...columns } = data
  let bytes = 0
  const parts = [columns, assets, markets, ranking ?? {}, group ?? {}, ...extras]
  for (const column of parts.flatMap(part => Object.values(part))) {
    if (ArrayBuffer.isView(column)) bytes += column.byteLength
  }
  return bytes
}
