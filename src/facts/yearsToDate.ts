import { compareFilings } from './filings.ts'
import type { Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import { isOneAmount, type RoundingUnit } from './rounding.ts'

/**
 * One metric's year to date. Arrays are indexed by span: three, six, nine and twelve months from one start.
 */
export interface YearToDate {
  readonly metric: string
  readonly start: number
  readonly series: (Series | undefined)[]
  /**
   * The pairs whose differences are the second, third and fourth quarter. `pairAt` creates a pair when one of
   * its figures is first stated. In markets without quarterly reports, hardly any exist.
   */
  readonly quarterPairs: (Pair | undefined)[]
  /** For each span, the full year paired with the year to date. */
  readonly yearPairs: (Pair | undefined)[]
  /** For each span, the year to date paired with the previous year's. */
  readonly comparisons: (Pair | undefined)[]
  /** The spans that the day's filings have stated, one bit each; see `hasSpan`. */
  stated: number
  /** The stated spans whose tag ranks at least as high as the current figure's. */
  confirmed: number
  /** The last of the day's filings that stated a span, or null. */
  filing: Filing | null
}

/**
 * How often each of two cumulative figures was restated, as far as it decides whether they belong together.
 */
export interface Pair {
  readonly longer: Generation
  readonly shorter: Generation
}

interface Generation {
  value: number | null
  unit: string
  rounding: RoundingUnit
  restated: number
}

export type KnownSeries = Series & { readonly current: NonNullable<Series['current']> }

export const isKnown = (series: Series | undefined): series is KnownSeries =>
  series !== undefined && series.current !== null

const newGeneration = (): Generation => ({ value: null, unit: '', rounding: 1, restated: 0 })
const newPair = (): Pair => ({ longer: newGeneration(), shorter: newGeneration() })

export function pairAt(pairs: (Pair | undefined)[], span: number): Pair {
  const known = pairs[span]
  if (known !== undefined) return known
  const added = newPair()
  pairs[span] = added
  return added
}

export const hasSpan = (bits: number, span: number): boolean => (bits & (1 << span)) !== 0

const startSlackDays = 7

/** The years to date of an entity, by metric and start. */
export class YearsToDate {
  private readonly byMetric = new Map<string, YearToDate[]>()
  private changed: YearToDate[] = []
  /** Whether any filing has stated a part of a year. Until then only years can be derived. */
  hasParts = false

  /**
   * Notes a flow that a filing states, whether new, restated or confirmed. The same amount under a
   * lower-ranked tag confirms nothing: its difference with a figure restated since would belong to no
   * generation.
   */
  note(metric: string, series: Series, filing: Filing, { confirms }: { readonly confirms: boolean }): void {
    const { span, start } = series.period
    if (span === 0 || start === null) return
    const yearToDate = this.find(metric, start, startSlackDays) ?? this.add(metric, start)
    yearToDate.series[span] = series
    if (span !== 4) this.hasParts = true
    yearToDate.stated |= 1 << span
    if (confirms) yearToDate.confirmed |= 1 << span
    if (yearToDate.filing === null) this.changed.push(yearToDate)
    if (yearToDate.filing === null || compareFilings(yearToDate.filing, filing) < 0)
      yearToDate.filing = filing
  }

  find(metric: string, start: number, slack: number): YearToDate | undefined {
    const years = this.byMetric.get(metric)
    if (years === undefined) return undefined
    for (const candidate of years) if (Math.abs(candidate.start - start) <= slack) return candidate
    return undefined
  }

  /** The years to date about which the day's filings stated something. */
  get ofDay(): readonly YearToDate[] {
    return this.changed
  }

  endDay(): void {
    for (const yearToDate of this.changed) {
      yearToDate.stated = 0
      yearToDate.confirmed = 0
      yearToDate.filing = null
    }
    this.changed = []
  }

  private add(metric: string, start: number): YearToDate {
    const added: YearToDate = {
      metric,
      start,
      series: [],
      quarterPairs: [],
      yearPairs: [],
      comparisons: [],
      stated: 0,
      confirmed: 0,
      filing: null,
    }
    const ofMetric = this.byMetric.get(metric)
    if (ofMetric === undefined) this.byMetric.set(metric, [added])
    else ofMetric.push(added)
    return added
  }
}

/** Updates a pair with what the day's filings state about its two figures. */
export function followPair(
  pair: Pair,
  longer: { readonly series: Series | undefined; readonly isConfirmed: boolean },
  shorter: { readonly series: Series | undefined; readonly isConfirmed: boolean },
): void {
  countRestatement(pair.longer, longer.series)
  countRestatement(pair.shorter, shorter.series)
  // A statement on or after the day when the other figure was restated confirms this one for the other's
  // generation.
  if (longer.isConfirmed && isKnown(longer.series))
    pair.longer.restated = Math.max(pair.longer.restated, pair.shorter.restated)
  if (shorter.isConfirmed && isKnown(shorter.series))
    pair.shorter.restated = Math.max(pair.longer.restated, pair.shorter.restated)
}

function countRestatement(own: Generation, series: Series | undefined): void {
  const current = series?.current ?? null
  if (current === null || (own.value === current.value && own.unit === current.unit)) return
  const { value, unit, rounding } = own
  // The same amount with different rounding belongs to the same generation.
  if (value !== null && !isOneAmount({ value, unit, rounding }, current)) own.restated++
  own.value = current.value
  own.unit = current.unit
  own.rounding = current.rounding
}

/**
 * Whether both figures of a pair were restated equally often, or one was confirmed after the other was
 * restated.
 */
export const isOneGeneration = (pair: Pair): boolean => pair.longer.restated === pair.shorter.restated

/** Whether both figures of a pair were restated, or one was confirmed after the other was restated. */
export const wasRestated = (pair: Pair): boolean => Math.min(pair.longer.restated, pair.shorter.restated) > 0

/**
 * Adds signed amounts without the noise of binary fractions: no register reports more than four decimals of
 * money.
 */
export function sumOf(...amounts: readonly number[]): number {
  let exact = 0
  for (const amount of amounts) exact += amount
  return Number.isInteger(exact) || Math.abs(exact) > 1e11 ? exact : Math.round(exact * 1e4) / 1e4
}
