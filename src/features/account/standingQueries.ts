import type { Sql } from '../../postgres/client.ts'

/** A key with its grant, as its page and `GET /api/v1/me` show it. Days are UTC days. */
export interface KeyStanding {
  readonly keyId: number
  /** The key that holds the grant. Keys with the same root share budget and companies. */
  readonly rootKeyId: number
  readonly name: string | null
  readonly prefix: string
  readonly licence: string
  readonly quant: boolean
  readonly perMinute: number
  readonly perDay: number | null
  readonly entityCap: number | null
  readonly entitiesUsed: number
  readonly bulk: boolean
  readonly created: string
  /** UTC, to the minute; null if never used. */
  readonly lastUsed: string | null
  /** The last day of the grant; null if it has no end. */
  readonly expires: string | null
  /** UTC, to the minute; set for rotated keys. */
  readonly retires: string | null
  /** Whether the key remains a free key after its other grants end. */
  readonly hasFreeGrant: boolean
  /** The first day of a grant that has not begun; null if it has. */
  readonly starts: string | null
  /** `waiting`: granted, but the holder has not created the secret yet. */
  readonly state: 'active' | 'waiting' | 'replaced' | 'expired' | 'revoked'
}

const columns = (sql: Sql) => sql`
  k.key_id as "keyId", g.key_id as "rootKeyId", h.name, k.prefix, g.licence, g.quant, g.per_minute as "perMinute",
  g.per_day as "perDay", g.entity_cap as "entityCap",
  lineages_seen(g.key_id) as "entitiesUsed",
  g.bulk, k.created_at::date::text as created,
  to_char(u.used_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as "lastUsed",
  (g.expires_at - interval '1 microsecond')::date::text as expires,
  to_char(k.retires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as retires,
  exists (select from key_grant f where f.key_id = g.key_id and f.licence = 'free') as "hasFreeGrant",
  case when g.starts_at > now() then g.starts_at::date::text end as starts,
  case when k.revoked_at is not null or k.retires_at <= now() then 'revoked'
       when g.expires_at <= now() then 'expired'
       when h.is_waiting then 'waiting'
       when k.retires_at is not null then 'replaced'
       else 'active' end as state`

/**
 * The grant `g` of a key `k`. A key that has ended keeps the grant it had then: keys of one family share their
 * grants, so a licence granted later would otherwise be shown as that of a key that never had it.
 */
export const grantOfKey = (sql: Sql) => sql`
  cross join lateral (
    select case when k.revoked_at is not null or k.retires_at <= now()
                then least(k.revoked_at, k.retires_at) end as at
  ) ended
  join lateral (
    select * from grant_that_counts(coalesce(k.root_key_id, k.key_id)) where ended.at is null
    union all
    (select * from key_grant where key_id = coalesce(k.root_key_id, k.key_id) and ended.at is not null
     order by (granted_at <= ended.at) desc, (starts_at <= ended.at) desc,
              (expires_at is null or expires_at > ended.at) desc, grant_id desc
     limit 1)
  ) g on true`

/** The keys of an account: working ones first, then newest first. */
export async function listHeldKeys(sql: Sql, accountId: number): Promise<KeyStanding[]> {
  const rows = await sql<KeyStanding[]>`
    select ${columns(sql)}
    from account.held_key h join api_key k using (key_id) ${grantOfKey(sql)}
    left join account.key_use u on u.key_id = k.key_id
    where h.account_id = ${accountId}
    order by (k.revoked_at is null and (k.retires_at is null or k.retires_at > now())) desc, k.key_id desc
    limit 50`
  return [...rows]
}

export async function findStanding(sql: Sql, keyId: number): Promise<KeyStanding | null> {
  const [row] = await sql<KeyStanding[]>`
    select ${columns(sql)}
    from api_key k left join account.held_key h using (key_id) ${grantOfKey(sql)}
    left join account.key_use u on u.key_id = k.key_id
    where k.key_id = ${keyId}`
  return row ?? null
}
