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
