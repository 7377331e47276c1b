import type { Filing, ReportedFact } from './reportedFact.ts'

/** Fiscal period: 0 for the year, 1 to 4 for its quarters, 5 for the trailing twelve months. */
export type FiscalPeriod = 0 | 1 | 2 | 3 | 4 | 5

/** One vintage of one figure, as it is stored and served. */
export interface FactRow {
  readonly metric: string
  readonly fp: FiscalPeriod
  readonly fy: number
  readonly unit: string
  /** null: derived from other figures. */
  readonly tag: string | null
  readonly start: number | null
  readonly end: number
  readonly rounded: boolean
  readonly value: number
  readonly filing: Filing
  /** The filed day from which it is no longer current: that of the next vintage, or on which an input was withdrawn; null
   * while it is current. */
  readonly superseded: number | null
  /** Derived, and from this day one of its inputs is restated while another is not yet: it is the difference of the
   * generation before. null: all inputs are of one generation. */
  readonly earlierSince: number | null
  /** Of a derived figure: the accessions of its inputs other than `filing`'s. */
  readonly inputs: readonly string[]
}

/** A reported fact that made no vintage. It repeats what was known, is in a currency other than its filing's, only stands in
 * for a better one, or has no fiscal period. It is stored and never served, so that imports may come in any order. */
export interface RepeatRow {
  readonly reported: ReportedFact
  /** The name under which it is stored. Half-years and nine months get the suffix `_ytd`. */
  readonly metric: string
  readonly label: { readonly fy: number; readonly fp: FiscalPeriod } | null
}
