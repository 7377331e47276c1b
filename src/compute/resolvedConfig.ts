import type { BookSettings } from '../quant/bookSettings.ts'

/** A configuration with nothing left open, and what follows from it for a dataset. */
export interface ResolvedConfig {
  readonly book: BookSettings
  readonly direction: 'long_short' | 'long_only'
  readonly returnDays: number
  readonly holdDays: number
  readonly costBps: number | null
  readonly borrowBps: number
  readonly folds: number
  readonly spacing: number
  readonly step: number
  readonly periodsPerYear: number
  readonly label: string
}
