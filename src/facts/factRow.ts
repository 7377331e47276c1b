import type { Filing, ReportedFact } from './reportedFact.ts'

/** Fiscal period: 0 for the year, 1 to 4 for its quarters, 5 for the trailing twelve months. */
export type FiscalPeriod = 0 | 1 | 2 | 3 | 4 | 5

/** One vintage of one figure, as it is stored and served. */
export interface FactRow {
  readonly metric: string
  readonly fp: FiscalPeriod
  readonly fy: number
  readonly unit: string
  /** Null for derived figures. */
  readonly tag: string | null
  readonly start: number | null
  readonly end: number
  readonly rounded: boolean
  readonly value: number
  readonly filing: Filing
  /**
   * The filing date from which this is no longer current, because of the next vintage or a withdrawn input;
   * null while it is current.
   */
  readonly superseded: number | null
  /**
   * For derived figures: the day on which one input was restated but the other was not, so that this figure is
   * still the difference of the earlier generation. Null if all inputs belong to one generation.
   */
  readonly earlierSince: number | null
  /** For derived figures: accessions of the inputs that come from filings other than `filing`. */
  readonly inputs: readonly string[]
}

/**
 * A reported fact that made no vintage: it repeats what was known, is not in its filing's currency, is only a
 * substitute for a better one, or fits no fiscal period. It is stored but never served, so that imports may
 * arrive in any order.
 */
export interface RepeatRow {
  readonly reported: ReportedFact
  /** The name under which it is stored. Half-years and nine months get the suffix `_ytd`. */
  readonly metric: string
  readonly label: { readonly fy: number; readonly fp: FiscalPeriod } | null
}
