import type { ReturnLength } from '../dataset/returnEnds.ts'

export type Weighting = 'equal' | 'rank' | 'score'

/** Everything that determines which names a portfolio holds at which weights, without anything that only
 * prices them. */
export interface PortfolioSettings {
  readonly longShort: boolean
  /** The fraction of the eligible names in a leg, 0.01 .. 0.5. */
  readonly quantile: number
  readonly weighting: Weighting
  /** h = holdDays / returnDays, in periods. */
  readonly tranches: number
  /** The legs sum to +-gross / 2, or to gross if long only. */
  readonly gross: number
  /** Legs are formed inside each market. */
  readonly neutralMarket: boolean
  /** Turnover is measured from the weights after growth, w (1 + r) / (1 + R), instead of the old weights. */
  readonly drift: boolean
  /** Absent: no limits, no volatility target and no impact. */
  readonly trading?: TradingRules | undefined
}

/** How a target is traded; null: without this rule. See `walkTrading`. */
export interface TradingRules extends ReturnLength {
  readonly maxTurnover: number | null
  readonly maxWeight: number | null
  /** Annualised. */
  readonly targetVolatility: number | null
  readonly volatilityPeriods: number
  readonly maxLeverage: number
  readonly impact: number | null
  readonly capital: number
  readonly impactPeriods: number
  readonly periodsPerYear: number
}

/** The costs of trading and of borrowing for shorts. */
export interface TradingCosts {
  /** Round trip by market index, as a fraction (10 bps is 0.001). */
  readonly roundTripOfMarket: Float64Array
  /** Short borrow per period, as a fraction of short gross. */
  readonly borrowPerPeriod: number
  /** Turns the annual borrow costs of names into those of a period. */
  readonly periodsPerYear: number
}
