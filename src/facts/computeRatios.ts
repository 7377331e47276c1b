import type { Period, PeriodIndex, Series } from './periods.ts'
import { isRatio, type Ratio, ratios } from './ratioDefinitions.ts'
import type { Filing } from './reportedFact.ts'
import type { VintageBuilder } from './vintages.ts'

/** Computes the ratios of every day and fiscal period in which `filing` changed something, from the figures that are
 * current with that filing. */
export function updateRatios(periods: PeriodIndex, vintages: VintageBuilder, filing: Filing): void {
  for (const members of vintages.takeTouched()) {
    for (const ratio of ratios) updateRatio(ratio, members, periods, vintages, filing)
  }
  // Recording ratios touches the same groups; without this the next filing would compute them all again.
  vintages.takeTouched()
}

function updateRatio(
  ratio: Ratio,
  members: ReadonlyMap<string, Series>,
  periods: PeriodIndex,
  vintages: VintageBuilder,
  filing: Filing,
): void {
  const top = members.get(ratio.numerator)
  const bottom = members.get(ratio.denominator)
  if (top === undefined || bottom === undefined) return
  if (top.current === null || bottom.current === null || top.current.end !== bottom.current.end) {
    const stale = top.period.series.get(ratio.name)
    if (stale !== undefined) vintages.withdraw(stale, filing)
    return
  }
  if (ratio.yearOnly && top.current.fp !== 0) return
  const series = periods.seriesOf(top.period, ratio.name)
  // A zero has no sign: 0 / -5 is 0.
  const value = top.current.value / bottom.current.value + 0
  const isMixed = top.current.unit !== bottom.current.unit || top.basis !== bottom.basis
  if (!Number.isFinite(value) || isMixed) {
    vintages.withdraw(series, filing)
    return
  }
  vintages.record(series, { tag: null, unit: 'pure', value, start: top.period.start }, filing)
}

/** Ends the ratios that remain under a period's rounded end after its figures have moved to its exact days. */
export function withdrawStaleRatios(period: Period, vintages: VintageBuilder, filing: Filing): void {
  for (const series of period.series.values()) {
    if (isRatio(series.metric) && series.current?.end !== period.end) vintages.withdraw(series, filing)
  }
}
