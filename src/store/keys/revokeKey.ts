import type { Sql } from '../database.ts'

export interface RevokedKey {
  readonly prefix: string
  readonly email: string
  /** False: it had been revoked before. */
  readonly changed: boolean
}

/** Revokes the one key whose prefix begins with `beginning`; where several do, none is touched and their prefixes
 * are returned (at most 10). */
export async function revokeKey(sql: Sql, beginning: string): Promise<RevokedKey[]> {
  return sql.begin(async transaction => {
    const found = await transaction<(RevokedKey & { key_id: number })[]>`
      select key_id, prefix, email, revoked_at is null as changed
      from api_key where starts_with(prefix, ${beginning}) order by key_id limit 10 for update`
    if (found.length === 1 && found[0].changed) {
      await transaction`update api_key set revoked_at = now() where key_id = ${found[0].key_id}`
    }
    return found.map(({ prefix, email, changed }) => ({ prefix, email, changed }))
  })
}
