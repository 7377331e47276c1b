import type { Sql } from '../database.ts'

export interface ListedKey {
  readonly prefix: string
  readonly last_four: string
  readonly email: string
  readonly licence: string
  readonly quant: boolean
  readonly created: string
  readonly expires: string | null
  readonly revoked: string | null
}

/** Every key, the oldest first, with the last grant it was sold. Days are UTC days. */
export async function listKeys(sql: Sql): Promise<ListedKey[]> {
  const rows = await sql<ListedKey[]>`
    select k.prefix, k.last_four, k.email, g.licence, g.quant,
           k.created_at::date::text as created,
           g.expires_at::date::text as expires,
           k.revoked_at::date::text as revoked
    from api_key k
    join lateral (
      select licence, quant, expires_at from key_grant where key_id = k.key_id order by grant_id desc limit 1
    ) g on true
    order by k.key_id`
  return [...rows]
}
