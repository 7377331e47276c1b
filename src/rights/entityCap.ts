import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import type { Principal } from './licences.ts'
import { recordEntities, recordPage, seenEntities } from './queries.ts'

/** Counts the companies of a response against the cap of its key. The registrants of a lineage count as one company:
 * whoever sees the successor's figures may see its predecessor's. A response that would exceed the cap is
 * rejected as a whole, and none of its companies counts. Use it only for companies that the request names:
 * whether a request is rejected must not depend on their figures.
 *
 * @param what the part of the request that exceeds the cap, for the message
 * @param hint how to request less, if less may still fit */
export async function enforceEntityCap(
  { sql }: { readonly sql: Sql },
  principal: Principal,
  entityIds: readonly number[],
  what: string,
  param: string,
  hint = '',
): Promise<void> {
  const { keyId, entityCap } = principal
  if (keyId === null || entityCap === null || entityIds.length === 0) return
  if (await recordEntities(sql, keyId, entityIds, entityCap)) return
  throw new Failure(
    'entity_cap_reached',
    `This ${principal.licence} key may see ${entityCap.toLocaleString('en-US')} distinct companies, and ${what} would exceed that. Companies it has already seen stay available${hint}. A Personal or Commercial data licence covers all companies.`,
    { param },
  )
}

/** What a capped key may still see. */
export interface Allowance {
  /** The ids of the companies that it has already seen. */
  readonly seen: readonly number[]
  /** How many more companies it may see. */
  readonly left: number
}

/** Another request of the same key used up the allowance after it was read and before the page was
 * counted. */
class AllowanceTaken extends Error {}

const maxAttempts = 8

/** Calls `work` with the key's allowance, or with null for keys without a cap. When a capped key requests a
 * page of a market without naming companies, the page covers all companies only while the key may still see
 * as many as a page can have. After that it covers only companies that the key has seen. So neither the
 * response nor a rejection depends on figures that the key may not see. `work` runs again if another request
 * used the allowance in the meantime. */
export function withAllowance<T>(
  sql: Sql,
  { keyId, entityCap }: Principal,
  work: (allowance: Allowance | null) => T | Promise<T>,
): T | Promise<T> {
  return keyId === null || entityCap === null ? work(null) : withOwnAllowance(sql, keyId, entityCap, work)
}

async function withOwnAllowance<T>(
  sql: Sql,
  keyId: number,
  cap: number,
  work: (allowance: Allowance) => T | Promise<T>,
): Promise<T> {
  for (let attempts = maxAttempts; attempts > 0; attempts--) {
    const { seen, lineages } = await seenEntities(sql, keyId)
    try {
      return await work({ seen, left: Math.max(0, cap - lineages) })
    } catch (error) {
      if (!(error instanceof AllowanceTaken)) throw error
    }
  }
  throw new Failure(
    'compute_busy',
    'Other requests of this key kept adding companies to its count while this one was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** Counts the companies of a page that was read from all companies of a market.
 *
 * @param limit how many companies the page could have had: counting by the actual number would reveal
 *   figures */
export async function countPage(
  sql: Sql,
  { keyId, entityCap }: Principal,
  entityIds: readonly number[],
  limit: number,
): Promise<void> {
  if (keyId === null || entityCap === null) return
  if (!(await recordPage(sql, keyId, entityIds, limit, entityCap))) throw new AllowanceTaken()
}
