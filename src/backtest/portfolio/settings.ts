export type Weighting = 'equal' | 'rank' | 'score'

/** Everything that decides which names a portfolio holds with which weights, and nothing that only prices them. */
export interface PortfolioSettings {
  readonly longShort: boolean
  /** Fraction of the eligible names in a leg, 0.01 .. 0.5. */
  readonly quantile: number
  readonly weighting: Weighting
  /** h = holdDays / returnDays, in periods. */
  readonly tranches: number
  /** The legs sum to +-gross / 2, or to gross if long only. */
  readonly gross: number
  /** Legs are formed inside each market. */
  readonly neutralMarket: boolean
  /** Turnover is measured from shares of the grown portfolio, w (1 + r) / (1 + R), instead of the old weights. */
  readonly drift: boolean
}

/** What trading and short borrowing cost. */
export interface TradingCosts {
  /** Round trip by market index, as a fraction (10 bps is 0.001). */
  readonly roundTripOfMarket: Float64Array
  /** Short borrow per period, as a fraction of short gross. */
  readonly borrowPerPeriod: number
}
