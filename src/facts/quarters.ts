import type { FiscalPeriod } from './factRow.ts'
import type { PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import { isReported, type VintageBuilder } from './vintages.ts'

/** One metric's year to date, indexed by span: after three, six, nine and twelve months from one start. */
interface YearToDate {
  readonly start: number
  readonly series: (Series | undefined)[]
  changed: boolean
}

const startSlackDays = 7

/** Derives the single quarters that filings leave out: Q2 = H1 - Q1, Q3 = 9M - H1, Q4 = FY - 9M. */
export class SingleQuarters {
  private readonly byMetric = new Map<string, YearToDate[]>()
  private changed: { metric: string; yearToDate: YearToDate }[] = []

  /** Notes a flow whose vintage has just changed. */
  note(metric: string, series: Series): void {
    const { span, start } = series.period
    if (span === 0 || start === null) return
    let ofMetric = this.byMetric.get(metric)
    if (ofMetric === undefined) {
      ofMetric = []
      this.byMetric.set(metric, ofMetric)
    }
    let yearToDate = ofMetric.find(candidate => Math.abs(candidate.start - start) <= startSlackDays)
    if (yearToDate === undefined) {
      yearToDate = { start, series: [], changed: false }
      ofMetric.push(yearToDate)
    }
    yearToDate.series[span] = series
    if (yearToDate.changed) return
    yearToDate.changed = true
    this.changed.push({ metric, yearToDate })
  }

  /** Derives what the figures noted since the last call allow, filed with `filing`, the later of the inputs. */
  update(periods: PeriodIndex, vintages: VintageBuilder, filing: Filing): void {
    for (const { metric, yearToDate } of this.changed) {
      yearToDate.changed = false
      for (const fp of [2, 3, 4] as const) updateQuarter(metric, yearToDate, fp, periods, vintages, filing)
    }
    this.changed = []
  }
}

function updateQuarter(
  metric: string,
  { series: bySpan }: YearToDate,
  fp: Extract<FiscalPeriod, 2 | 3 | 4>,
  periods: PeriodIndex,
  vintages: VintageBuilder,
  filing: Filing,
): void {
  const longer = bySpan[fp]
  const shorter = bySpan[fp - 1]
  if (!longer?.current || !shorter?.current) return
  if (longer.current.unit !== shorter.current.unit || longer.period.label === null) return
  const days = longer.period.end - shorter.period.end
  if (days < 75 || days > 125) return
  const start = shorter.period.end + 1
  const quarter = periods.quarter(start, longer.period.end, longer.period.rounded || shorter.period.rounded)
  quarter.label ??= { fy: longer.period.label.fy, fp }
  const series = periods.seriesOf(quarter, metric)
  // Two years to date may end on one day, each from a start of its own. The first gives the quarter, for one filing
  // reports a figure once.
  if (isReported(series) || series.current?.filing === filing) return
  const value = difference(longer.current.value, shorter.current.value)
  // The group's year less nine months of the company alone is no quarter of either. Nor is the owners' profit of a year less
  // the whole company's of nine months. Two amounts beyond all bounds have a difference that is not finite.
  const isMixed = longer.basis !== shorter.basis || (longer.groups & shorter.groups) === 0
  if (isMixed || !Number.isFinite(value)) {
    vintages.withdraw(series, filing)
    return
  }
  series.basis = longer.basis
  vintages.record(series, { tag: null, unit: longer.current.unit, value, start }, filing)
}

/** Without the noise that binary fractions leave: no register reports more than four decimals of money. */
function difference(longer: number, shorter: number): number {
  const exact = longer - shorter
  return Number.isInteger(exact) || Math.abs(exact) > 1e11 ? exact : Math.round(exact * 1e4) / 1e4
}
