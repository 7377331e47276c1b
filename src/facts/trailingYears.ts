import type { CheckState } from '../markets/checkStates.ts'
import { weakestCheck } from './factRow.ts'
import { compareFilings } from './filings.ts'
import type { Period, PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import { spanOf, trailingMetric } from './spans.ts'
import type { VintageBuilder } from './vintages.ts'
import {
  followPair,
  hasSpan,
  isKnown,
  isOneGeneration,
  type KnownSeries,
  pairAt,
  sumOf,
  type YearsToDate,
  type YearToDate,
} from './yearsToDate.ts'

const spans = [1, 2, 3] as const
type PartOfYear = (typeof spans)[number]

/** Tolerance in days when matching adjacent fiscal years. */
const slackDays = 10

/**
 * Derives the trailing twelve months at the end of each first, second and third quarter: the previous full
 * year, plus the year to date, minus the same months of the previous year. At the end of a year they equal
 * the year itself, which needs no row. All three must be of one generation; otherwise there is no row.
 */
export class TrailingYears {
  private readonly periods = new Map<number, Period>()
  /** The year to date from which a series was last derived: two may end on one day. */
  private readonly source = new Map<Series, YearToDate>()

  /** Derives trailing twelve months, at the end of a day, from what the day's filings stated. */
  update(years: YearsToDate, periods: PeriodIndex, vintages: VintageBuilder): void {
    for (const year of years.ofDay) followYear(year)
    if (!years.hasParts) return
    const affected = new Set<YearToDate>()
    for (const year of years.ofDay) {
      affected.add(year)
      const next = years.find(year.metric, year.start + 365, slackDays)
      if (next !== undefined) affected.add(next)
    }
    const derivedToday = new Set<Series>()
    for (const year of affected) {
      const before = years.find(year.metric, year.start - 365, slackDays)
      if (before === undefined) continue
      const filing = later(year.filing, before.filing)
      if (filing === null) continue
      for (const span of spans) {
        const series = this.updateOne(year, before, span, { periods, vintages, filing, derivedToday })
        if (series !== null) derivedToday.add(series)
      }
    }
  }

  private updateOne(
    year: YearToDate,
    before: YearToDate,
    span: PartOfYear,
    { periods, vintages, filing, derivedToday }: Context,
  ): Series | null {
    const current = year.series[span]
    const prior = before.series[span]
    if (!(hasSpan(year.stated | before.stated, span) || hasSpan(before.stated, 4))) return null
    followPair(
      pairAt(year.comparisons, span),
      { series: current, isConfirmed: hasSpan(year.confirmed, span) },
      { series: prior, isConfirmed: hasSpan(before.confirmed, span) },
    )
    if (!isKnown(current) || current.period.label === null) return null
    const series = periods.seriesOf(this.periodAt(current.period), trailingMetric(year.metric))
    if (derivedToday.has(series)) return null
    const trailing = trailingOf(year, before, span)
    if (trailing === null) {
      if (this.source.get(series) === year) vintages.withdraw(series, filing)
      return series
    }
    series.bases = trailing.bases
    series.derivedGroup = 0
    series.period.start = trailing.start
    this.source.set(series, year)
    vintages.record(series, { tag: null, ...trailing }, filing)
    return series
  }

  private periodAt({ end, rounded, label }: Period): Period {
    const known = this.periods.get(end)
    if (known !== undefined) return known
    const fy = label?.fy ?? 0
    const added: Period = { span: 4, start: null, end, rounded, label: { fy, fp: 5 }, series: new Map() }
    this.periods.set(end, added)
    return added
  }
}

interface Context {
  readonly periods: PeriodIndex
  readonly vintages: VintageBuilder
  readonly filing: Filing
  readonly derivedToday: ReadonlySet<Series>
}

/** Notes what the day's filings state about a year and about the parts that may be subtracted from it. */
function followYear({ series, yearPairs, confirmed }: YearToDate): void {
  for (const span of spans)
    followPair(
      pairAt(yearPairs, span),
      { series: series[4], isConfirmed: hasSpan(confirmed, 4) },
      { series: series[span], isConfirmed: hasSpan(confirmed, span) },
    )
}

function later(a: Filing | null, b: Filing | null): Filing | null {
  if (a === null || b === null) return a ?? b
  return compareFilings(a, b) < 0 ? b : a
}

interface Trailing {
  readonly value: number
  readonly unit: string
  readonly start: number
  readonly bases: number
  readonly inputs: readonly Filing[]
  readonly check: CheckState
}

/** Returns null if a part is unknown or the parts do not belong together. */
function trailingOf(year: YearToDate, before: YearToDate, span: PartOfYear): Trailing | null {
  const [current, full, prior] = [year.series[span], before.series[4], before.series[span]]
  const [comparison, yearPair] = [year.comparisons[span], before.yearPairs[span]]
  if (!isKnown(current) || !isKnown(full) || !isKnown(prior)) return null
  if (comparison === undefined || yearPair === undefined) return null
  if (!isOneGeneration(comparison) || !isOneGeneration(yearPair)) return null
  const parts: readonly KnownSeries[] = [current, full, prior]
  const unit = current.current.unit
  if (parts.some(part => part.current.unit !== unit)) return null
  const groups = current.groups & full.groups & prior.groups
  const bases = current.bases & full.bases & prior.bases
  const value = sumOf(full.current.value, current.current.value, -prior.current.value)
  if (groups === 0 || bases === 0 || !Number.isFinite(value)) return null
  const start = prior.period.end + 1
  const isContiguous = Math.abs(full.period.end + 1 - year.start) <= slackDays
  if (!isContiguous || spanOf(start, current.period.end) !== 4) return null
  const check = weakestCheck(parts.map(part => part.current.check))
  return { value, unit, start, bases, inputs: parts.map(part => part.current.filing), check }
}
