import { dayNumber } from '../../dates.ts'
import { addYears, fiscalYearName } from '../../facts/spans.ts'
import type { KnownFiling } from '../../wholeFilings/knownFilingQueries.ts'
import { isInstant, type Period, quartersOf } from '../../wholeFilings/layOut.ts'

export const fiscalPeriods = ['FY', 'Q1', 'Q2', 'Q3'] as const
export type FiscalPeriodName = (typeof fiscalPeriods)[number] | 'Q4'

/** The fiscal period that ends on or near a day. */
export interface FiscalLabel {
  readonly fy: number
  readonly fp: FiscalPeriodName
}

/** Tolerance in days between a period's end and the end of its quarter, because years have 52 or 53 weeks and sources
 * round to month ends. */
const slackDays = 20
const quarterDays = 365.25 / 4

/** The fiscal calendar of a company as its annual reports that were known on the day show it. */
export class FiscalYears {
  readonly #yearEnds: readonly number[]

  /** @param yearEnds last days of fiscal years */
  constructor(yearEnds: readonly number[]) {
    this.#yearEnds = yearEnds
  }

  get isKnown(): boolean {
    return this.#yearEnds.length > 0
  }

  /** Null if no annual report is known, or if the day is not near the end of a quarter. */
  labelOf(day: number): FiscalLabel | null {
    if (!this.isKnown) return null
    const nearest = this.#yearEnds.reduce((best, end) =>
      Math.abs(end - day) < Math.abs(best - day) ? end : best,
    )
    const years = Math.ceil((day - slackDays - nearest) / 365.25)
    const end = addYears(nearest, years)
    const quarter = 4 - Math.round((end - day) / quarterDays)
    if (Math.abs(end - (4 - quarter) * quarterDays - day) > slackDays || quarter < 1) return null
    const fy = fiscalYearName(quarter === 4 && years === 0 ? nearest : end)
    return { fy, fp: quarter === 4 ? 'FY' : quarterNames[quarter - 1] }
  }

  /** The label of a column: a single fourth quarter is Q4. */
  ofPeriod(period: Period): FiscalLabel | null {
    const label = this.labelOf(period.end)
    if (label === null || label.fp !== 'FY' || isInstant(period)) return label
    return quartersOf(period) === 4 ? label : quartersOf(period) === 1 ? { ...label, fp: 'Q4' } : label
  }
}

const quarterNames = ['Q1', 'Q2', 'Q3'] as const

/** The last day of the period that a filing reports on. */
export const reportEnd = ({ periodEnd }: KnownFiling): number | null =>
  periodEnd === null ? null : dayNumber(periodEnd)
