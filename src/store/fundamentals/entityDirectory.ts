import type { Sql } from '../database.ts'
import { type EntityIdentity, findEntity } from './findEntity.ts'

/** Remembers which entity an ID names, so that a request for a known company costs no statement before the
 * cache of answers is asked. `forget` belongs to a new data version. Unknown IDs are not remembered. */
export interface EntityDirectory {
  find(id: string): Promise<EntityIdentity | null>
  forget(): void
}

export function entityDirectory(sql: Sql, capacity = 50_000): EntityDirectory {
  let known = new Map<string, EntityIdentity>()
  return {
    async find(id) {
      const remembered = known.get(id)
      if (remembered !== undefined) return remembered
      const asked = known
      const found = await findEntity(sql, id)
      if (found === null || asked !== known) return found
      if (known.size >= capacity) {
        const oldest = known.keys().next()
        if (!oldest.done) known.delete(oldest.value)
      }
      known.set(id, found)
      return found
    },
    forget() {
      known = new Map()
    },
  }
}
