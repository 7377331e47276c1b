/** A panel as columns, date by date. If several threads use it, it is in shared memory: all read the same bytes, and no
 * thread writes them once they are built.
 *
 * - Rows of date t are `offsets[t] .. offsets[t + 1]`, ascending by asset, at most one per asset.
 * - `assets` is sorted by id (UTF-16 code units, as JavaScript compares strings). So the order of indices is the order
 *   of ids, and of two equal scores the one in the earlier row is the weaker.
 * - `score` NaN: not eligible that day. `forwardReturn` NaN: unknown; it earns 0 and never decides eligibility.
 * - `dollarVolume` NaN: unknown. It decides nothing; only the capacity of a record is measured with it.
 * - `market` is an index into `markets`; a row without a market has the market named ''. */
export interface Dataset {
  /** Days since 1970-01-01, ascending. */
  readonly days: Int32Array
  readonly offsets: Int32Array
  readonly asset: Int32Array
  readonly market: Uint16Array
  readonly score: Float64Array
  readonly forwardReturn: Float64Array
  /** Absent if no row has one. */
  readonly dollarVolume?: Float64Array | undefined
  readonly assets: NameTable
  readonly markets: NameTable
  /** Each asset's only market; null if an asset changes its market, so that costs are looked up on every date. */
  readonly marketOfAsset: Uint16Array | null
  /** Present if a dataset serves many backtests; null if a single backtest picks its legs faster without it. */
  readonly ranking: Ranking | null
}

/** What every backtest of a dataset needs to know about its dates, computed once. With it a row takes 26 bytes. */
export interface Ranking {
  /** Each row's place among its date's eligible rows by (score, asset id), weakest 0; -1 if it is not eligible. */
  readonly rank: Int32Array
  /** Eligible rows of each date. */
  readonly eligible: Int32Array
  readonly meanScore: Float64Array
  /** Equal-weight mean of the date's known returns, 0 if none is known. */
  readonly universe: Float64Array
  /** Known returns of each date. */
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
  readonly assetNames: readonly string[]
  /** Sort keys of the assets, one for each and all different; by default their names. */
  readonly assetKeys?: readonly string[]
  readonly marketNames: readonly string[]
}

/** A list of names as UTF-8 in shared memory, so that a dataset crosses to any thread without a copy. */
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

/** Copies the bytes first, because a TextDecoder refuses shared memory. */
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

/** The memory that a dataset takes, its ranking included. */
export function datasetBytes(data: Dataset): number {
  const { ranking, assets, markets, ...columns } = data
  let bytes = 0
  for (const column of [columns, assets, markets, ranking ?? {}].flatMap(part => Object.values(part))) {
    if (ArrayBuffer.isView(column)) bytes += column.byteLength
  }
  return bytes
}
