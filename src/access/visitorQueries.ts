import type { Sql, SqlClient } from '../postgres/client.ts'
import { licences, type Principal } from '../rights/licences.ts'

/** The account that a session belongs to. */
export interface Session {
  readonly sessionId: number
  readonly accountId: number
  readonly email: string
  /** The registrable domain. */
  readonly domain: string
  /** A UTC day. */
  readonly memberSince: string
  readonly signedIn: string
  readonly ends: string
}

/** The session of a token; null: it has ended. Updates the session's last-seen time at most once in ten
 * minutes. */
export async function findSession(sql: Sql, digest: Uint8Array): Promise<Session | null> {
  const [row] = await sql<Session[]>`
    with seen as (
      update account.session set seen_at = now()
      where digest = ${digest} and expires_at > now() and seen_at < now() - interval '10 minutes'
    )
    select s.session_id as "sessionId", a.account_id as "accountId", a.email, a.domain,
           a.created_at::date::text as "memberSince", s.created_at::date::text as "signedIn",
           s.expires_at::date::text as ends
    from account.session s join account.account a using (account_id)
    where s.digest = ${digest} and s.expires_at > now()`
  return row ?? null
}

/** What a session gives access to on pages and downloads. */
export interface SessionRights {
  /** null: the account has no active grant. */
  readonly grant: BestGrant | null
}

/** The best active grant of an account, with the rights that its key has on the API. */
export interface BestGrant extends Principal {
  readonly perMinute: number
  readonly perDay: number | null
}

type Row = { digest: string } & (BestGrant | { keyId: null })

/** The active grant of each working key of an account `s`, chosen as authentication chooses it. */
const runningGrants = (sql: SqlClient) => sql`(
  select g.*
  from (
    select distinct coalesce(k.root_key_id, k.key_id) as root_key_id
    from account.held_key h join api_key k using (key_id)
    where h.account_id = s.account_id and k.revoked_at is null
      and (k.retires_at is null or k.retires_at > now())
  ) family
  join lateral grant_that_counts(family.root_key_id) g
    on g.starts_at <= now() and (g.expires_at is null or g.expires_at > now())
)`

/** A key with the quant plan, identified as limits and backtests do: by the first key of its rotations. */
export interface QuantKey {
  readonly keyId: number
  readonly prefix: string
  readonly perMinute: number
  readonly perDay: number | null
}

/** The keys with the quant plan that belong to the session's account. The first one is the key that backtests
 * run as. The plan need not be on the key with the account's best grant. */
export async function findQuantKeys(sql: Sql, digest: Uint8Array): Promise<QuantKey[]> {
  const rows = await sql<QuantKey[]>`
    select g.key_id as "keyId", k.prefix, g.per_minute as "perMinute", g.per_day as "perDay"
    from account.session s
    join lateral ${runningGrants(sql)} g on g.quant
    join api_key k on k.key_id = g.key_id
    where s.digest = ${digest} and s.expires_at > now()
    order by g.per_minute desc, g.per_day desc nulls first, g.grant_id desc`
  return [...rows]
}

/** The rights of these sessions; ended sessions are omitted. Updates the last-seen time of a session at most
 * once in ten minutes.
 *
 * The best active grant is the one with the highest licence, in the order of `licences`, among the working
 * keys of the account. On a tie, the one with more requests per minute wins, then per day, then the later
 * one. Each key is considered with the grant that authentication uses, so no page shows data that the API
 * refuses to the key. Companies count against the key that holds the grant.
 *
 * @param digests of the tokens in base64, as are the keys of the returned map */
export async function findSessionRights(
  sql: Sql,
  digests: readonly string[],
): Promise<ReadonlyMap<string, SessionRights>> {
  const rows = await sql<Row[]>`
    with sent as (
      select decode(digest, 'base64') as digest from unnest(${[...digests]}::text[]) as given (digest)
    ), seen as (
      update account.session set seen_at = now() where session_id in (
        select session_id from account.session join sent using (digest)
        where expires_at > now() and seen_at < now() - interval '10 minutes'
        for update of session skip locked)
    )
    select encode(s.digest, 'base64') as digest, best.*
    from sent join account.session s using (digest)
    left join lateral (
      select g.key_id as "keyId", g.licence, g.quant, g.per_minute as "perMinute", g.per_day as "perDay",
             g.entity_cap as "entityCap", g.bulk
      from ${runningGrants(sql)} g
      order by array_position(${[...licences]}::text[], g.licence) desc, g.per_minute desc,
               g.per_day desc nulls first, g.grant_id desc
      limit 1
    ) best on true
    where s.expires_at > now()`
  return new Map(rows.map(({ digest, ...grant }) => [digest, { grant: grant.keyId === null ? null : grant }]))
}
