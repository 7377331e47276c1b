import type { Period, PeriodBook, Series } from './periods.ts'
import { isRatio, type Ratio, ratios } from './ratioTable.ts'
import type { Filing } from './reportedFact.ts'
import type { Ledger } from './vintages.ts'

/** Computes, for every day and fiscal period in which a filing changed something, the ratios of the figures
 * that are current with that filing. */
export function settleRatios(book: PeriodBook, ledger: Ledger, filing: Filing): void {
  for (const members of ledger.takeTouched()) {
    for (const entry of ratios) settleRatio(entry, members, book, ledger, filing)
  }
  ledger.takeTouched()
}

function settleRatio(
  entry: Ratio,
  members: ReadonlyMap<string, Series>,
  book: PeriodBook,
  ledger: Ledger,
  filing: Filing,
): void {
  const top = members.get(entry.numerator)
  const bottom = members.get(entry.denominator)
  if (top === undefined || bottom === undefined) return
  if (top.current === null || bottom.current === null || top.current.end !== bottom.current.end) {
    const stale = top.period.series.get(entry.name)
    if (stale !== undefined) ledger.withdraw(stale, filing)
    return
  }
  if (entry.yearOnly && top.current.fp !== 0) return
  const series = book.seriesOf(top.period, entry.name)
  // A zero has no sign: 0 / -5 is 0.
  const value = top.current.value / bottom.current.value + 0
  const isMixed = top.current.unit !== bottom.current.unit || top.basis !== bottom.basis
  if (!Number.isFinite(value) || isMixed) {
    ledger.withdraw(series, filing)
    return
  }
  ledger.record(series, { tag: null, unit: 'pure', value, start: top.period.start }, filing)
}

/** Ends the ratios that stand under a period's rounded end after its figures have moved to its exact days. */
export function withdrawStaleRatios(period: Period, ledger: Ledger, filing: Filing): void {
  for (const series of period.series.values()) {
    if (isRatio(series.metric) && series.current?.end !== period.end) ledger.withdraw(series, filing)
  }
}
