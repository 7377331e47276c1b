import { BookValues } from './bookValues.ts'
import { updateComputed } from './computedMetrics.ts'
import { updateRatios, withdrawStaleRatios } from './computeRatios.ts'
import { CoverCounts, reportLabel } from './coverCounts.ts'
import type { FactRow, RepeatRow } from './factRow.ts'
import { groupByDay, groupByFiling } from './filings.ts'
import { FiscalCalendar, lastDayOf } from './fiscalCalendar.ts'
import { type KnownMoment, knownMoments } from './knownMoments.ts'
import type { MetricRules } from './metricRules.ts'
import { MistaggedQuarters, type PlacedFact } from './mistaggedQuarters.ts'
import { type Period, PeriodIndex, type Series } from './periods.ts'
import { updateQuarters } from './quarters.ts'
import { type Filing, type ReportedFact, unknownFilingDate } from './reportedFact.ts'
import { type FilingRounding, roundingOf, roundingOfFiling } from './rounding.ts'
import { partition, type Selection, selectReportedFacts } from './selectReportedFacts.ts'
import { type Span, spanOf, storedMetric } from './spans.ts'
import { TrailingYears } from './trailingYears.ts'
import { VintageBuilder } from './vintages.ts'
import { YearsToDate } from './yearsToDate.ts'

export interface DerivedEntity {
  /** Every vintage, in the order of filings. */
  readonly facts: readonly FactRow[]
  readonly repeats: readonly RepeatRow[]
  /**
   * How many of `repeats` match none of the entity's fiscal years, or have a length that no fiscal period
   * has.
   */
  readonly unplaced: number
  /** Filings whose filing date no source has stated yet. All their facts are among `repeats`. */
  readonly undatedFilings: number
  /** The stretches of time in which figures are not those of the last ended day; empty if `endOfDay` is unknown. */
  readonly moments: readonly KnownMoment[]
}

interface DerivationContext {
  readonly rules: MetricRules
  /** `MMDD`: the register's year end, used until a filing gives a better one. */
  readonly fiscalYearEnd: string | null
  /** Statements of other sources about filings (their acceptance times), by accession. */
  readonly filings?: ReadonlyMap<string, Filing>
  /** The instant at which a day has ended in the market. */
  readonly endOfDay?: (day: number) => number
}

/**
 * Derives everything we serve about one entity from everything its filings report. Filings are read once, in
 * filing order. Figures are derived at the end of each day, because no reader could act between two filings
 * of one day. The result therefore depends on the set of reported facts and not on the order of imports, and
 * no later filing changes what was visible on a day.
 */
export function deriveFacts(
  reportedFacts: readonly ReportedFact[],
  { rules, fiscalYearEnd, filings = new Map(), endOfDay }: DerivationContext,
): DerivedEntity {
  const calendar = new FiscalCalendar(rules, fiscalYearEnd)
  const periods = new PeriodIndex()
  const vintages = new VintageBuilder()
  const years = new YearsToDate()
  const trailing = new TrailingYears()
  const counts = new CoverCounts()
  const bookValues = new BookValues()
  const repeats: RepeatRow[] = []
  let unplaced = 0
  let undatedFilings = 0
  let currency: string | null = null
  const readFiling = (filing: Filing, ofFiling: readonly ReportedFact[]): readonly Period[] => {
    const selection = selectReportedFacts(ofFiling, rules, currency)
    if (filing.filed === unknownFilingDate) {
      undatedFilings++
      for (const reported of selection.chosen) repeats.push(unlabelled(reported))
      for (const reported of [...selection.unserved, ...selection.lesser]) repeats.push(unlabelled(reported))
      return []
    }
    currency = selection.currency
    const [possible, impossible] = partition(selection.chosen, reported => hasPossibleDays(reported, filing))
    for (const reported of impossible) repeats.push(unlabelled(reported))
    unplaced += impossible.length
    calendar.learn(filing, possible)
    const rounding = roundingOfFiling([...selection.chosen, ...selection.unserved, ...selection.lesser])
    const [onCover, inReport] = partition(possible, ({ tag }) => rules.coverCount?.tags.test(tag) === true)
    const placed = placeInPeriods(inReport, filing, periods)
    const mistagged = new MistaggedQuarters(placed, years, periods)
    const readPlaced = (one: PlacedFact, isCover: boolean) => {
      const { reported, series } = one
      const { metric, period } = series
      if (!periods.label(period, calendar, filing.form)) {
        repeats.push({ reported, metric, label: null })
        unplaced++
        return
      }
      const { additive } = rules.rule(reported.metric)
      if (additive && mistagged.includes(one, roundingOf(reported.value, reported.unit, rounding))) {
        repeats.push({ reported, metric, label: period.label })
        return
      }
      const isCount = reported.metric === rules.coverCount?.metric
      const isServed = !isCount || counts.admits(series, isCover)
      const effect = isServed
        ? recordOnce(vintages, series, reported, { selection, filing, rules, rounding })
        : 'ignored'
      if (isCount && effect === 'added') counts.record(series, isCover, vintages, filing)
      if (isCount && effect !== 'ignored') counts.note(series, filing)
      if (effect !== 'added') repeats.push({ reported, metric, label: period.label })
      if (effect !== 'ignored' && additive)
        years.note(reported.metric, series, filing, { confirms: effect !== 'echoed' })
    }
    const [counted, figures] = partition(placed, one => one.reported.metric === rules.coverCount?.metric)
    for (const one of figures) readPlaced(one, false)
    if (onCover.length > 0) {
      // Rounded days would move the report on a 16-week first quarter into the second.
      const exact = inReport.filter(({ rounded }) => !rounded)
      const day = lastDayOf(exact.length > 0 ? exact : inReport)
      const isRounded = exact.length === 0
      for (const reported of onCover.toSorted(inOrderOfCovers)) {
        const own = day === null ? null : periods.labelOfDay(day, isRounded, calendar)
        const label = reportLabel(filing.form, own, reported.end, calendar)
        const series = periods.seriesOf(counts.resolve(reported, label, periods), reported.metric)
        readPlaced({ reported, series }, true)
      }
    }
    for (const one of counted) readPlaced(one, false)
    for (const reported of [...selection.unserved, ...selection.lesser]) repeats.push(unlabelled(reported))
    return periods.takeRefined()
  }
  const filed = groupByFiling(reportedFacts, filings)
  for (const day of groupByDay(filed)) {
    const refined = day.flatMap(({ filing, reportedFacts: ofFiling }) =>
      readFiling(filing, ofFiling).map(period => ({ period, filing })),
    )
    for (const { series, reported } of updateQuarters(years, periods, vintages))
      repeats.push({ reported, metric: series.metric, label: series.period.label })
    for (const { period, filing } of refined) vintages.redate(period, filing, 'stated')
    trailing.update(years, periods, vintages)
    years.endDay()
    updateComputed(periods, vintages)
    bookValues.update({ counts, periods, vintages })
    for (const { period, filing } of refined) vintages.redate(period, filing, 'computed')
    updateRatios(periods, vintages)
    for (const { period, filing } of refined) withdrawStaleRatios(period, vintages, filing)
    vintages.endDay()
  }
  const { facts } = vintages
  const dated = filed.flatMap(({ filing }) => (filing.filed === unknownFilingDate ? [] : [filing]))
  const moments =
    endOfDay === undefined
      ? []
      : knownMoments(dated, endOfDay, facts, known => {
          const ofKnown = reportedFacts.filter(({ filing }) => known.has(filing.accession))
          return deriveFacts(ofKnown, { rules, fiscalYearEnd, filings }).facts
        })
  return { facts, repeats, unplaced, undatedFilings, moments }
}

/** Records a reported fact unless the filing has already reported one for the series. */
function recordOnce(
  vintages: VintageBuilder,
  series: Series,
  reported: ReportedFact,
  { selection, filing, rules, rounding: ofFiling }: Reading,
): ReturnType<VintageBuilder['recordReported']> {
  if (series.lastReportedIn === filing.accession) return 'ignored'
  series.lastReportedIn = filing.accession
  const group = rules.group(reported.metric, reported.tag)
  const groups = selection.groups.get(reported) ?? 1 << group
  const basis = rules.basis?.(reported.tag) ?? 0
  const rounding = roundingOf(reported.value, reported.unit, ofFiling)
  return vintages.recordReported(series, reported, { group, groups, basis, rounding }, filing)
}

/** The filing that is being read. */
interface Reading {
  readonly selection: Selection
  readonly filing: Filing
  readonly rules: MetricRules
  readonly rounding: FilingRounding
}

/** Rounding to a month end may move a period's end this many days later. */
const maxRoundingDays = 16
const centuryDays = 36_525

/**
 * No account is filed before its period ends or a century later, so such days are typing errors (2108 or 0018
 * for 2018). A figure dated in the future would stay the latest one forever.
 */
const hasPossibleDays = ({ end, rounded }: ReportedFact, { filed }: Filing): boolean =>
  end <= filed + (rounded ? maxRoundingDays : 0) && end > filed - centuryDays

const unlabelled = (reported: ReportedFact): RepeatRow => ({
  reported,
  metric: storedMetric(reported.metric, spanOf(reported.start, reported.end) ?? 0),
  label: null,
})

/**
 * Finds the period of each reported fact. Order matters: exact periods come before rounded ones, which are
 * matched to them; whole years come first; flows come before balances, because a balance belongs to the
 * quarter whose flows end on its day.
 */
function placeInPeriods(
  reportedFacts: readonly ReportedFact[],
  filing: Filing,
  periods: PeriodIndex,
): PlacedFact[] {
  const spanned: SpannedFact[] = []
  for (const reported of reportedFacts) {
    const span = spanOf(reported.start, reported.end)
    if (span !== null) spanned.push({ reported, span })
  }
  spanned.sort(inOrderOfPlacing)
  const flows: PlacedFact[] = []
  const balances: PlacedFact[] = []
  for (const { reported, span } of spanned) {
    const period = reported.rounded
      ? periods.resolveRounded(reported, span, filing.accession)
      : periods.resolve(span, reported.start, reported.end)
    const series = periods.seriesOf(period, storedMetric(reported.metric, span))
    series.lastMentionedIn = filing.accession
    if (span === 0) balances.push({ reported, series })
    else flows.push({ reported, series })
  }
  return flows.concat(balances)
}

/**
 * Sorts exact days first, because rounded days are matched to them. If there are several counts, the one of the last day
 * is served.
 */
const inOrderOfCovers = (a: ReportedFact, b: ReportedFact) =>
  Number(a.rounded) - Number(b.rounded) || a.end - b.end || (a.unit < b.unit ? -1 : 1)

interface SpannedFact {
  readonly reported: ReportedFact
  readonly span: Span
}

function inOrderOfPlacing(
  { reported: a, span: spanOfA }: SpannedFact,
  { reported: b, span: spanOfB }: SpannedFact,
): number {
  if (a.rounded !== b.rounded) return a.rounded ? 1 : -1
  if (spanOfA !== spanOfB) return spanOfB - spanOfA
  if (a.end !== b.end) return a.end - b.end
  if (a.metric !== b.metric) return a.metric < b.metric ? -1 : 1
  return a.unit < b.unit ? -1 : a.unit > b.unit ? 1 : 0
}
