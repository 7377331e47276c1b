import type { EvidenceSection } from '../requestEvidence.ts'
import type { EvidenceNote, EvidenceUsed } from '../resultEvidence.ts'

/** With fewer periods, the tests reject noise too often: see the guide. */
const minPeriods = 500
const minBlocks = 20
/** If turnovers differ by more than this factor, costs order the configurations in every period. */
const turnoverFactor = 1.5

/** The inputs of the notes. */
export interface NotedRecords {
  readonly trials: readonly { readonly avgTurnover: number }[]
  /** Day of each period. */
  readonly days: Int32Array
  readonly hasCosts: boolean
  /** Probability of backtest overfitting; null without a sweep, or where it is not defined. */
  readonly pbo: number | null
  /** The codes of the result's warnings. */
  readonly warnings: readonly string[]
}

/** Explains where a figure of the evidence may mislead. */
export function evidenceNotes(
  records: NotedRecords,
  written: Pick<EvidenceUsed, EvidenceSection>,
  meanBlock: number,
): EvidenceNote[] {
  const { trials, days, warnings } = records
  const periods = days.length
  const resampled = written.spa != null || written.interval != null
  const notes: EvidenceNote[] = []
  if (trials.length === 1 && written.cpcv === null)
    notes.push({
      code: 'no_sweep',
      message:
        'cpcv is null: it chooses between configurations, and there is only one. Its folds are its record on unseen blocks. Send sweep for paths.',
    })
  const missing = missingSections(written, trials.length)
  if (missing.length > 0)
    notes.push({
      code: 'not_computed',
      message: `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} null: ${periods} periods are too few, or a return overflowed.`,
    })
  if (records.pbo !== null && costsOrderTrials(records))
    notes.push({ code: 'pbo_with_costs', message: pboWithCosts(records.pbo) })
  if (resampled && periods < minPeriods)
    notes.push({
      code: 'few_periods',
      message: `${periods} periods are few for a bootstrap: on noise, spa is below 0.05 in more than 5 of 100 records, and the interval is too narrow. Treat p-values near 0.05 as inconclusive.`,
    })
  if (resampled && periods < minBlocks * meanBlock)
    notes.push({
      code: 'few_blocks',
      message: `The record has about ${Math.max(1, Math.round(periods / meanBlock))} blocks of ${meanBlock.toFixed(1)} periods. With so few blocks, resamples look alike, so the interval and the p-values are overconfident.`,
    })
  if (warnings.includes('few_names'))
    notes.push({
      code: 'few_names',
      message:
        'Few names are ranked, so the record depends on individual names. No statistic of its periods can show whether other names would follow the score.',
    })
  if (warnings.includes('overlapping_returns'))
    notes.push({
      code: 'overlapping_returns',
      message:
        'Returns seem to overlap, so one event counts in several periods. Every Sharpe ratio, its interval and psr are then too good. Send config.returnDays.',
    })
  return notes
}

function missingSections(written: Pick<EvidenceUsed, EvidenceSection>, trials: number): string[] {
  return (['spa', 'interval', 'cpcv'] as const).filter(
    section => written[section] === null && !(section === 'cpcv' && trials === 1),
  )
}

/** A pbo below this looks like a good sign. */
const lowPbo = 0.5

function pboWithCosts(pbo: number): string {
  const cause =
    'The configurations trade unequally, so costs order them in the same way in every part of the record.'
  const value = `${(100 * pbo).toFixed(1)}%`
  return pbo < lowPbo
    ? `pbo is ${value}, which is no sign of skill here. ${cause} That makes pbo low even for scores that are random. Read spa and the deflated Sharpe ratio first.`
    : `pbo is ${value} although costs favour a low value here. ${cause} The configuration that did best on one half still did worse than most on the other, so the choice between configurations is worth little.`
}

function costsOrderTrials({ trials, hasCosts }: NotedRecords): boolean {
  if (trials.length < 2 || !hasCosts) return false
  const turnovers = trials.map(({ avgTurnover }) => avgTurnover)
  return Math.max(...turnovers) > turnoverFactor * Math.min(...turnovers)
}
