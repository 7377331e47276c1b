import type { Sql } from '../database.ts'

export interface ListedGrant {
  readonly grant: number
  readonly key: string
  readonly email: string
  readonly licence: string
  readonly quant: boolean
  readonly per_minute: number
  readonly per_day: number | null
  readonly entity_cap: number | null
  readonly entities_seen: number
  readonly bulk: boolean
  readonly granted: string
  readonly expires: string | null
  readonly state: 'running' | 'expired' | 'revoked'
}

/** What was sold to whom, the oldest first. */
export async function listGrants(sql: Sql): Promise<ListedGrant[]> {
  const rows = await sql<ListedGrant[]>`
    select g.grant_id as grant, k.prefix as key, k.email, g.licence, g.quant, g.per_minute, g.per_day, g.entity_cap,
           (select count(*)::int from key_entity e where e.key_id = k.key_id) as entities_seen,
           g.bulk, g.granted_at::date::text as granted, g.expires_at::date::text as expires,
           case when k.revoked_at is not null then 'revoked'
                when g.expires_at <= now() then 'expired'
                else 'running' end as state
    from key_grant g join api_key k using (key_id)
    order by g.grant_id`
  return [...rows]
}
