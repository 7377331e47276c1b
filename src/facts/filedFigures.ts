import { CoverCounts, reportLabel } from './coverCounts.ts'
import type { RepeatRow } from './factRow.ts'
import { FiscalCalendar, lastDayOf } from './fiscalCalendar.ts'
import type { MetricRules } from './metricRules.ts'
import { MistaggedQuarters, type PlacedFact } from './mistaggedQuarters.ts'
import { type Period, PeriodIndex } from './periods.ts'
import { type Filing, type ReportedFact, unknownFilingDate } from './reportedFact.ts'
import { type FilingRounding, roundingOf, roundingOfFiling } from './rounding.ts'
import { partition, type Selection, selectReportedFacts } from './selectReportedFacts.ts'
import { withSharedChecks } from './sharedChecks.ts'
import { type Span, spanOf, storedMetric } from './spans.ts'
import { VintageBuilder } from './vintages.ts'
import { YearsToDate } from './yearsToDate.ts'

/** The filing that is being read. */
interface Reading {
  readonly filing: Filing
  readonly selection: Selection
  readonly rounding: FilingRounding
  readonly mistagged: MistaggedQuarters
}

/** Reads the filings of one entity in filing order: finds the fiscal period of each figure and records its vintage. */
export class FiledFigures {
  readonly periods = new PeriodIndex()
  readonly vintages = new VintageBuilder()
  readonly years = new YearsToDate()
  readonly counts = new CoverCounts()
  /** Reported facts that add no vintage. */
  readonly repeats: RepeatRow[] = []
  /** How many of `repeats` have no fiscal period. */
  unplaced = 0
  /** Filings whose filing date no source has stated yet. */
  undatedFilings = 0
  private readonly rules: MetricRules
  private readonly calendar: FiscalCalendar
  private currency: string | null = null

  constructor(rules: MetricRules, fiscalYearEnd: string | null) {
    this.rules = rules
    this.calendar = new FiscalCalendar(rules, fiscalYearEnd)
  }

  /** Returns the periods whose exact days became known from this filing. */
  read(filing: Filing, reportedFacts: readonly ReportedFact[]): readonly Period[] {
    const { rules, calendar, periods } = this
    const ofFiling = withSharedChecks(reportedFacts)
    const selection = selectReportedFacts(ofFiling, rules, this.currency)
    const passedOver = [...selection.unserved, ...selection.lesser]
    if (filing.filed === unknownFilingDate) {
      this.undatedFilings++
      this.keepUnlabelled([...selection.chosen, ...passedOver])
      return []
    }
    this.currency = selection.currency
    const [possible, impossible] = partition(selection.chosen, reported => hasPossibleDays(reported, filing))
    this.keepUnlabelled(impossible)
    this.unplaced += impossible.length
    calendar.learn(filing, possible)
    const rounding = roundingOfFiling([...selection.chosen, ...passedOver])
    const [onCover, inReport] = partition(possible, ({ tag }) => rules.coverCount?.tags.test(tag) === true)
    const placed = placeInPeriods(inReport, filing, periods)
    const mistagged = new MistaggedQuarters(placed, this.years, periods)
    const reading = { filing, selection, rounding, mistagged }
    const [counted, figures] = partition(placed, one => one.reported.metric === rules.coverCount?.metric)
    for (const one of figures) this.record(one, reading, false)
    for (const one of this.placeCovers(onCover, inReport, filing)) this.record(one, reading, true)
    for (const one of counted) this.record(one, reading, false)
    this.keepUnlabelled(passedOver)
    return periods.takeRefined()
  }

  private keepUnlabelled(reportedFacts: readonly ReportedFact[]): void {
    for (const reported of reportedFacts) this.repeats.push(unlabelled(reported))
  }

  /** Assigns the counts on a report's cover to the report's fiscal period. */
  private *placeCovers(
    onCover: readonly ReportedFact[],
    inReport: readonly ReportedFact[],
    { form }: Filing,
  ): Generator<PlacedFact> {
    if (onCover.length === 0) return
    const { calendar, counts, periods } = this
    // Rounded days would move the report on a 16-week first quarter into the second.
    const exact = inReport.filter(({ rounded }) => !rounded)
    const day = lastDayOf(exact.length > 0 ? exact : inReport)
    const isRounded = exact.length === 0
    for (const reported of onCover.toSorted(inOrderOfCovers)) {
      const own = day === null ? null : periods.labelOfDay(day, isRounded, calendar)
      const label = reportLabel(form, own, reported.end, calendar)
      yield { reported, series: periods.seriesOf(counts.resolve(reported, label, periods), reported.metric) }
    }
  }

  /** Records a figure as a vintage of its series, or as a repeat if it adds nothing. */
  private record(placed: PlacedFact, reading: Reading, isCover: boolean): void {
    const { rules, vintages, counts, repeats } = this
    const { reported, series } = placed
    const { metric, period } = series
    const { filing, mistagged, rounding } = reading
    if (!this.periods.label(period, this.calendar, filing.form)) {
      repeats.push({ reported, metric, label: null })
      this.unplaced++
      return
    }
    const { additive } = rules.rule(reported.metric)
    if (additive && mistagged.includes(placed, roundingOf(reported.value, reported.unit, rounding))) {
      repeats.push({ reported, metric, label: period.label })
      return
    }
    const isCount = reported.metric === rules.coverCount?.metric
    const isServed = !isCount || counts.admits(series, isCover)
    const effect = isServed ? this.recordOnce(placed, reading) : 'ignored'
    if (isCount && effect === 'added') counts.record(series, isCover, vintages, filing)
    if (isCount && effect !== 'ignored') counts.note(series, filing)
    if (effect !== 'added') repeats.push({ reported, metric, label: period.label })
    if (effect !== 'ignored' && additive)
      this.years.note(reported.metric, series, filing, { confirms: effect !== 'echoed' })
  }

  /** Records a reported fact unless the filing has already reported one for the series. */
  private recordOnce(
    { reported, series }: PlacedFact,
    { filing, selection, rounding: ofFiling }: Reading,
  ): ReturnType<VintageBuilder['recordReported']> {
    if (series.lastReportedIn === filing.accession) return 'ignored'
    series.lastReportedIn = filing.accession
    const group = this.rules.group(reported.metric, reported.tag)
    const groups = selection.groups.get(reported) ?? 1 << group
    const basis = this.rules.basis?.(reported.tag) ?? 0
    const rounding = roundingOf(reported.value, reported.unit, ofFiling)
    return this.vintages.recordReported(series, reported, { group, groups, basis, rounding }, filing)
  }
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
 * Sorts exact days first, because rounded days are matched to them. If there are several counts, the one of the last
 * day is served.
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
