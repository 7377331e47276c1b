import type { Sql } from '../database.ts'
import { type EntityIdentity, findNamed } from './findNamed.ts'

/** Remembers which entity an ID names, so that a request for a known company costs no statement before the
 * cache of answers is asked. `forget` belongs to a new data version. Unknown IDs are not remembered. */
export interface EntityDirectory {
  /** By ID; those that name nobody are left out. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, EntityIdentity>>
  forget(): void
}

export function entityDirectory(sql: Sql, capacity = 50_000): EntityDirectory {
  let known = new Map<string, EntityIdentity>()
  return {
    async findAll(ids) {
      const found = new Map<string, EntityIdentity>()
      const asked = known
      for (const id of ids) {
        const remembered = asked.get(id)
        if (remembered !== undefined) found.set(id, remembered)
      }
      if (found.size === ids.length) return found
      const unseen = await findNamed(
        sql,
        ids.filter(id => !found.has(id)),
      )
      for (const [id, entity] of unseen) {
        found.set(id, entity)
        if (asked !== known) continue
        if (known.size >= capacity) {
          const oldest = known.keys().next()
          if (!oldest.done) known.delete(oldest.value)
        }
        known.set(id, entity)
      }
      return found
    },
    forget() {
      known = new Map()
    },
  }
}
