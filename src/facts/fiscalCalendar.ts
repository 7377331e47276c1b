import type { MetricRules } from './metricRules.ts'
import type { Filing, ReportedFact } from './reportedFact.ts'
import { addYears, slackDays, spanOf } from './spans.ts'

interface FiscalYear {
  readonly start: number
  readonly end: number
  /** True if the year is not twelve months long, so that its figures are neither a year's nor a quarter's. */
  readonly isShort?: true
  /** True if the source rounded its days to month ends. */
  readonly isRounded?: true
}

/** Days by which a rounded month end may differ from the real year end. */
const roundedSlackDays = 16

type Forms = Pick<MetricRules, 'annualForm' | 'quarterlyForm' | 'transitionForm' | 'balanceEndsYear'>

/**
 * An entity's fiscal years, as far as the filings read so far define them. Annual figures in annual reports
 * take precedence. Before the first of those, years are inferred from year-to-date periods; before those, from
 * the year end that the latest filing to name one states or, if none does, the register.
 */
export class FiscalCalendar {
  private readonly annual = new Map<number, FiscalYear>()
  private readonly inferred = new Map<number, FiscalYear>()
  private readonly short = new Map<number, FiscalYear>()
  private sorted: FiscalYear[] | null = null
  private fallback: FiscalYear | null
  /** The balance days of quarterly reports. A fiscal year never ends on the anniversary of such a day. */
  private readonly quarterEnds: number[] = []

  private readonly forms: Forms

  constructor(forms: Forms, fiscalYearEnd: string | null) {
    this.forms = forms
    this.fallback = fiscalYearEnd === null ? null : yearEndingOn(fiscalYearEnd)
  }

  /** The fiscal year that a day belongs to. */
  yearOf(day: number): FiscalYear {
    const years = this.years()
    let last: FiscalYear | null = null
    let next: FiscalYear | null = null
    for (const year of years) {
      if (day >= year.start && day <= year.end + slackDays) return year
      if (year.end < day) last = year
      else next ??= year
    }
    if (last === null) {
      if (next === null) return project(this.fallback ?? yearEndingOn('1231'), day)
      return project(next.isShort ? { ...next, end: next.start - 1 } : next, day)
    }
    const isGap = next !== null && this.annual.size > 0 && !isWholeYears(next.start - last.end - 1)
    return isGap && next !== null
      ? { start: last.end + 1, end: next.start - 1, isShort: true }
      : project(last, day)
  }

  /** True until a filing states a year; until then we assume the calendar year. */
  get isGuess(): boolean {
    return this.annual.size + this.inferred.size + this.short.size === 0 && this.fallback === null
  }

  isAnnualReport(form: string): boolean {
    return this.forms.annualForm.test(form)
  }

  /** Whether a year in an annual report that ends on this day is one of the entity's fiscal years. */
  isYearEnd(day: number, slack: number): boolean {
    return minDistance(this.annual, day) <= slack || Math.abs(this.yearOf(day).end - day) <= slack
  }

  /**
   * Learns the fiscal years that one report defines. Sources that round days to month ends guess the starts
   * of periods. Exact periods of the same filing therefore take precedence, and no year is inferred from a
   * guessed start if a year end is on file.
   */
  learn({ form, fiscalYearEnd }: Filing, all: readonly ReportedFact[]): void {
    if (fiscalYearEnd !== undefined) this.fallback = yearEndingOn(fiscalYearEnd)
    const exact = all.filter(({ rounded }) => !rounded)
    const reportedFacts = exact.length > 0 ? exact : all
    if (this.forms.quarterlyForm.test(form)) this.learnQuarterEnd(reportedFacts)
    this.learnYears(form, reportedFacts, exact.length > 0 || this.fallback === null)
  }

  /** @param infers whether a year to date may define a year */
  private learnYears(form: string, reportedFacts: readonly ReportedFact[], infers: boolean): void {
    const isAnnual = this.forms.annualForm.test(form)
    const isTransition = this.forms.transitionForm?.test(form) === true
    const inferring = this.annual.size === 0
    const known = new Set(this.annual.keys())
    const years = yearsReported(reportedFacts)
    for (const year of years) {
      if (!isAnnual) {
        if (inferring && !this.forms.quarterlyForm.test(form)) this.add(this.inferred, year)
      } else if (!this.isRecast(year)) this.add(this.annual, year)
    }
    const short = shortYearOf(form, reportedFacts, this.forms, {
      lastBefore: day => this.lastBefore(day),
      isKnown: day => minDistance(known, day) <= slackDays,
    })
    if (short !== null) this.addShort(short)
    // A first or changed year may not be twelve months long, but its balance still closes it.
    if (this.forms.balanceEndsYear === true && isAnnual) {
      const balance = Math.max(...reportedFacts.map(({ start, end }) => (start === null ? end : -1)))
      const isReported = reportedFacts.some(
        ({ start, end }) => spanOf(start, end) === 4 && Math.abs(end - balance) <= slackDays,
      )
      if (balance > 0 && !isReported)
        this.add(this.annual, { start: addYears(balance, -1) + 1, end: balance })
    }
    // A period of less than a year in an annual report is not a year to date.
    if (inferring && infers && !isAnnual && !isTransition) this.infer(form, reportedFacts)
  }

  /**
   * No fiscal year ends on the balance day of a quarterly report, even if a stray figure or an outdated year
   * end says so.
   */
  private learnQuarterEnd(reportedFacts: readonly ReportedFact[]): void {
    const day = lastDayOf(reportedFacts)
    if (day === null) return
    this.quarterEnds.push(day)
    for (const end of [...this.inferred.keys()]) if (isAnniversary(end, day)) this.inferred.delete(end)
    if (this.fallback !== null && isAnniversary(this.fallback.end, day)) this.fallback = null
    this.sorted = null
  }

  /**
   * Infers years from the starts of year-to-date periods. A quarterly report without one covers a first
   * quarter.
   */
  private infer(form: string, reportedFacts: readonly ReportedFact[]): void {
    let first: FiscalYear | null = null
    let hasYearToDate = false
    for (const { start, end } of reportedFacts) {
      const span = spanOf(start, end)
      if (start === null || span === null || span === 4) continue
      if (span === 1) {
        if (first === null || end > first.end || (end === first.end && start < first.start))
          first = { start, end }
      } else {
        hasYearToDate = true
        this.inferFrom(start)
      }
    }
    if (!hasYearToDate && first !== null && this.forms.quarterlyForm.test(form)) this.inferFrom(first.start)
  }

  private inferFrom(start: number): void {
    const end = addYears(start, 1) - 1
    if (!this.quarterEnds.some(day => isAnniversary(end, day))) this.add(this.inferred, { start, end })
  }

  private addShort(short: FiscalYear): void {
    for (const end of [...this.annual.keys()])
      if (Math.abs(end - short.end) <= slackDays) this.annual.delete(end)
    this.short.set(short.end, { ...short, isShort: true })
    this.sorted = null
  }

  private add(to: Map<number, FiscalYear>, year: FiscalYear): void {
    for (const other of to.values()) {
      if (other.isRounded === year.isRounded || Math.abs(other.end - year.end) > roundedSlackDays) continue
      if (year.isRounded) return
      to.delete(other.end)
    }
    const known = to.get(year.end)
    if (known !== undefined && known.start <= year.start) return
    to.set(year.end, year)
    this.sorted = null
  }

  private years(): FiscalYear[] {
    this.sorted ??= [
      ...(this.annual.size > 0 ? this.annual : this.inferred).values(),
      ...this.short.values(),
    ].sort((a, b) => a.end - b.end)
    return this.sorted
  }

  private lastBefore(day: number): FiscalYear | null {
    let last: FiscalYear | null = null
    for (const year of [...this.annual.values(), ...this.short.values()])
      if (year.end < day && (last === null || year.end > last.end)) last = year
    return last
  }

  /**
   * Twelve months that end with a short year, or on the same day in earlier years, were never a fiscal year.
   */
  private isRecast({ start, end }: FiscalYear): boolean {
    if (minDistance(this.short, end) <= slackDays) return true
    const overlapsOther = (other: FiscalYear) =>
      other.end >= start + slackDays &&
      other.start <= end - slackDays &&
      Math.abs(other.end - end) > slackDays
    return [...this.short.values()].some(
      short =>
        short.start > end &&
        [...this.annual.values()].some(year => year.end <= short.start && overlapsOther(year)),
    )
  }
}

/**
 * Finds the fiscal years that a report states. Some of its twelve-month periods are not fiscal years: they may begin
 * with an acquisition, or end with a quarter. Such a period has fewer than a fifth as many figures as the most
 * frequent period.
 */
function yearsReported(reportedFacts: readonly ReportedFact[]): FiscalYear[] {
  const years = new Map<number, { year: FiscalYear; count: number }>()
  for (const { start, end, rounded } of reportedFacts) {
    if (start === null || spanOf(start, end) !== 4) continue
    const other = years.get(end)
    const year: FiscalYear = rounded ? { start, end, isRounded: true } : { start, end }
    if (other === undefined) years.set(end, { year, count: 1 })
    else {
      other.count++
      // The fact read last decides whether the year counts as rounded.
      const earliest = Math.min(start, other.year.start)
      if (earliest !== other.year.start || rounded !== (other.year.isRounded === true))
        other.year = { ...year, start: earliest }
    }
  }
  const maxCount = Math.max(0, ...[...years.values()].map(({ count }) => count))
  const usual = [...years.values()].filter(({ count }) => count * 5 >= maxCount).map(({ year }) => year)
  return usual.sort((a, b) => a.end - b.end)
}

function yearEndingOn(monthDay: string): FiscalYear {
  const end = Date.UTC(2000, Number(monthDay.slice(0, 2)) - 1, Number(monthDay.slice(2))) / 86_400_000
  return { start: addYears(end, -1) + 1, end }
}

/** The year that contains `day`, assuming that all years around `known` are as long as calendar years. */
function project(known: FiscalYear, day: number): FiscalYear {
  let years = Math.floor((day - slackDays - known.end) / 366)
  while (addYears(known.end, years) + slackDays < day) years++
  return { start: addYears(known.end, years - 1) + 1, end: addYears(known.end, years) }
}

/** Whether two days fall on about the same day of the year. */
function isAnniversary(a: number, b: number): boolean {
  const years = Math.round((b - a) / 365.25)
  return Math.abs(b - addYears(a, years)) <= slackDays
}

function minDistance(days: { keys(): Iterable<number> }, day: number): number {
  let min = Number.POSITIVE_INFINITY
  for (const other of days.keys()) min = Math.min(min, Math.abs(other - day))
  return min
}

/** Whether the days between two known years are whole years (within the slack) that no report covers. */
function isWholeYears(days: number): boolean {
  const years = Math.round(days / 365.25)
  return Math.abs(days - years * 365.25) <= 2 * slackDays
}

interface KnownYears {
  /**
   * The last year that ends before a day, among those known before the report and those that it states
   * itself.
   */
  readonly lastBefore: (day: number) => FiscalYear | null
  /** Whether another report has stated a year that ends on the day. */
  readonly isKnown: (day: number) => boolean
}

/**
 * Finds a fiscal year of less than twelve months: a company's first year, or the time between an old and a new year
 * end. A report that declares one (10-KT, 10-QT) ends it with the report's last day. So does an annual report whose
 * own period is not a year, if it continues where the previous year ended or if no previous year is known.
 */
function shortYearOf(
  form: string,
  reportedFacts: readonly ReportedFact[],
  forms: Pick<MetricRules, 'annualForm' | 'transitionForm'>,
  years: KnownYears,
): FiscalYear | null {
  const isTransition = forms.transitionForm?.test(form) === true
  if (!isTransition && !forms.annualForm.test(form)) return null
  // Most reports state only whole years and balances; returning early saves the rest of the work.
  if (!isTransition && reportedFacts.every(({ start, end }) => start === null || spanOf(start, end) === 4))
    return null
  const end = lastDayOf(reportedFacts)
  if (end === null || (!isTransition && years.isKnown(end))) return null
  const last = years.lastBefore(end - slackDays)
  const starts = reportedFacts.flatMap(one =>
    one.start !== null && Math.abs(one.end - end) <= slackDays && spanOf(one.start, one.end) !== 4
      ? [one.start]
      : [],
  )
  if (last !== null) {
    const isContinued = starts.some(start => Math.abs(start - last.end - 1) <= slackDays)
    const isShort = isTransition ? spanOf(last.end + 1, end) !== 4 && end - last.end < 750 : isContinued
    return isShort ? { start: last.end + 1, end } : null
  }
  const isYear = reportedFacts.some(
    one => Math.abs(one.end - end) <= slackDays && spanOf(one.start, one.end) === 4,
  )
  return starts.length > 0 && (isTransition || !isYear) ? { start: Math.min(...starts), end } : null
}

/**
 * The last day on which at least two figures of a report end. A single figure may be a share count on the cover.
 */
export function lastDayOf(reportedFacts: readonly ReportedFact[]): number | null {
  const counts = new Map<number, number>()
  for (const { end } of reportedFacts) counts.set(end, (counts.get(end) ?? 0) + 1)
  const shared = [...counts].filter(([, count]) => count > 1).map(([end]) => end)
  const days = shared.length > 0 ? shared : [...counts.keys()]
  return days.length === 0 ? null : days.reduce((last, day) => Math.max(last, day))
}
