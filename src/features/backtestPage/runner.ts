import { type AccessDeps, authenticate } from '../../access/authenticate.ts'
import { tokenDigest } from '../../access/cookies.ts'
import { findQuantKeys, type QuantKey } from '../../access/visitorQueries.ts'
import { rateLimited } from '../../http/admission.ts'
import { type RequestContext, requireQuant } from '../../http/context.ts'
import type { Sql } from '../../postgres/client.ts'

export interface RunnerDeps {
  readonly sql: Sql
  readonly access: AccessDeps
}

/**
 * The identity under which a person runs backtests: their account's keys with the quant plan, or the one key
 * that the page's script sends.
 */
export interface Runner {
  /**
   * The keys whose backtests are theirs; new backtests run under the first. If there are none, they cannot
   * run any.
   */
  readonly keyIds: readonly number[]
  /** For display: the prefix of the key under which new backtests run. */
  readonly keyName: string | null
  /**
   * Counts a request against that key's limits. A key that came with the request has already been counted.
   */
  readonly count: () => Promise<void>
}

/**
 * A key in the Authorization header takes precedence over the session, because a person who pastes a key
 * means that one. It is checked, counted and refused as on the API.
 */
export async function findRunner({ sql, access }: RunnerDeps, context: RequestContext): Promise<Runner> {
  const { headers } = context.request
  if (headers.has('authorization')) {
    const caller = await authenticate(access, headers, context.address)
    const verdict = await access.rateLimiter.take(caller.subject, caller.limits)
    context.caller = caller
    context.verdict = verdict
    if (verdict.refused !== null) throw rateLimited(verdict, verdict.refused)
    return { keyIds: [requireQuant(context)], keyName: caller.name, count: async () => {} }
  }
  const token = access.cookies.read(headers, 'session')
  const keys = token === null ? [] : await findQuantKeys(sql, tokenDigest(token))
  const [first] = keys
  return {
    keyIds: keys.map(({ keyId }) => keyId),
    keyName: first?.prefix ?? null,
    count: async () => {
      if (first !== undefined) await countRun(access, first)
    },
  }
}

async function countRun({ rateLimiter }: AccessDeps, { keyId, perMinute, perDay }: QuantKey): Promise<void> {
  const verdict = await rateLimiter.take(`key:${keyId}`, { perMinute, perDay })
  if (verdict.refused !== null) throw rateLimited(verdict, verdict.refused)
}
