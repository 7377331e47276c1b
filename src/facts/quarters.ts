import { type FiscalPeriod, weakestCheck } from './factRow.ts'
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

/**
 * Derives, at the end of a day, the single quarters that filings leave out: Q2 = H1 - Q1, Q3 = 9M - H1, Q4 =
 * FY - 9M. Returns the figures that the day's filings reported for those quarters under lower-ranked tags and
 * that the derived ones replace.
 */
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
      // Two years to date with different starts may end on one day. The first gives the quarter, because a
      // derived figure has one vintage a day.
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
  /** Whether both figures belong to a later generation than the last statement of the quarter itself. */
  readonly isRestated: boolean
  readonly start: number
  readonly filing: Filing
}

/** The two figures whose difference is a quarter, if both are known and a filing stated one of them today. */
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
  // A quarter reported under an equally good tag needs no difference, unless the year to date under its own
  // tag was restated since.
  const isStated = quarter.reportedGroup !== null && (groups === 0 || quarter.reportedGroup <= group)
  if (isStated && !(isRestated && quarter.reportedGroup === group)) return []
  // A year of the group minus nine months of the company alone is a quarter of neither. Likewise, a year's profit of
  // the owners cannot be compared with nine months' profit of the whole company. The difference of two very large
  // amounts may not be finite.
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
  const check = weakestCheck([longer.current.check, shorter.current.check])
  return vintages.recordDerived(quarter, group, { tag: null, unit, value, start, inputs, check }, filing)
}

const lowestBit = (bits: number) => 31 - Math.clz32(bits & -bits)
