import { levelOf, superiorityAt } from '../evidence/superiority.ts'
import { varianceRatio } from '../judging/serialCorrelation.ts'
import type { Judgement } from '../judging/verdict.ts'
import { chanceVariance, deflateRecord, trialRecord } from '../overfitting/winner.ts'
import {
  type EvidenceSettings,
  type EvidenceTrial,
  isDecisionEnough,
  meanBlockOf,
  type Tested,
  testRecords,
} from './evidence.ts'
import { finiteOrNull } from './resultFields.ts'

/** The tests' judgement of the best of some trials. A request may choose the blocks of its resamples, but
 * blocks shorter than the record calls for would hide serial correlation, so such a test does not count in
 * favour of the record.
 *
 * @param dsr of the winner
 * @param tested the test of all trials */
export function judgementOf(
  evidence: EvidenceSettings,
  trials: readonly Pick<EvidenceTrial, 'net' | 'judged'>[],
  winner: number,
  dsr: number | null,
  { outcome, meanBlock: usedBlock }: Tested,
): Judgement {
  const { judged } = trials[winner]
  const ownBlock =
    evidence.meanBlock === null ? usedBlock : meanBlockOf({ ...evidence, meanBlock: null }, trials)
  const meanBlock = Math.max(usedBlock, ownBlock)
  const spaLevel = levelOf({ periods: judged.length, meanBlock })
  const superiority = superiorityAt(outcome, spaLevel)
  const isPassed = superiority === 'clear' || superiority === 'close'
  return {
    trials: trials.length,
    dsr: finiteOrNull(dsr),
    varianceRatio: varianceRatio(judged, meanBlock),
    superiority: isPassed && usedBlock < ownBlock ? { usedBlock, ownBlock } : superiority,
    spaLevel,
  }
}

/** A judgement and the test behind it; null if that test is not about this record alone. */
export interface Judged {
  readonly judgement: Judgement
  readonly tested: Tested | null
}

/** Judges one configuration by itself, or as one of a batch. The backtests of a batch are judged by their
 * Deflated Sharpe ratios only: a superiority test of one of them would ignore the others, and the best of
 * many passes it by chance.
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
  const judgement = judgementOf(evidence, [trial], 0, dsr, tested)
  return { judgement: trials > 1 ? { ...judgement, trials, superiority: 'of_one' } : judgement, tested }
}
