/** One number per period. Returns are fractions of the equity at the period's start. */
export interface PeriodSeries {
  readonly gross: Float64Array
  /** gross - tradingCost - borrow. */
  readonly net: Float64Array
  /** 1/2 sum |dw|. */
  readonly turnover: Float64Array
  readonly tradingCost: Float64Array
  readonly borrow: Float64Array
  /** Equal-weight return of every name with a known return. */
  readonly universe: Float64Array
  /** Held names that earned 0 because their return is unknown. */
  readonly heldWithoutReturn: Int32Array
}

export function allocateSeries(periods: number): PeriodSeries {
  return {
    gross: new Float64Array(periods),
    net: new Float64Array(periods),
    turnover: new Float64Array(periods),
    tradingCost: new Float64Array(periods),
    borrow: new Float64Array(periods),
    universe: new Float64Array(periods),
    heldWithoutReturn: new Int32Array(periods),
  }
}
