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

/** What a book costs. */
export interface Prices {
  /** Round trip by market index, as a fraction (10 bps is 0.001). */
  readonly roundTripOfMarket: Float64Array
  /** Short borrow per period, as a fraction of short gross. */
  readonly borrowPerPeriod: number
}

/** Dates from one period to the next: step = max(1, round(returnDays / spacing)), halves up. */
export function stepFor(returnDays: number, spacing: number): number {
  return Math.max(1, Math.round(returnDays / spacing))
}

/** The dates that become periods: every `step`-th of firstDate .. endDate - 1, from the first. With step > 1 the
 * returns of neighbouring dates overlap, and compounding them would count each day several times. */
export function planPeriods(firstDate: number, endDate: number, step: number): Int32Array {
  const dates = new Int32Array(Math.max(0, Math.ceil((endDate - firstDate) / step)))
  for (let t = 0; t < dates.length; t++) dates[t] = firstDate + t * step
  return dates
}
