import type { Sql } from '../database.ts'

export interface StoredKey {
  readonly keyId: number
  readonly prefix: string
  readonly revoked: boolean
  readonly licence: string
  readonly quant: boolean
  readonly perMinute: number
  readonly perDay: number | null
  readonly entityCap: number | null
  readonly bulk: boolean
  /** Milliseconds since 1970; null: never. */
  readonly expiresAtMs: number | null
}

/** The key with its grant: of several, one that still runs, and of those the last one sold. */
export async function findKey(sql: Sql, digest: Uint8Array): Promise<StoredKey | null> {
  const [row] = await sql<StoredKey[]>`
    select k.key_id as "keyId", k.prefix, k.revoked_at is not null as revoked,
           g.licence, g.quant, g.per_minute as "perMinute", g.per_day as "perDay",
           g.entity_cap as "entityCap", g.bulk,
           (extract(epoch from g.expires_at) * 1000)::float8 as "expiresAtMs"
    from api_key k join key_grant g using (key_id)
    where k.digest = ${digest}
    order by (g.expires_at is null or g.expires_at > now()) desc, g.grant_id desc
    limit 1`
  return row ?? null
}
