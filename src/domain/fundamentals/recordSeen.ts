import { Failure } from '../../errors.ts'
import type { Principal } from '../../model/access.ts'
import type { FundamentalsDeps } from './deps.ts'

/** Counts the companies of an answer against the cap of its key. One that would pass it is refused as a whole, and
 * counts none.
 *
 * @param mend what to do about it, where less than everything may still fit */
export async function recordSeen(
  deps: Pick<FundamentalsDeps, 'recordEntities'>,
  principal: Principal,
  entityIds: readonly number[],
  what: string,
  param: string,
  mend = '',
): Promise<void> {
  const { keyId, entityCap } = principal
  if (keyId === null || entityCap === null || entityIds.length === 0) return
  if (await deps.recordEntities(keyId, entityIds, entityCap)) return
  throw new Failure(
    'entity_cap_reached',
    `This ${principal.licence} key may see ${entityCap.toLocaleString('en-US')} distinct entities, and ${what} would pass that. Those it has seen stay open${mend}; a Personal or Commercial data licence opens all.`,
    { param },
  )
}
