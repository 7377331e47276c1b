import type { FiscalPeriod } from './factRow.ts'
import { compareFilings } from './filings.ts'
import type { PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import type { ReportedToday, VintageBuilder } from './vintages.ts'

/** One metric's year to date. Arrays are indexed by span: after three, six, nine and twelve months from one start. */
interface YearToDate {
  readonly start: number
  readonly series: (Series | undefined)[]
  /** The pairs whose differences are the second, third and fourth quarter. */
  readonly pairs: readonly (Pair | null)[]
  /** The spans that filings of the day have stated. */
  readonly stated: Set<number>
  /** The last filing of the day that stated one of them; null: none has. */
  filing: Filing | null
}

/** How often each of two cumulative figures was restated, as far as that decides whether they belong together. */
interface Pair {
  readonly longer: Generation
  readonly shorter: Generation
}

export interface Generation {
  value: number | null
  unit: string
  restated: number
}

const newGeneration = (): Generation => ({ value: null, unit: '', restated: 0 })
const newPair = (): Pair => ({ longer: newGeneration(), shorter: newGeneration() })

const startSlackDays = 7

/** Derives the single quarters that filings leave out: Q2 = H1 - Q1, Q3 = 9M - H1, Q4 = FY - 9M. */
export class SingleQuarters {
  private readonly byMetric = new Map<string, YearToDate[]>()
  private changed: { metric: string; yearToDate: YearToDate }[] = []

  /** Notes a flow that a filing states, new, restated or confirmed. */
  note(metric: string, series: Series, filing: Filing): void {
    const { span, start } = series.period
    if (span === 0 || start === null) return
    let ofMetric = this.byMetric.get(metric)
    if (ofMetric === undefined) {
      ofMetric = []
      this.byMetric.set(metric, ofMetric)
    }
    let yearToDate = ofMetric.find(candidate => Math.abs(candidate.start - start) <= startSlackDays)
    if (yearToDate === undefined) {
      const pairs = [null, null, newPair(), newPair(), newPair()]
      yearToDate = { start, series: [], pairs, stated: new Set(), filing: null }
      ofMetric.push(yearToDate)
    }
    yearToDate.series[span] = series
    yearToDate.stated.add(span)
    if (yearToDate.filing === null) this.changed.push({ metric, yearToDate })
    if (yearToDate.filing === null || compareFilings(yearToDate.filing, filing) < 0)
      yearToDate.filing = filing
  }

  /** Derives, at the end of a day, what the figures noted on it allow. Returns what that day's filings reported under lesser
   * tags for the same quarters. */
  update(periods: PeriodIndex, vintages: VintageBuilder): readonly ReportedToday[] {
    const outdone: ReportedToday[] = []
    const derivedToday = new Set<Series>()
    for (const { metric, yearToDate } of this.changed) {
      for (const fp of [2, 3, 4] as const) {
        const series = pairOf(yearToDate, fp, periods, metric)
        // Two years to date may end on one day, each from a start of its own. The first gives the quarter: a derived
        // figure has one vintage a day.
        if (series === null || derivedToday.has(series.quarter)) continue
        derivedToday.add(series.quarter)
        outdone.push(...updateQuarter(series, vintages))
      }
      yearToDate.stated.clear()
      yearToDate.filing = null
    }
    this.changed = []
    return outdone
  }
}

interface QuarterPair {
  readonly quarter: Series
  readonly longer: Series & { current: NonNullable<Series['current']> }
  readonly shorter: Series & { current: NonNullable<Series['current']> }
  readonly isOneGeneration: boolean
  readonly start: number
  readonly filing: Filing
}

/** The two figures whose difference is a quarter, if they are known and something was stated of one of them today. */
function pairOf(
  { series: bySpan, pairs, stated, filing }: YearToDate,
  fp: Extract<FiscalPeriod, 2 | 3 | 4>,
  periods: PeriodIndex,
  metric: string,
): QuarterPair | null {
  const longer = bySpan[fp]
  const shorter = bySpan[fp - 1]
  const pair = pairs[fp]
  if (filing === null || pair === null || !(stated.has(fp) || stated.has(fp - 1))) return null
  follow(pair.longer, longer, stated.has(fp), pair.shorter)
  follow(pair.shorter, shorter, stated.has(fp - 1), pair.longer)
  // The second may have gained a restatement that the first confirms on the same day.
  if (stated.has(fp)) pair.longer.restated = Math.max(pair.longer.restated, pair.shorter.restated)
  if (!hasCurrent(longer) || !hasCurrent(shorter)) return null
  if (longer.current.unit !== shorter.current.unit || longer.period.label === null) return null
  const days = longer.period.end - shorter.period.end
  if (days < 75 || days > 125) return null
  const start = shorter.period.end + 1
  const quarter = periods.quarter(start, longer.period.end, longer.period.rounded || shorter.period.rounded)
  quarter.label ??= { fy: longer.period.label.fy, fp }
  const isOneGeneration = pair.longer.restated === pair.shorter.restated
  return { quarter: periods.seriesOf(quarter, metric), longer, shorter, isOneGeneration, start, filing }
}

const hasCurrent = (
  series: Series | undefined,
): series is Series & { current: NonNullable<Series['current']> } =>
  series !== undefined && series.current !== null

/** Takes in what today's filings state of one figure of a pair. A change counts as a restatement. A statement of the same
 * value, on or after the day on which the other was restated, confirms the figure for the other's generation. */
export function follow(
  own: Generation,
  series: Series | undefined,
  isStated: boolean,
  other: Generation,
): void {
  const current = series?.current ?? null
  if (current === null) return
  const isChanged = own.value !== current.value || own.unit !== current.unit
  if (isChanged && own.value !== null) own.restated++
  own.value = current.value
  own.unit = current.unit
  if (isStated) own.restated = Math.max(own.restated, other.restated)
}

function updateQuarter(
  { quarter, longer, shorter, isOneGeneration, start, filing }: QuarterPair,
  vintages: VintageBuilder,
): readonly ReportedToday[] {
  const value = difference(longer.current.value, shorter.current.value)
  const groups = longer.groups & shorter.groups
  const bases = longer.bases & shorter.bases
  const group = lowestBit(groups)
  // The figure that a filing states under as good a tag needs no difference.
  if (quarter.reportedGroup !== null && (groups === 0 || quarter.reportedGroup <= group)) return []
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
  return vintages.recordDerived(
    quarter,
    group,
    { tag: null, unit: longer.current.unit, value, start, inputs },
    filing,
  )
}

const lowestBit = (bits: number) => 31 - Math.clz32(bits & -bits)

/** Without the noise that binary fractions leave: no register reports more than four decimals of money. */
export function difference(longer: number, shorter: number): number {
  const exact = longer - shorter
  return Number.isInteger(exact) || Math.abs(exact) > 1e11 ? exact : Math.round(exact * 1e4) / 1e4
}
