import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import type { Principal } from './licences.ts'
import { recordEntities } from './queries.ts'

/** Counts the companies of a response against the cap of its key. A response that would exceed the cap is refused as a whole,
 * and none of its companies counts.
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
