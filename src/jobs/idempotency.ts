import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import { type Claim, type ClaimOutcome, claimKey, releaseClaim, storeAnswer } from './idempotencyQueries.ts'

/** Responses stored per key; the oldest are deleted first. */
const maxAnswersPerKey = 100

interface IdempotentAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether this is the stored response of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Does the work of a request with an Idempotency-Key once: a repeated request gets the stored response. If
 * the work fails, the Idempotency-Key is released, so the client can retry with it. */
export async function answerOnce(
  sql: Sql,
  request: Claim,
  work: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<IdempotentAnswer> {
  const claimed = await claim(sql, request)
  if (claimed.kind === 'answer') return { bytes: claimed.bytes, replayed: true }
  try {
    const bytes = await work()
    await storeAnswer(sql, request, bytes, maxAnswersPerKey)
    return { bytes, replayed: false }
  } catch (error) {
    await releaseClaim(sql, request).catch(() => {})
    throw error
  }
}

/** How long an Idempotency-Key belongs to the first request that used it. */
export const claimHours = 24
/** A claim in flight may be taken over if its process has sent no heartbeat for this long. */
const silentMs = 10_000

type UsableClaim = Extract<ClaimOutcome, { kind: 'acquired' | 'job' | 'answer' }>

/** Claims an Idempotency-Key for a request, or returns the job or response of an earlier identical request.
 * Fails if the Idempotency-Key belongs to a different request, or if the earlier request is still in flight.
 */
export async function claim(sql: Sql, request: Claim): Promise<UsableClaim> {
  const outcome = await claimKey(sql, request, claimHours, silentMs)
  switch (outcome.kind) {
    case 'reused':
      throw new Failure(
        'idempotency_reused',
        `This Idempotency-Key was sent with a different request within the last ${claimHours} hours. Use a new key for each request.`,
        { param: 'Idempotency-Key' },
      )
    case 'in_flight':
      throw new Failure(
        'idempotency_in_flight',
        'The first request with this Idempotency-Key is still running. Wait for its response, or try again shortly.',
        { param: 'Idempotency-Key', retryAfterSeconds: 1 },
      )
    default:
      return outcome
  }
}

const chunkBytes = 2 * 1_024 * 1_024

/** The SHA-256 of a request's parameters and body. Yields to other requests between chunks. */
export async function requestDigest(parameters: readonly unknown[], body: Uint8Array): Promise<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(parameters))
  for (let at = 0; at < body.length; at += chunkBytes) {
    hash.update(body.subarray(at, at + chunkBytes))
    await new Promise(setImmediate)
  }
  return hash.digest()
}
