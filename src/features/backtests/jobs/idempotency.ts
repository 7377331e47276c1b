import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import { type Claim, type Claimed, claimKey, giveUpClaim, keepAnswer } from './claimQueries.ts'

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

/** How long an Idempotency-Key stands for the request that it first came with. */
export const claimHours = 24
const silentMs = 10_000

type Settled = Extract<Claimed, { kind: 'mine' | 'job' | 'answer' }>

/** Claims an Idempotency-Key for a request, or hands back what the request led to when it came before. */
export async function claim(sql: Sql, wanted: Claim): Promise<Settled> {
  const claimed = await claimKey(sql, wanted, claimHours, silentMs)
  switch (claimed.kind) {
    case 'reused':
      throw new Failure(
        'idempotency_reused',
        'This Idempotency-Key came with another request within the last 24 hours. Send a new key with a new request.',
        { param: 'Idempotency-Key' },
      )
    case 'in_flight':
      throw new Failure(
        'idempotency_in_flight',
        'The request that this Idempotency-Key came with is under way. Wait for its answer, or ask again shortly.',
        { param: 'Idempotency-Key', retryAfterSeconds: 1 },
      )
    default:
      return claimed
  }
}

const pieceBytes = 2 * 1_024 * 1_024

/** The SHA-256 of a request: of what is said beside the body, and of the body. Between pieces others get their turn. */
export async function requestDigest(beside: readonly unknown[], body: Uint8Array): Promise<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(beside))
  for (let at = 0; at < body.length; at += pieceBytes) {
    hash.update(body.subarray(at, at + pieceBytes))
    await new Promise(setImmediate)
  }
  return hash.digest()
}
