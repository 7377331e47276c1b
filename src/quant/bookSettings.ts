export type Weighting = 'equal' | 'rank' | 'score'

/** What decides the book, and nothing that only prices it. */
export interface BookSettings {
  readonly longShort: boolean
  /** Fraction of eligible names in a leg, 0.01 .. 0.5. */
  readonly quantile: number
  readonly weighting: Weighting
  /** h = holdDays / returnDays, in periods. */
  readonly tranches: number
  /** Legs sum to +-gross / 2, or to gross where long only. */
  readonly gross: number
  /** Legs are formed inside each market. */
  readonly neutralMarket: boolean
  /** Turnover is measured from weights that have grown with their returns. */
  readonly drift: boolean
}
