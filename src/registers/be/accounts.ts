/** The year that accounts are of, or the one before, which they repeat. */
export type AccountYear = 'N' | 'NM1'

export interface Rubric {
  readonly code: string
  readonly year: AccountYear
  readonly value: string
}

/** One deposit's accounts as a file states them. */
export interface Accounts {
  readonly reference: string
  /** Of the file itself; JSON does not say it. */
  readonly enterprise: string | null
  /** Of every figure that is read, as far as the file says it; `several` where they differ. */
  readonly currency: string | null
  readonly name: string | null
  readonly rubrics: readonly Rubric[]
  /** First and last day of both years as far as the file says them. */
  readonly years: Readonly<Partial<Record<AccountYear, { readonly start: number; readonly end: number }>>>
  /** Figures in the file, mapped or not. */
  readonly figures: number
  readonly malformed: number
}
