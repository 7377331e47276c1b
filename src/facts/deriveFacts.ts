import { BookValues } from './bookValues.ts'
import { updateComputed } from './computedMetrics.ts'
import { updateRatios, withdrawStaleRatios } from './computeRatios.ts'
import type { FactRow, RepeatRow } from './factRow.ts'
import { FiledFigures } from './filedFigures.ts'
import { groupByDay, groupByFiling } from './filings.ts'
import { type KnownMoment, knownMoments } from './knownMoments.ts'
import type { MetricRules } from './metricRules.ts'
import { updateQuarters } from './quarters.ts'
import { type Filing, type ReportedFact, unknownFilingDate } from './reportedFact.ts'
import { TrailingYears } from './trailingYears.ts'

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
  const filed = new FiledFigures(rules, fiscalYearEnd)
  const { periods, vintages, years, counts, repeats } = filed
  const trailing = new TrailingYears()
  const bookValues = new BookValues()
  const inOrder = groupByFiling(reportedFacts, filings)
  for (const day of groupByDay(inOrder)) {
    const refined = day.flatMap(({ filing, reportedFacts: ofFiling }) =>
      filed.read(filing, ofFiling).map(period => ({ period, filing })),
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
  const dated = inOrder.flatMap(({ filing }) => (filing.filed === unknownFilingDate ? [] : [filing]))
  const moments =
    endOfDay === undefined
      ? []
      : knownMoments(dated, endOfDay, facts, known => {
          const ofKnown = reportedFacts.filter(({ filing }) => known.has(filing.accession))
          return deriveFacts(ofKnown, { rules, fiscalYearEnd, filings }).facts
        })
  return { facts, repeats, unplaced: filed.unplaced, undatedFilings: filed.undatedFilings, moments }
}
