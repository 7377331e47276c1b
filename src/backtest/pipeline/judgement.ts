import { levelOf, superiorityAt } from '../evidence/superiority.ts'
import { varianceRatio } from '../judging/serialCorrelation.ts'
import type { Judgement } from '../judging/verdict.ts'
import { chanceVariance, deflateRecord, trialRecord } from '../overfitting/winner.ts'
import {
  type EvidenceSettings,
  type EvidenceTrial,
  isDecisionEnough,
  type Tested,
  testRecords,
} from './evidence.ts'
import { finiteOrNull } from './resultFields.ts'

/** What the tests say of the best of some trials.
 *
 * @param dsr of the winner
 * @param tested all of them */
export function judgementOf(
  trials: readonly Pick<EvidenceTrial, 'judged'>[],
  winner: number,
  dsr: number | null,
  { outcome, meanBlock }: Tested,
): Judgement {
  const { judged } = trials[winner]
  const spaLevel = levelOf({ periods: judged.length, meanBlock })
  return {
    trials: trials.length,
    dsr: finiteOrNull(dsr),
    varianceRatio: varianceRatio(judged, meanBlock),
    superiority: superiorityAt(outcome, spaLevel),
    spaLevel,
  }
}

/** A judgement, and the test behind it; null if that is not about this record alone. */
export interface Judged {
  readonly judgement: Judgement
  readonly tested: Tested | null
}

/** Judges one configuration by itself, or as one of a batch. A batch is judged by its Deflated Sharpe ratios: the test of one of its
 * backtests would not count the others, and the best of many passes it by chance.
 *
 * @param batchSize null: not in a batch */
export function judgeAlone(
  trial: EvidenceTrial,
  evidence: EvidenceSettings,
  batchSize: number | null = null,
): Judged {
  const trials = batchSize ?? 1
  const tested = testRecords(evidence, [trial], trials > 1 && isDecisionEnough(evidence))
  const { dsr } = deflateRecord(trialRecord(trial.judged), chanceVariance(trial.judged.length), trials)
  const judgement = judgementOf([trial], 0, dsr, tested)
  return { judgement: trials > 1 ? { ...judgement, trials, superiority: 'of_one' } : judgement, tested }
}
