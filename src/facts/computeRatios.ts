import { compareFilings } from './filings.ts'
import type { Period, PeriodIndex, Series } from './periods.ts'
import { isRatio, type Ratio, ratios } from './ratioDefinitions.ts'
import type { Filing } from './reportedFact.ts'
import type { VintageBuilder } from './vintages.ts'

/** Computes the ratios of every period in which the filings of a day changed something, from the figures that are current at
 * the end of that day. */
export function updateRatios(periods: PeriodIndex, vintages: VintageBuilder): void {
  for (const { members, filing } of vintages.takeTouched()) {
    for (const ratio of ratios) updateRatio(ratio, members, periods, vintages, filing)
  }
  // Recording ratios touches the same groups; without this the next day would compute them all again.
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
  const isMixed = top.current.unit !== bottom.current.unit || (top.bases & bottom.bases) === 0
  if (!Number.isFinite(value) || isMixed) {
    vintages.withdraw(series, filing)
    return
  }
  const inputs = [top.current.filing, bottom.current.filing]
  const earlierSince = earliest(top.current.earlierSince, bottom.current.earlierSince)
  const figure = { tag: null, unit: 'pure', value, start: top.period.start, inputs, earlierSince }
  vintages.record(series, figure, laterOfDay(top.current.filing, bottom.current.filing, filing))
}

const earliest = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** The later filing of the two inputs. If both are of earlier days (only their comparability changed), the filing that
 * changed it: a ratio must not be filed before it could be known. */
function laterOfDay(a: Filing, b: Filing, changedBy: Filing): Filing {
  const later = compareFilings(a, b) < 0 ? b : a
  return later.filed === changedBy.filed ? later : changedBy
}

/** Ends the ratios that remain under a period's rounded end after its figures have moved to its exact days. */
export function withdrawStaleRatios(period: Period, vintages: VintageBuilder, filing: Filing): void {
  for (const series of period.series.values()) {
    if (isRatio(series.metric) && series.current?.end !== period.end) vintages.withdraw(series, filing)
  }
}
