import type { Licence } from '../../model/access.ts'
import type { Sql } from '../database.ts'

export interface KeyLicence {
  readonly licence: Licence
  /** Distinct entities the key may see in its life; null: no cap. */
  readonly entityCap: number | null
}

/** What a key was sold: of several grants one that still runs, and of those the last one sold. null: no such key. */
export async function readLicence(sql: Sql, keyId: number): Promise<KeyLicence | null> {
  const [row] = await sql<KeyLicence[]>`
    select licence, entity_cap as "entityCap"
    from key_grant where key_id = ${keyId}
    order by (expires_at is null or expires_at > now()) desc, grant_id desc
    limit 1`
  return row ?? null
}
