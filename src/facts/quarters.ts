import type { FiscalPeriod } from './factRow.ts'
import type { PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import type { ReportedToday, VintageBuilder } from './vintages.ts'
import {
  followPair,
  hasSpan,
  isKnown,
  isOneGeneration,
  type KnownSeries,
  pairAt,
  sumOf,
  wasRestated,
  type YearsToDate,
  type YearToDate,
} from './yearsToDate.ts'

/** Derives, at the end of a day, the single quarters that filings leave out: Q2 = H1 - Q1, Q3 = 9M - H1, Q4 = FY - 9M. Returns
 * what that day's filings reported under lesser tags for the same quarters. */
export function updateQuarters(
  years: YearsToDate,
  periods: PeriodIndex,
  vintages: VintageBuilder,
): readonly ReportedToday[] {
  const outdone: ReportedToday[] = []
  const derivedToday = new Set<Series>()
  for (const yearToDate of years.ofDay) {
    for (const fp of [2, 3, 4] as const) {
      const pair = pairOf(yearToDate, fp, periods)
      // Two years to date may end on one day, each from a start of its own. The first gives the quarter: a derived figure
      // has one vintage a day.
      if (pair === null || derivedToday.has(pair.quarter)) continue
      derivedToday.add(pair.quarter)
      outdone.push(...updateQuarter(pair, vintages))
    }
  }
  return outdone
}

interface QuarterPair {
  readonly quarter: Series
  readonly longer: KnownSeries
  readonly shorter: KnownSeries
  readonly isOneGeneration: boolean
  /** Both figures are of a generation that the last statement of the quarter itself could not know. */
  readonly isRestated: boolean
  readonly start: number
  readonly filing: Filing
}

/** The two figures whose difference is a quarter, if they are known and something was stated of one of them today. */
function pairOf(
  { metric, series: bySpan, quarterPairs, stated, confirmed, filing }: YearToDate,
  fp: Extract<FiscalPeriod, 2 | 3 | 4>,
  periods: PeriodIndex,
): QuarterPair | null {
  const longer = bySpan[fp]
  const shorter = bySpan[fp - 1]
  if (filing === null || !(hasSpan(stated, fp) || hasSpan(stated, fp - 1))) return null
  const pair = pairAt(quarterPairs, fp)
  followPair(
    pair,
    { series: longer, isConfirmed: hasSpan(confirmed, fp) },
    { series: shorter, isConfirmed: hasSpan(confirmed, fp - 1) },
  )
  if (!isKnown(longer) || !isKnown(shorter)) return null
  if (longer.current.unit !== shorter.current.unit || longer.period.label === null) return null
  const days = longer.period.end - shorter.period.end
  if (days < 75 || days > 125) return null
  const start = shorter.period.end + 1
  const quarter = periods.quarter(start, longer.period.end, longer.period.rounded || shorter.period.rounded)
  quarter.label ??= { fy: longer.period.label.fy, fp }
  const series = periods.seriesOf(quarter, metric)
  const newest = Math.max(longer.current.filing.filed, shorter.current.filing.filed)
  const isRestated = wasRestated(pair) && newest > series.reportedOn
  return {
    quarter: series,
    longer,
    shorter,
    isOneGeneration: isOneGeneration(pair),
    isRestated,
    start,
    filing,
  }
}

function updateQuarter(
  { quarter, longer, shorter, isOneGeneration, isRestated, start, filing }: QuarterPair,
  vintages: VintageBuilder,
): readonly ReportedToday[] {
  const value = sumOf(longer.current.value, -shorter.current.value)
  const groups = longer.groups & shorter.groups
  const bases = longer.bases & shorter.bases
  const group = lowestBit(groups)
  // The figure that a filing states under as good a tag needs no difference, unless its own tag's year to date was restated since.
  const isStated = quarter.reportedGroup !== null && (groups === 0 || quarter.reportedGroup <= group)
  if (isStated && !(isRestated && quarter.reportedGroup === group)) return []
  // The group's year less nine months of the company alone is no quarter of either. Nor is the owners' profit of a year less
  // the whole company's of nine months. Two amounts beyond all bounds have a difference that is not finite.
  if (groups === 0 || bases === 0 || !Number.isFinite(value)) {
    if (quarter.reportedGroup === null) vintages.withdraw(quarter, filing)
    return []
  }
  if (!isOneGeneration) {
    if (quarter.reportedGroup === null) vintages.markEarlier(quarter, filing)
    return []
  }
  quarter.bases = bases
  const inputs = [longer.current.filing, shorter.current.filing]
  const { unit } = longer.current
  return vintages.recordDerived(quarter, group, { tag: null, unit, value, start, inputs }, filing)
}

const lowestBit = (bits: number) => 31 - Math.clz32(bits & -bits)
