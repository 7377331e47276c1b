import { levelOf, superiorityAt } from '../evidence/superiority.ts'
import { varianceRatio } from '../judging/serialCorrelation.ts'
import type { Judgement } from '../judging/verdict.ts'
import { chanceVariance, triedBefore } from '../overfitting/trialsVariance.ts'
import { deflateRecord, trialRecord } from '../overfitting/winner.ts'
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
 * @param tested the test of all trials
 * @param trialsSeen the number of trials to choose from, if `trials` has not all of them: the level of the test is
 *   divided among them */
export function judgementOf(
  evidence: EvidenceSettings,
  trials: readonly Pick<EvidenceTrial, 'net' | 'judged'>[],
  winner: number,
  dsr: number | null,
  { outcome, meanBlock: usedBlock }: Tested,
  trialsSeen = trials.length,
): Judgement {
  const { judged } = trials[winner]
  const ownBlock =
    evidence.meanBlock === null ? usedBlock : meanBlockOf({ ...evidence, meanBlock: null }, trials)
  const meanBlock = Math.max(usedBlock, ownBlock)
  // The quotient is exactly 1 for a request that has all of its trials.
  const spaLevel = levelOf({ periods: judged.length, meanBlock }) * (trials.length / trialsSeen)
  const superiority = superiorityAt(outcome, spaLevel)
  const isPassed = superiority === 'clear' || superiority === 'close'
  return {
    trials: trialsSeen,
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
 * @param batchSize null: not in a batch
 * @param alreadyTried configurations that the caller tried before, which count as trials too */
export function judgeAlone(
  trial: EvidenceTrial,
  evidence: EvidenceSettings,
  batchSize: number | null = null,
  alreadyTried = 0,
): Judged {
  const own = batchSize ?? 1
  const trials = own + alreadyTried
  const tested = testRecords(evidence, [trial], own > 1 && isDecisionEnough(evidence))
  const { dsr } = deflateRecord(trialRecord(trial.judged), chanceVariance(trial.judged.length), trials)
  const before = beforeRequest(trial, own, alreadyTried)
  if (own === 1)
    return { judgement: { ...judgementOf(evidence, [trial], 0, dsr, tested, trials), ...before }, tested }
  const judgement = judgementOf(evidence, [trial], 0, dsr, tested)
  return { judgement: { ...judgement, ...before, trials, superiority: 'of_one' }, tested }
}

/** What is assumed about earlier trials if the request has only one record from which to judge them. */
function beforeRequest({ judged }: EvidenceTrial, own: number, count: number): Pick<Judgement, 'before'> {
  const before = triedBefore([judged], count + own - 1)
  return before === null || count === 0 ? {} : { before: { ...before, count } }
}

/** Judges a record that a reader sees next to that of the request and may choose instead. It counts as the second of
 * two trials, which would otherwise be free:
 *
 * - Its Deflated Sharpe ratio is that of the better of two. V is the variance that chance gives, as in a batch: the two
 *   records have nearly the same scores and hardly differ, so their own variance would deduct nothing.
 * - The level of its superiority test is halved (Bonferroni), because the test itself knows only one record. */
export function judgeSecond(trial: EvidenceTrial, evidence: EvidenceSettings, alreadyTried = 0): Judged {
  const trials = 2 + alreadyTried
  const tested = testRecords(evidence, [trial])
  const { dsr } = deflateRecord(trialRecord(trial.judged), chanceVariance(trial.judged.length), trials)
  const judgement = judgementOf(evidence, [trial], 0, dsr, tested, trials)
  return { judgement: { ...judgement, ...beforeRequest(trial, 2, alreadyTried) }, tested: null }
}

/** For a record that must not be judged: no test is run. */
export function unjudged(trial: EvidenceTrial, evidence: EvidenceSettings): Judged {
  const tested = testRecords(evidence, [trial], true)
  return { judgement: judgementOf(evidence, [trial], 0, null, tested), tested: null }
}
