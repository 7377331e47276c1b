import type { MetricRules, Statement } from '../../model/statement.ts'
import { addYears } from './fiscalYear.ts'
import { spanOf } from './span.ts'

export interface FiscalYear {
  readonly start: number
  readonly end: number
}

/** Days by which a 52/53-week year may miss its anniversary. */
const slackDays = 7

type Forms = Pick<MetricRules, 'annualForm' | 'quarterlyForm' | 'balanceEndsYear'>

/** An entity's fiscal years as far as the filings read so far tell them. Annual statements in annual reports
 * decide; before the first, year-to-date periods do; before those, the year end that the register has on file. */
export class FiscalCalendar {
  private readonly annual = new Map<number, FiscalYear>()
  private readonly inferred = new Map<number, FiscalYear>()
  private sorted: FiscalYear[] | null = null
  private readonly fallback: FiscalYear | null

  private readonly forms: Forms

  constructor(forms: Forms, fiscalYearEnd: string | null) {
    this.forms = forms
    this.fallback = fiscalYearEnd === null ? null : yearEndingOn(fiscalYearEnd)
  }

  /** True while nothing but convention (the calendar year) is known. */
  get isGuess(): boolean {
    return this.annual.size === 0 && this.inferred.size === 0 && this.fallback === null
  }

  learn(form: string, statements: readonly Statement[]): void {
    const inferring = this.annual.size === 0
    const years = new Map<number, { year: FiscalYear; count: number }>()
    let quarter: FiscalYear | null = null
    let sawYearToDate = false
    let balance = Number.NEGATIVE_INFINITY
    for (const { start, end } of statements) {
      if (start === null) {
        balance = Math.max(balance, end)
        continue
      }
      const span = spanOf(start, end)
      if (span === 4) {
        const known = years.get(end)
        const earliest = Math.min(start, known?.year.start ?? start)
        years.set(end, { year: { start: earliest, end }, count: (known?.count ?? 0) + 1 })
      } else if (span === 1) {
        if (quarter === null || end > quarter.end || (end === quarter.end && start < quarter.start)) {
          quarter = { start, end }
        }
      } else if (span !== null && inferring) {
        sawYearToDate = true
        this.add(this.inferred, { start, end: addYears(start, 1) - 1 })
      }
    }
    const most = Math.max(0, ...[...years.values()].map(entry => entry.count))
    for (const { year, count } of years.values()) {
      // A stray year (since an acquisition, twelve months to a quarter's end) is no fiscal year.
      if (count * 5 < most) continue
      if (this.forms.annualForm.test(form)) this.add(this.annual, year)
      else if (inferring && !this.forms.quarterlyForm.test(form)) this.add(this.inferred, year)
    }
    // A first or a changed year may be no year long: its balance closes it all the same.
    const closes = this.forms.balanceEndsYear === true && this.forms.annualForm.test(form)
    const isKnown = [...years.keys()].some(end => Math.abs(end - balance) <= slackDays)
    if (closes && balance > 0 && !isKnown)
      this.add(this.annual, { start: addYears(balance, -1) + 1, end: balance })
    // A quarterly report without year-to-date periods is that of a first quarter.
    if (inferring && !sawYearToDate && quarter !== null && this.forms.quarterlyForm.test(form)) {
      this.add(this.inferred, { start: quarter.start, end: addYears(quarter.start, 1) - 1 })
    }
  }

  isAnnualReport(form: string): boolean {
    return this.forms.annualForm.test(form)
  }

  /** The fiscal year that a day belongs to. */
  yearOf(day: number): FiscalYear {
    const years = this.years()
    let last: FiscalYear | null = null
    for (const year of years) {
      if (day >= year.start && day <= year.end + slackDays) return year
      if (year.end < day) last = year
    }
    if (last !== null) return project(last, day)
    return project(years[0] ?? this.fallback ?? yearEndingOn('1231'), day)
  }

  private years(): FiscalYear[] {
    this.sorted ??= [...(this.annual.size > 0 ? this.annual : this.inferred).values()].sort(
      (a, b) => a.end - b.end,
    )
    return this.sorted
  }

  private add(to: Map<number, FiscalYear>, year: FiscalYear): void {
    const known = to.get(year.end)
    if (known !== undefined && known.start <= year.start) return
    to.set(year.end, year)
    this.sorted = null
  }
}

function yearEndingOn(monthDay: string): FiscalYear {
  const end = Date.UTC(2000, Number(monthDay.slice(0, 2)) - 1, Number(monthDay.slice(2))) / 86_400_000
  return { start: addYears(end, -1) + 1, end }
}

/** The year that holds `day` if the years around `known` are all as long as calendar years. */
function project(known: FiscalYear, day: number): FiscalYear {
  let years = Math.floor((day - slackDays - known.end) / 366)
  while (addYears(known.end, years) + slackDays < day) years++
  return { start: addYears(known.end, years - 1) + 1, end: addYears(known.end, years) }
}
