import { laterOfDay } from './computeRatios.ts'
import type { CoverCounts } from './coverCounts.ts'
import { weakestCheck } from './factRow.ts'
import { compareFilings } from './filings.ts'
import type { PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import type { VintageBuilder } from './vintages.ts'
import { isKnown } from './yearsToDate.ts'

const countMetric = 'shares_outstanding'
const metric = 'book_value_per_share'

interface Tools {
  readonly counts: CoverCounts
  readonly periods: PeriodIndex
  readonly vintages: VintageBuilder
}

/**
 * Divides equity by the share count served for the same fiscal period. A cover count is dated weeks after the
 * balance sheet, so unlike other computed figures this one pairs two different days.
 */
export class BookValues {
  private readonly equities = new Map<number, Set<Series>>()

  /** Computes, at the end of a day, the figures of fiscal periods whose equity or share count changed. */
  update(tools: Tools): void {
    const { counts, vintages } = tools
    const affected = new Map<number, Filing>()
    const note = (series: Series | undefined, filing: Filing) => {
      const label = labelOf(series)
      if (series === undefined || label === null) return
      if (series.metric === 'equity') this.add(label, series)
      const known = affected.get(label)
      if (known === undefined || compareFilings(known, filing) < 0) affected.set(label, filing)
    }
    for (const { key, filing } of vintages.touchedGroups()) {
      const members = vintages.groupOf(key)
      note(members?.get('equity'), filing)
      note(members?.get(countMetric), filing)
    }
    for (const [series, filing] of counts.takeStated()) note(series, filing)
    for (const [label, filing] of affected) {
      for (const equity of this.equities.get(label) ?? []) updateOne(equity, filing, tools)
    }
  }

  private add(label: number, series: Series): void {
    const known = this.equities.get(label)
    if (known === undefined) this.equities.set(label, new Set([series]))
    else known.add(series)
  }
}

const labelOf = (series: Series | undefined): number | null => {
  const label = series?.period.label ?? null
  return label === null ? null : label.fy * 8 + label.fp
}

function updateOne(equity: Series, filing: Filing, { counts, periods, vintages }: Tools): void {
  const known = equity.period.series.get(metric)
  const count = counts.countFor(equity, countMetric)
  const shares = count?.series
  const isPair = isKnown(equity) && count !== null && isKnown(shares) && (equity.bases & shares.bases) !== 0
  const value = isPair ? equity.current.value / shares.current.value + 0 : Number.NaN
  if (!isPair || !Number.isFinite(value)) {
    if (known !== undefined) vintages.withdraw(known, filing)
    return
  }
  const { current } = equity
  // If equity was restated after the count was last stated, a split may lie between the two, so they do not
  // match.
  if (count.statedOn < current.since) {
    if (isKnown(known)) vintages.markEarlier(known, filing)
    return
  }
  const series = known ?? periods.seriesOf(equity.period, metric)
  series.bases = equity.bases & shares.bases
  const inputs = [current.filing, shares.current.filing]
  const filed = laterOfDay(current.filing, shares.current.filing, filing)
  const check = weakestCheck([current.check, shares.current.check])
  const unit = `${current.unit}/shares`
  vintages.record(series, { tag: null, unit, value, start: null, inputs, check }, filed)
}
