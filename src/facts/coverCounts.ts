import type { FiscalCalendar } from './fiscalCalendar.ts'
import type { Period, PeriodIndex, PeriodLabel, Series } from './periods.ts'
import type { Filing, ReportedFact } from './reportedFact.ts'
import { fiscalYearName, slackDays } from './spans.ts'
import type { VintageBuilder } from './vintages.ts'

const roundedSlackDays = 16

/**
 * Share counts on report covers. A count is dated weeks after the end of the report's own period, so it is
 * assigned to the report rather than placed by its day. Each fiscal period of a metric has one row: the
 * cover's count, or the balance sheet's until a cover is known.
 */
export class CoverCounts {
  private readonly covers: Period[] = []
  /** The series that is served for a metric, year and fiscal period. */
  private readonly served = new Map<string, { readonly series: Series; readonly isCover: boolean }>()
  /** The day on which a filing last stated the current count, whether new or repeated. */
  private readonly statedOn = new Map<Series, number>()
  private statedToday = new Map<Series, Filing>()

  /**
   * The period of a cover count of the report on `report`. A rounded day is matched to the exact day of the
   * same report.
   */
  resolve({ end, rounded }: ReportedFact, report: PeriodLabel, periods: PeriodIndex): Period {
    const ofReport = this.covers.filter(({ label }) => label?.fy === report.fy && label.fp === report.fp)
    const near = ofReport.filter(period => Math.abs(period.end - end) <= roundedSlackDays)
    const known = ofReport.find(period => period.end === end && period.rounded === rounded)
    if (known !== undefined) return known
    const match = rounded ? near.at(-1) : near.find(period => period.rounded)
    if (match !== undefined) {
      if (!rounded) periods.refine(match, null, end)
      return match
    }
    const added: Period = { span: 0, start: null, end, rounded, label: report, series: new Map() }
    this.covers.push(added)
    return added
  }

  /**
   * Whether a count may be served: a cover's always, a balance sheet's only until a cover of the period is
   * known.
   */
  admits(series: Series, isCover: boolean): boolean {
    return isCover || this.served.get(keyOf(series))?.isCover !== true
  }

  /** Notes that a filing states the current count, whether new or repeated. */
  note(series: Series, filing: Filing): void {
    this.statedOn.set(series, filing.filed)
    this.statedToday.set(series, filing)
  }

  /** The counts that filings stated since the last call. */
  takeStated(): ReadonlyMap<Series, Filing> {
    const stated = this.statedToday
    this.statedToday = new Map()
    return stated
  }

  /** The count served for the series' fiscal period, and the day on which it was last stated. */
  countFor(
    { period }: Series,
    metric: string,
  ): { readonly series: Series; readonly statedOn: number } | null {
    if (this.served.size === 0) return null
    const series = this.served.get(keyOf({ metric, period }))?.series
    const statedOn = series && this.statedOn.get(series)
    return series === undefined || statedOn === undefined ? null : { series, statedOn }
  }

  /** Called when a count becomes current; ends the other count of its fiscal period. */
  record(series: Series, isCover: boolean, vintages: VintageBuilder, filing: Filing): void {
    const other = this.served.get(keyOf(series))?.series
    if (other === series) return
    if (other !== undefined) vintages.withdraw(other, filing)
    this.served.set(keyOf(series), { series, isCover })
  }
}

const keyOf = ({ metric, period: { label } }: Pick<Series, 'metric' | 'period'>) =>
  `${metric} ${label?.fy} ${label?.fp}`

/**
 * Finds the fiscal period that a report covers: the period of the last day on which several of its figures end or,
 * if the report has only cover figures, the last period that had ended by the day of the count.
 *
 * @param own the label of that day, if it has one
 */
export function reportLabel(
  form: string,
  own: PeriodLabel | null,
  countDay: number,
  calendar: FiscalCalendar,
): PeriodLabel {
  const isAnnual = calendar.isAnnualReport(form)
  if (own !== null && (own.fp === 0 || !isAnnual)) return own
  const year = calendar.yearOf(countDay)
  const before: PeriodLabel = { fy: fiscalYearName(year.start - 1), fp: 0 }
  if (Math.abs(countDay - year.end) <= slackDays && isAnnual) return { fy: fiscalYearName(year.end), fp: 0 }
  if (isAnnual) return before
  const quarter = Math.floor((countDay - year.start + 1 + slackDays) / ((year.end - year.start + 1) / 4))
  const fy = fiscalYearName(year.end)
  return quarter >= 3 ? { fy, fp: 3 } : quarter === 2 ? { fy, fp: 2 } : quarter === 1 ? { fy, fp: 1 } : before
}
