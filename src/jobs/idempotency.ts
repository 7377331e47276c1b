import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import { type Claim, type ClaimOutcome, claimKey, releaseClaim, storeAnswer } from './idempotencyQueries.ts'

/** Stored answers of one key; the oldest are deleted first. */
const maxAnswersPerKey = 100

interface IdempotentAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether it is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Does the work of a request with an Idempotency-Key once: the same request sent again gets the stored answer. Failed work
 * releases the key, so the request can be tried again under it. */
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

/** How long an Idempotency-Key belongs to the first request that was sent with it. */
export const claimHours = 24
/** A claim in flight is free for others if its process has been silent for this long. */
const silentMs = 10_000

type UsableClaim = Extract<ClaimOutcome, { kind: 'acquired' | 'job' | 'answer' }>

/** Claims an Idempotency-Key for a request, or returns the job or answer of the same request sent earlier. Fails if the key
 * belongs to another request, or if the earlier request is still in flight. */
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

/** The SHA-256 of a request: of its parameters and of its body. Yields to other requests between chunks. */
export async function requestDigest(parameters: readonly unknown[], body: Uint8Array): Promise<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(parameters))
  for (let at = 0; at < body.length; at += chunkBytes) {
    hash.update(body.subarray(at, at + chunkBytes))
    await new Promise(setImmediate)
  }
  return hash.digest()
}
