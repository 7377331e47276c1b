import { nearestMonthEnd } from '../dates.ts'
import type { FactRow, FiscalPeriod } from './factRow.ts'
import type { FiscalCalendar } from './fiscalCalendar.ts'
import type { ReportedFact } from './reportedFact.ts'
import type { RoundingUnit } from './rounding.ts'
import { fiscalYearName, type Span, storedMetric } from './spans.ts'

/**
 * A period of an entity, shared by all metrics. `label` is set once and never changes: a quarter's name must
 * not depend on later filings.
 */
export interface Period {
  readonly span: Span
  start: number | null
  end: number
  rounded: boolean
  label: PeriodLabel | null
  readonly series: Map<string, Series>
}

export interface PeriodLabel {
  readonly fy: number
  readonly fp: FiscalPeriod
}

/** A vintage that may still change: it can be ended, or get the exact days of its period. */
export type OpenRow = { -readonly [Key in keyof FactRow]: FactRow[Key] } & {
  /**
   * The unit to which the filing rounded the value; with several statements, the finest. 1 for derived
   * figures.
   */
  rounding: RoundingUnit
  /**
   * The filing date from which this value is known. It is before the date of its own filing if that filing only states an
   * earlier value more precisely.
   */
  since: number
}

/** The series of one metric's vintages of one period. It holds the current one. */
export interface Series {
  readonly metric: string
  readonly period: Period
  current: OpenRow | null
  /** The tag group under which the current figure was reported; null while it is derived. */
  reportedGroup: number | null
  /** The day of the last filing that stated the current figure under its tag group; 0 if it is derived. */
  reportedOn: number
  /**
   * The tag group of the cumulative figures whose difference is current; null if the figure is not such a
   * difference.
   */
  derivedGroup: number | null
  /**
   * The groups of all tags under which the current figure was reported, one bit each. Two figures are
   * comparable if they share a group.
   */
  groups: number
  /**
   * The accounts (`MetricRules.basis`) for which the current figure was reported, one bit each, like
   * `groups`. A later report that repeats the figure for other accounts adds theirs; otherwise the repeat
   * would end the quarters derived from it.
   */
  bases: number
  /** The accession of the last filing that named the period for this metric. */
  lastMentionedIn: string
  /** The accession of the last filing from which a reported fact was taken. */
  lastReportedIn: string
}

const roundedSlackDays = 15

/** The periods that an entity's filings have named so far. */
export class PeriodIndex {
  private readonly periods = new Map<number, Period>()
  private readonly labelOfEnd = new Map<number, PeriodLabel>()
  private refined: Period[] = []

  /** The period of an exact fact. A period known only by a rounded end takes its days from it. */
  resolve(span: Span, start: number | null, end: number): Period {
    const known = this.periods.get(keyOf(span, end))
    if (known !== undefined && !known.rounded) return known
    // A quarter derived as a difference may count as rounded because of its start although its end is exact.
    const rough = known ?? this.periods.get(keyOf(span, nearestMonthEnd(end)))
    if (rough?.rounded && Math.abs(rough.end - end) <= roundedSlackDays) {
      this.periods.delete(keyOf(span, rough.end))
      this.refine(rough, start, end)
      this.periods.set(keyOf(span, end), rough)
      return rough
    }
    return this.add(span, start, end, false)
  }

  /** The known period of this length that ends on the day, if there is one. */
  at(span: Span, end: number): Period | undefined {
    return this.periods.get(keyOf(span, end))
  }

  /** Gives a period its exact days. */
  refine(period: Period, start: number | null, end: number): void {
    if (period.end !== end) this.refined.push(period)
    period.start = start
    period.end = end
    period.rounded = false
  }

  /** The label of balances on a day, if it is known or the calendar gives one. */
  labelOfDay(end: number, rounded: boolean, calendar: FiscalCalendar): PeriodLabel | null {
    const known = this.periods.get(keyOf(0, end))?.label
    return known ?? this.labelBalance({ end, rounded }, calendar)
  }

  /** The periods whose exact days became known since the last call. */
  takeRefined(): readonly Period[] {
    const refined = this.refined
    this.refined = []
    return refined
  }

  /**
   * The period of a fact whose end was rounded: the nearest period with exact days, which the same filing, an
   * earlier one or another metric's flow may have stated. If there is none, a new period.
   */
  resolveRounded({ metric, start, end }: ReportedFact, span: Span, accession: string): Period {
    let best: Period | null = null
    let minCost = Number.POSITIVE_INFINITY
    for (let day = end - roundedSlackDays; day <= end + roundedSlackDays; day++) {
      const period = this.periods.get(keyOf(span, day))
      if (period === undefined || period.rounded || nearestMonthEnd(day) !== end) continue
      const series = period.series.get(storedMetric(metric, span))
      if (series === undefined && span === 0 && !this.labelOfEnd.has(day)) continue
      const evidence = series === undefined ? 2 : series.lastMentionedIn === accession ? 0 : 1
      const cost = evidence * 100 + Math.abs(day - end)
      if (cost < minCost) {
        best = period
        minCost = cost
      }
    }
    return best ?? this.periods.get(keyOf(span, end)) ?? this.add(span, start, end, true)
  }

  /** The quarter that is the difference of two year-to-date periods. */
  quarter(start: number, end: number, rounded: boolean): Period {
    return this.periods.get(keyOf(1, end)) ?? this.add(1, start, end, rounded)
  }

  seriesOf(period: Period, metric: string): Series {
    const known = period.series.get(metric)
    if (known !== undefined) return known
    const series: Series = {
      metric,
      period,
      current: null,
      reportedGroup: null,
      reportedOn: 0,
      derivedGroup: null,
      groups: 0,
      bases: 0,
      lastMentionedIn: '',
      lastReportedIn: '',
    }
    period.series.set(metric, series)
    return series
  }

  /** Labels the period if the calendar can; returns false if it is not a period of a fiscal year. */
  label(period: Period, calendar: FiscalCalendar, form: string): boolean {
    if (period.label !== null) return true
    period.label = period.span === 0 ? this.labelBalance(period, calendar) : labelFlow(period, calendar, form)
    if (period.label === null) return false
    if (period.span !== 0) this.setLabelOfEnd(period.end, period.label, period.span)
    return true
  }

  private setLabelOfEnd(end: number, label: PeriodLabel, span: Span): void {
    if (this.labelOfEnd.has(end) && span !== 4) return
    this.labelOfEnd.set(end, label.fp === 4 ? { fy: label.fy, fp: 0 } : label)
  }

  private labelBalance(
    period: Pick<Period, 'end' | 'rounded'>,
    calendar: FiscalCalendar,
  ): PeriodLabel | null {
    const known = this.labelOfEnd.get(period.end)
    if (known !== undefined) return known
    const slack = period.rounded ? 16 : 7
    const year = calendar.yearOf(period.end)
    if (Math.abs(period.end - year.end) <= slack) return { fy: fiscalYearName(year.end), fp: 0 }
    if (Math.abs(period.end - year.start + 1) <= slack) return { fy: fiscalYearName(year.start - 1), fp: 0 }
    if (year.isShort) return null
    const quarterDays = (year.end - year.start + 1) / 4
    const quarter = Math.ceil((period.end - year.start + 1 - slack) / quarterDays)
    return { fy: fiscalYearName(year.end), fp: asQuarter(Math.min(4, Math.max(1, quarter))) }
  }

  private add(span: Span, start: number | null, end: number, rounded: boolean): Period {
    const period: Period = { span, start, end, rounded, label: null, series: new Map() }
    this.periods.set(keyOf(span, end), period)
    return period
  }
}

const keyOf = (span: Span, end: number) => end * 8 + span

function labelFlow(period: Period, calendar: FiscalCalendar, form: string): PeriodLabel | null {
  const slack = period.rounded ? 20 : 10
  const year = calendar.yearOf(period.end)
  const start = period.start ?? period.end
  // A short year contains neither a year nor a quarter, and twelve months that include it are not a year either.
  if (year.isShort) return null
  if (period.span === 4) {
    if (calendar.isGuess) return { fy: fiscalYearName(period.end), fp: 0 }
    if (calendar.isAnnualReport(form))
      return calendar.isYearEnd(period.end, slack) ? { fy: fiscalYearName(period.end), fp: 0 } : null
    return Math.abs(period.end - year.end) <= slack ? { fy: fiscalYearName(year.end), fp: 0 } : null
  }
  const fy = fiscalYearName(year.end)
  const quarterDays = (year.end - year.start + 1) / 4
  const elapsed = (period.end - year.start + 1) / quarterDays
  const quarter = Math.round(elapsed)
  if (period.span === 2 || period.span === 3) {
    // Quarters have 12 to 17 weeks. If the source rounds, the start is a guess, so the end decides which
    // quarter it is.
    const isYearToDate = period.rounded
      ? quarter === period.span || Math.abs(start - year.start) <= slack
      : Math.abs(start - year.start) <= slack
    return isYearToDate ? { fy, fp: period.span } : null
  }
  const isAligned = Math.abs(elapsed - quarter) * quarterDays <= (period.rounded ? 40 : 25)
  return isAligned && quarter >= 1 && quarter <= 4 ? { fy, fp: asQuarter(quarter) } : null
}

function asQuarter(number: number): FiscalPeriod {
  switch (number) {
    case 1:
      return 1
    case 2:
      return 2
    case 3:
      return 3
    default:
      return 4
  }
}
