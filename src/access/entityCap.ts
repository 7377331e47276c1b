import { Failure } from '../errors.ts'
import type { Principal } from './licences.ts'

export interface EntityCapDeps {
  /** Notes that a capped key sees these entities; false: with them it would pass its cap, and none is noted. */
  readonly recordEntities: (keyId: number, entityIds: readonly number[], cap: number) => Promise<boolean>
}

/** Counts the companies of an answer against the cap of its key. One that would pass it is refused as a whole, and
 * counts none.
 *
 * @param mend what to do about it, where less than everything may still fit */
export async function recordSeen(
  deps: EntityCapDeps,
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
