import { type RatioMetric, ratioMetrics } from '../markets/metrics.ts'
import { weakestCheck } from './factRow.ts'
import { compareFilings } from './filings.ts'
import type { Period, PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import { trailingMetric } from './spans.ts'
import { isRatio, ratioKey, type VintageBuilder } from './vintages.ts'

/**
 * Recomputes the ratios of every period that the day's filings changed, from the figures current at the end
 * of that day.
 */
export function updateRatios(periods: PeriodIndex, vintages: VintageBuilder): void {
  const groups = new Map<number, Filing>()
  for (const { key, filing } of vintages.takeTouched()) {
    note(groups, key, filing)
    // A quarter's balance is also the denominator of the trailing twelve months that end with it.
    const trailing = ratioKey({ end: Math.floor(key / 8), fp: 5 })
    if (vintages.groupOf(trailing) !== undefined) note(groups, trailing, filing)
  }
  for (const [key, filing] of groups) {
    const inputs = key % 8 === 5 ? trailingInputs(vintages, key) : yearlyInputs(vintages, key)
    for (const ratio of ratioMetrics) updateRatio(ratio, inputs, periods, vintages, filing)
  }
  // Recording ratios marks the same groups as touched; without this call the next day would recompute them
  // all.
  vintages.takeTouched()
}

function note(groups: Map<number, Filing>, key: number, filing: Filing): void {
  const known = groups.get(key)
  if (known === undefined || compareFilings(known, filing) < 0) groups.set(key, filing)
}

interface Inputs {
  readonly top: (metric: string) => Series | undefined
  readonly bottom: (metric: string) => Series | undefined
  readonly name: (ratio: string) => string
}

export function yearlyInputs(vintages: VintageBuilder, key: number): Inputs {
  const members = vintages.groupOf(key)
  const find = (metric: string) => members?.get(metric)
  return { top: find, bottom: find, name: ratio => ratio }
}

/**
 * Flows of the trailing twelve months, divided by other such flows or by the balance of their last quarter.
 */
export function trailingInputs(vintages: VintageBuilder, key: number): Inputs {
  const members = vintages.groupOf(key)
  const top = (metric: string) => members?.get(trailingMetric(metric))
  const balances = [1, 2, 3, 4, 0].flatMap(fp => vintages.groupOf(key - 5 + fp) ?? [])
  const balance = (metric: string) =>
    balances
      .map(group => group.get(metric))
      .find(series => series !== undefined && series.current !== null && series.period.span === 0)
  return { top, bottom: metric => top(metric) ?? balance(metric), name: trailingMetric }
}

function updateRatio(
  { name: metric, components: [numerator, denominator], yearOnly }: RatioMetric,
  { top: findTop, bottom: findBottom, name }: Inputs,
  periods: PeriodIndex,
  vintages: VintageBuilder,
  filing: Filing,
): void {
  const top = findTop(numerator)
  if (top === undefined) return
  const bottom = findBottom(denominator)
  if (!bottom?.current || top.current === null || top.current.end !== bottom.current.end) {
    const stale = top.period.series.get(name(metric))
    if (stale !== undefined) vintages.withdraw(stale, filing)
    return
  }
  if (yearOnly && top.current.fp !== 0 && top.current.fp !== 5) return
  const series = periods.seriesOf(top.period, name(metric))
  // Adding 0 turns -0 into 0: 0 / -5 is 0.
  const value = top.current.value / bottom.current.value + 0
  const isMixed = top.current.unit !== bottom.current.unit || (top.bases & bottom.bases) === 0
  if (!Number.isFinite(value) || isMixed) {
    vintages.withdraw(series, filing)
    return
  }
  const inputs = [top.current.filing, bottom.current.filing]
  const earlierSince = earliestMark(top.current.earlierSince, bottom.current.earlierSince)
  const check = weakestCheck([top.current.check, bottom.current.check])
  const figure = { tag: null, unit: 'pure', value, start: top.period.start, inputs, earlierSince, check }
  vintages.record(series, figure, laterOfDay(top.current.filing, bottom.current.filing, filing))
}

export const earliestMark = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/**
 * Returns the later filing of two inputs. If both were filed on earlier days and only their comparability changed,
 * returns the filing that changed it, because no figure may be dated before it could be known.
 */
export function laterOfDay(a: Filing, b: Filing, changedBy: Filing): Filing {
  const later = compareFilings(a, b) < 0 ? b : a
  return later.filed === changedBy.filed ? later : changedBy
}

/** Ends the ratios left under a period's rounded end after its figures have moved to its exact days. */
export function withdrawStaleRatios(period: Period, vintages: VintageBuilder, filing: Filing): void {
  for (const series of period.series.values()) {
    if (isRatio(series.metric) && series.current?.end !== period.end) vintages.withdraw(series, filing)
  }
}
