/** What a book costs. */
export interface Prices {
  /** Round trip by market index, as a fraction (10 bps is 0.001). */
  readonly roundTripOfMarket: Float64Array
  /** Short borrow per period, as a fraction of short gross. */
  readonly borrowPerPeriod: number
}
