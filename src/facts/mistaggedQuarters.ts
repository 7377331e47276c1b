import type { PeriodIndex, Series } from './periods.ts'
import type { ReportedFact } from './reportedFact.ts'
import { isOneAmount, type RoundingUnit } from './rounding.ts'
import type { YearsToDate } from './yearsToDate.ts'

/** A reported fact with its series, which includes its period. */
export interface PlacedFact {
  readonly reported: ReportedFact
  readonly series: Series
}

/**
 * Detects quarters that a filing tags as the year to date. An annual report may tag the second quarter as six
 * months. Taken literally, it would replace the known half-year with a single quarter. The second quarter would
 * then be the difference of two quarters, and the third would be nine months minus one quarter.
 */
export class MistaggedQuarters {
  private readonly parts: readonly PlacedFact[]
  private readonly years: YearsToDate
  private readonly periods: PeriodIndex

  /** @param ofFiling the facts of the filing being read */
  constructor(ofFiling: readonly PlacedFact[], years: YearsToDate, periods: PeriodIndex) {
    this.parts = ofFiling.filter(({ series: { period } }) => period.span >= 1 && period.span <= 3)
    this.years = years
    this.periods = periods
  }

  /**
   * Whether a cumulative figure is really the stated quarter with the same end: it equals that quarter although
   * something was earned before the quarter, or although another cumulative amount is already known. Without such
   * evidence it counts as a year to date, because a company may have earned everything in the last quarter.
   */
  includes({ reported, series }: PlacedFact, rounding: RoundingUnit): boolean {
    const { span, start, end } = series.period
    const { metric, value, unit } = reported
    if (span < 2 || start === null || value === 0) return false
    const quarter = this.statedQuarter(metric, end)
    const stated = { value, unit, rounding }
    if (quarter === null || quarter.unit !== unit || !isOneAmount(stated, { ...quarter, rounding: 1 }))
      return false
    const before = this.before(metric, span, start)
    // Rounding may hide what was earned before: 0.3 and 1.2 million are a quarter and a half-year of 1
    // million.
    if (before !== null && Math.abs(before) <= (rounding === 1 ? 0 : rounding)) return false
    if (before !== null && span !== 4) return true
    return series.current !== null && !isOneAmount(series.current, stated)
  }

  private statedQuarter(
    metric: string,
    end: number,
  ): { readonly value: number; readonly unit: string } | null {
    const own = this.parts.find(
      ({ reported, series: { period } }) =>
        reported.metric === metric && period.span === 1 && period.end === end,
    )
    if (own !== undefined) return own.reported
    const series = this.periods.at(1, end)?.series.get(metric)
    return series === undefined || series.reportedGroup === null ? null : series.current
  }

  /** The year to date one quarter earlier, or null if unknown. */
  private before(metric: string, span: number, start: number): number | null {
    const own = this.parts.find(
      ({ reported, series: { period } }) =>
        reported.metric === metric &&
        period.span === span - 1 &&
        period.start !== null &&
        Math.abs(period.start - start) <= startSlackDays,
    )
    if (own !== undefined) return own.reported.value
    return this.years.find(metric, start, startSlackDays)?.series[span - 1]?.current?.value ?? null
  }
}

const startSlackDays = 7
