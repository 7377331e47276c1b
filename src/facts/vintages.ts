import type { FactRow } from './factRow.ts'
import type { Period, Series } from './periods.ts'
import { isRatio } from './ratioDefinitions.ts'
import type { Filing, ReportedFact } from './reportedFact.ts'

interface Figure {
  readonly tag: string | null
  readonly unit: string
  readonly value: number
  readonly start: number | null
}

/** Builds the vintages of one entity: rows are only ever added at the end, in the order of filings. */
export class VintageBuilder {
  readonly facts: NonNullable<Series['current']>[] = []
  /** Current series by `ratioKey`: the day and fiscal period in which ratios pair them. */
  private readonly groups = new Map<number, Map<string, Series>>()
  private readonly touched = new Set<number>()

  /** Adds a vintage unless it repeats the current one. */
  record(series: Series, figure: Figure, filing: Filing): boolean {
    const { period, current } = series
    if (period.label === null) return false
    const isSame = current !== null && current.value === figure.value && current.unit === figure.unit
    if (isSame && current.end === period.end) return false
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
      if (current.end !== period.end) this.groups.get(ratioKey(current))?.delete(series.metric)
    }
    series.current = row
    this.facts.push(row)
    const key = ratioKey(row)
    let group = this.groups.get(key)
    if (group === undefined) {
      group = new Map()
      this.groups.set(key, group)
    }
    group.set(series.metric, series)
    this.touched.add(key)
    return true
  }

  /** Adds a vintage that a filing reports, unless its tag is of a lesser group than the current figure's. */
  recordReported(
    series: Series,
    reported: ReportedFact,
    { group, basis }: { readonly group: number; readonly basis: number },
    filing: Filing,
  ): boolean {
    const { tag, unit, value, rounded } = reported
    const { current } = series
    const isKnown = current !== null && current.value === value && current.unit === unit
    const groups = (isKnown ? series.groups : 0) | (1 << group)
    if (series.reportedGroup !== null && group > series.reportedGroup) {
      if (isKnown) series.groups = groups
      return false
    }
    series.reportedGroup = group
    series.groups = groups
    series.basis = basis
    const start = rounded ? series.period.start : reported.start
    const added = this.record(series, { tag, unit, value, start }, filing)
    if (added && series.current !== null) series.current.rounded = rounded
    return added
  }

  /** Moves a period's figures to its exact days, which `filing` was the first to name. They are vintages of the day of that
   * filing: until then the days could not be known from what is on record. */
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
    this.touched.add(ratioKey(series.current))
    series.current = null
  }

  /** The groups of series, by day and fiscal period, in which something changed since the last call. */
  takeTouched(): Map<string, Series>[] {
    const touched: Map<string, Series>[] = []
    for (const key of this.touched) {
      const group = this.groups.get(key)
      if (group !== undefined) touched.push(group)
    }
    this.touched.clear()
    return touched
  }
}

const ratioKey = (row: { end: number; fp: number }) => row.end * 8 + row.fp

/** True once a filing has reported the figure itself: from then on it is no longer derived. */
export const isReported = (series: Series): boolean => series.reportedGroup !== null
