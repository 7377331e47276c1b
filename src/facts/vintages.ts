import type { Period, Series } from './periods.ts'
import { isRatio } from './ratioTable.ts'
import type { FactRow, Filing, Statement } from './reportedFact.ts'

interface Figure {
  readonly tag: string | null
  readonly unit: string
  readonly value: number
  readonly start: number | null
}

/** The vintages of one entity in the making: rows are only ever added at the end, in the order of filings. */
export class Ledger {
  readonly facts: NonNullable<Series['current']>[] = []
  /** Current series by the day and fiscal period that ratios pair. */
  private readonly joined = new Map<number, Map<string, Series>>()
  private readonly touched = new Set<number>()

  /** Adds a vintage unless it repeats what is current. */
  record(series: Series, figure: Figure, filing: Filing): boolean {
    const { period, current } = series
    if (period.label === null) return false
    const same = current !== null && current.value === figure.value && current.unit === figure.unit
    if (same && current.end === period.end) return false
    const row: FactRow = {
      metric: series.metric,
      fp: period.label.fp,
      fy: period.label.fy,
      unit: figure.unit,
      tag: figure.tag,
      start: figure.start,
      end: period.end,
      rounded: period.rounded,
      value: figure.value,
      filing,
      superseded: null,
    }
    if (current !== null) {
      current.superseded = filing.filed
      if (current.end !== period.end) this.joined.get(joinKey(current))?.delete(series.metric)
    }
    series.current = row
    this.facts.push(row)
    const key = joinKey(row)
    let members = this.joined.get(key)
    if (members === undefined) {
      members = new Map()
      this.joined.set(key, members)
    }
    members.set(series.metric, series)
    this.touched.add(key)
    return true
  }

  /** A statement of a filing, as far as its tag may be believed over what is current. */
  recordStatement(
    series: Series,
    statement: Statement,
    { group, basis }: { readonly group: number; readonly basis: number },
    filing: Filing,
  ): boolean {
    const { tag, unit, value, rounded } = statement
    const { current } = series
    const isKnown = current !== null && current.value === value && current.unit === unit
    const groups = (isKnown ? series.groups : 0) | (1 << group)
    if (series.statedGroup !== null && group > series.statedGroup) {
      if (isKnown) series.groups = groups
      return false
    }
    series.statedGroup = group
    series.groups = groups
    series.basis = basis
    const start = rounded ? series.period.start : statement.start
    const added = this.record(series, { tag, unit, value, start }, filing)
    if (added && series.current !== null) series.current.rounded = rounded
    return added
  }

  /** Carries a period's figures over to its exact days, which `filing` was the first to name. They are vintages of
   * that day: until then nobody could know the days from what is on record. */
  redate(period: Period, filing: Filing): void {
    for (const series of period.series.values()) {
      const { current } = series
      if (current === null || current.end === period.end || isRatio(series.metric)) continue
      const { unit, value } = current
      this.record(series, { tag: null, unit, value, start: period.start }, filing)
    }
  }

  /** Ends a series whose inputs no longer give a figure; ratios of it end with it. */
  withdraw(series: Series, filing: Filing): void {
    if (series.current === null) return
    series.current.superseded = filing.filed
    this.touched.add(joinKey(series.current))
    series.current = null
  }

  /** The groups of series, by day and fiscal period, in which something changed since the last call. */
  takeTouched(): Map<string, Series>[] {
    const groups: Map<string, Series>[] = []
    for (const key of this.touched) {
      const members = this.joined.get(key)
      if (members !== undefined) groups.push(members)
    }
    this.touched.clear()
    return groups
  }
}

const joinKey = (row: { end: number; fp: number }) => row.end * 8 + row.fp

/** True once a filing has stated the figure itself: from then on it is not derived any more. */
export const isStated = (series: Series): boolean => series.statedGroup !== null
