/** The book between two periods, by asset index. */
export interface Book {
  readonly weight: Float64Array
  /** Tranches that hold the name. At 0 its weight is 0 but for rounding. */
  readonly live: Int32Array
  /** Round-trip cost of the name's market, as a fraction. */
  readonly roundTrip: Float64Array
  /** All 0 between two periods. */
  readonly change: Float64Array
  /** With drift only: last period's weights, grown with their returns. */
  readonly grown: Float64Array
  /** With drift only: the names that are or just were held, and each one's place in that list plus 1. */
  readonly names: Int32Array
  readonly place: Int32Array
  listed: number
  /** Names in any live tranche. */
  held: number
  shortGross: number
  /** Of the current period: 1/2 sum |dw| and its price. */
  turnover: number
  tradingCost: number
}

export function allocateBook(assets: number, drift: boolean): Book {
  const driftAssets = drift ? assets : 0
  return {
    weight: new Float64Array(assets),
    live: new Int32Array(assets),
    roundTrip: new Float64Array(assets),
    change: new Float64Array(assets),
    grown: new Float64Array(driftAssets),
    names: new Int32Array(driftAssets),
    place: new Int32Array(driftAssets),
    listed: 0,
    held: 0,
    shortGross: 0,
    turnover: 0,
    tradingCost: 0,
  }
}
