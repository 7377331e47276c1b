import type { Sql } from '../../store/database.ts'
import { type Claim, giveUpClaim, keepAnswer } from '../../store/jobs/claims.ts'
import { claim } from './claim.ts'

/** Answers that are kept of a key; beyond them the oldest are forgotten before their time. */
const mostAnswers = 100

export interface OnceAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether it is the answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Does the work of a request with an Idempotency-Key once: who sends the request again is given the answer again. Work
 * that failed may be tried again under its key. */
export async function answerOnce(
  sql: Sql,
  wanted: Claim,
  work: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<OnceAnswer> {
  const claimed = await claim(sql, wanted)
  if (claimed.kind === 'answer') return { bytes: claimed.bytes, replayed: true }
  try {
    const bytes = await work()
    await keepAnswer(sql, wanted, bytes, mostAnswers)
    return { bytes, replayed: false }
  } catch (error) {
    await giveUpClaim(sql, wanted).catch(() => {})
    throw error
  }
}
