import type { CheckState } from '../markets/checkStates.ts'
import { ratioMetrics } from '../markets/metrics.ts'
import type { FactRow } from './factRow.ts'
import { compareFilings } from './filings.ts'
import type { OpenRow, Period, Series } from './periods.ts'
import type { Filing, ReportedFact } from './reportedFact.ts'
import { isOneAmount, type RoundingUnit } from './rounding.ts'
import { withoutTrailing } from './spans.ts'

const ratioNames = new Set(ratioMetrics.map(({ name }) => name))

export const isRatio = (metric: string): boolean => ratioNames.has(withoutTrailing(metric))

interface Figure {
  readonly tag: string | null
  readonly unit: string
  readonly value: number
  readonly start: number | null
  /** Set for derived figures. */
  readonly earlierSince?: number | null
  /** Filings of the figures from which it was derived. */
  readonly inputs?: readonly Filing[]
  /** Absent: unchecked. */
  readonly check?: CheckState | undefined
  /** Set for reported figures. */
  readonly rounding?: RoundingUnit
  /** Set if this states the current figure more precisely. */
  readonly since?: number
}

/** A figure reported on the day being read. */
export interface ReportedToday {
  readonly series: Series
  readonly row: OpenRow
  readonly reported: ReportedFact
  readonly previous: OpenRow | null
}

/** The series of one period end and fiscal period that the day's filings changed. */
export interface TouchedGroup {
  readonly key: number
  /** The last of those filings. */
  readonly filing: Filing
}

/** Builds the vintages of one entity. Rows are only appended, in filing order. */
export class VintageBuilder {
  private readonly rows: OpenRow[] = []
  private readonly retracted = new Set<OpenRow>()
  private reportedToday: ReportedToday[] = []
  /** Current series by `ratioKey`, the day and fiscal period by which ratios pair them. */
  private readonly groups = new Map<number, Map<string, Series>>()
  private touched = new Map<number, Filing>()

  /** Every vintage, in the order of filings. */
  get facts(): readonly FactRow[] {
    return this.retracted.size === 0 ? this.rows : this.rows.filter(row => !this.retracted.has(row))
  }

  /**
   * Adds a vintage unless it repeats the current one, and marks the current one as superseded from the day of the
   * filing. Once all inputs of a derived figure belong to one generation again, it gets a new vintage even if its
   * value is the same; otherwise it would keep the mark of the earlier generation for ever.
   */
  record(series: Series, figure: Figure, filing: Filing): boolean {
    const { period, current } = series
    if (period.label === null) return false
    const earlierSince = figure.earlierSince ?? null
    const isSame = current !== null && current.value === figure.value && current.unit === figure.unit
    if (isSame && current.end === period.end && (current.earlierSince === null || earlierSince !== null)) {
      if (earlierSince !== null) this.markEarlier(series, filing)
      return false
    }
    const row: OpenRow = {
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
      earlierSince: earlierSince === null ? null : filing.filed,
      inputs: figure.inputs === undefined ? none : otherAccessions(figure.inputs, filing),
      check: figure.check ?? 'unchecked',
      rounding: figure.rounding ?? 1,
      since: figure.since ?? filing.filed,
    }
    if (current !== null) {
      current.superseded = filing.filed
      if (current.end !== period.end) this.groups.get(ratioKey(current))?.delete(series.metric)
    }
    series.current = row
    this.rows.push(row)
    const key = ratioKey(row)
    let group = this.groups.get(key)
    if (group === undefined) {
      group = new Map()
      this.groups.set(key, group)
    }
    group.set(series.metric, series)
    this.touch(key, filing)
    return true
  }

  /**
   * Records what a filing reports. A tag of a lower-ranked group neither replaces nor confirms the current
   * figure; if it states the same amount, it is only an echo. If two statements differ only by rounding, the more
   * precise one is current from its own day, and the less precise one counts as a repetition.
   *
   * @param groups the groups of all tags under which the filing states the value, one bit each
   */
  recordReported(
    series: Series,
    reported: ReportedFact,
    { group, groups: stated, basis, rounding }: StatedAs,
    filing: Filing,
  ): 'added' | 'repeated' | 'echoed' | 'ignored' {
    const { tag, unit, value, rounded, check } = reported
    const { current } = series
    const isKnown = current !== null && isOneAmount(comparable(series, current), { value, unit, rounding })
    const groups = (isKnown ? series.groups : 0) | stated
    const currentGroup = series.reportedGroup ?? series.derivedGroup
    if (currentGroup !== null && group > currentGroup) {
      if (!isKnown) return 'ignored'
      series.groups = groups
      return 'echoed'
    }
    series.reportedGroup = group
    series.reportedOn = filing.filed
    series.derivedGroup = null
    series.groups = groups
    series.bases = (isKnown ? series.bases : 0) | (1 << basis)
    if (isKnown && current.value !== value && rounding > current.rounding) return 'repeated'
    const start = rounded ? series.period.start : reported.start
    const since = isKnown ? current.since : filing.filed
    if (!this.record(series, { tag, unit, value, start, rounding, since, check }, filing)) {
      if (current !== null) current.rounding = finer(current.rounding, rounding)
      return 'repeated'
    }
    if (series.current !== null) {
      series.current.rounded = rounded
      this.reportedToday.push({ series, row: series.current, reported, previous: current })
    }
    return 'added'
  }

  /**
   * Records the difference of two cumulative figures of a tag group, in place of a figure reported under a
   * lower-ranked one. Returns the replaced figures that filings of the same day reported: they never counted
   * at the end of that day.
   */
  recordDerived(series: Series, group: number, figure: Figure, filing: Filing): readonly ReportedToday[] {
    if (series.current === null && this.hasStatedToday(series, filing)) return []
    const outdone = series.reportedGroup === null ? [] : this.retractToday(series)
    series.reportedGroup = null
    series.reportedOn = 0
    series.derivedGroup = group
    this.record(series, { ...figure, tag: null }, filing)
    return outdone
  }

  /**
   * Whether the filing itself states the figure, in a period to which another filing of the day has given other days
   * since. A derived figure would be a second row of that filing and period.
   */
  private hasStatedToday({ metric, period }: Series, filing: Filing): boolean {
    return this.reportedToday.some(
      ({ row }) =>
        row.filing === filing &&
        row.metric === metric &&
        row.end === period.end &&
        row.fp === period.label?.fp,
    )
  }

  private retractToday(series: Series): readonly ReportedToday[] {
    const [own, others] = [true, false].map(isOwn =>
      this.reportedToday.filter(entry => (entry.series === series) === isOwn),
    )
    this.reportedToday = others
    for (const { row, previous } of own.toReversed()) {
      this.retracted.add(row)
      if (previous !== null) previous.superseded = null
      series.current = previous
    }
    return own
  }

  /** Marks the current figure as a difference of the earlier generation, from the day of `filing`. */
  markEarlier(series: Series, filing: Filing): void {
    if (series.current === null || series.current.earlierSince !== null) return
    series.current.earlierSince = filing.filed
    this.touch(ratioKey(series.current), filing)
  }

  /**
   * Moves a period's figures to its exact days, which `filing` was the first to name. They become vintages of the
   * day of that filing, because the days could not be known before. Computed figures move after the day's changes
   * to their inputs, and only if those changes did not already create a vintage; otherwise one day would have two.
   *
   * @param which figures that filings state and their differences, or the figures that are computed from them
   */
  redate(period: Period, filing: Filing, which: 'stated' | 'computed'): void {
    for (const series of period.series.values()) {
      const { current } = series
      if (current === null || current.end === period.end || isRatio(series.metric)) continue
      const isComputed = series.reportedGroup === null && series.derivedGroup === null
      if (isComputed !== (which === 'computed')) continue
      const { unit, value, earlierSince, rounding, since, check } = current
      const inputs = [current.filing]
      const figure = {
        tag: null,
        unit,
        value,
        start: period.start,
        earlierSince,
        inputs,
        rounding,
        since,
        check,
      }
      this.record(series, figure, filing)
    }
  }

  /** Ends a series whose inputs no longer give a figure, and the ratios that use it. */
  withdraw(series: Series, filing: Filing): void {
    series.derivedGroup = null
    if (series.current === null) return
    series.current.superseded = filing.filed
    this.touch(ratioKey(series.current), filing)
    series.current = null
  }

  private touch(key: number, filing: Filing): void {
    const known = this.touched.get(key)
    if (known === undefined || compareFilings(known, filing) < 0) this.touched.set(key, filing)
  }

  /** The groups of series that changed since the last call. */
  takeTouched(): readonly TouchedGroup[] {
    const touched = this.touchedGroups()
    this.touched = new Map()
    return touched
  }

  /** Like `takeTouched`, but does not clear the list. */
  touchedGroups(): readonly TouchedGroup[] {
    return [...this.touched].map(([key, filing]) => ({ key, filing }))
  }

  /** The series of a day and fiscal period, by metric. */
  groupOf(key: number): ReadonlyMap<string, Series> | undefined {
    return this.groups.get(key)
  }

  endDay(): void {
    this.reportedToday = []
  }
}

interface StatedAs {
  readonly group: number
  readonly groups: number
  readonly basis: number
  readonly rounding: RoundingUnit
}

/** No filing states a difference, so a later statement cannot be a rounded form of it. */
const comparable = ({ reportedGroup }: Series, current: OpenRow): OpenRow =>
  reportedGroup === null ? { ...current, rounding: 1 } : current

const finer = (a: RoundingUnit, b: RoundingUnit): RoundingUnit => (a < b ? a : b)

export const ratioKey = (row: { end: number; fp: number }) => row.end * 8 + row.fp

function otherAccessions(inputs: readonly Filing[], filing: Filing): readonly string[] {
  if (inputs.every(({ accession }) => accession === filing.accession)) return none
  const accessions = new Set(inputs.map(({ accession }) => accession))
  accessions.delete(filing.accession)
  return accessions.size === 0 ? none : [...accessions].sort()
}

const none: readonly string[] = []
