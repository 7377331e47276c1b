import { Failure } from '../../errors.ts'
import type { Sql } from '../../store/database.ts'
import { type Claim, type Claimed, claimKey } from '../../store/jobs/claims.ts'

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
