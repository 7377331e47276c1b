import type { Sql, SqlClient } from '../postgres/client.ts'
import { licences, type Principal } from './licences.ts'

/** Who is signed in with a session. */
export interface Session {
  readonly sessionId: number
  readonly accountId: number
  readonly email: string
  /** Registrable. */
  readonly domain: string
  /** UTC days. */
  readonly memberSince: string
  readonly signedIn: string
  readonly ends: string
}

/** The session of a token; null: it has ended. At most once in ten minutes it is written when the session was last seen. */
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

/** What a session opens on pages and downloads. */
export interface SessionRights {
  /** null: no grant of the account runs. */
  readonly grant: BestGrant | null
}

/** The best active grant of an account, as its key has it on the API. */
export interface BestGrant extends Principal {
  readonly perMinute: number
  readonly perDay: number | null
}

type Row = { digest: string } & (BestGrant | { keyId: null })

/** Of each key of an account `s` that works, the grant that authentication uses. */
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

/** A key with the quant plan, as limits and backtests know it: by the root of its rotations. */
export interface QuantKey {
  readonly keyId: number
  readonly prefix: string
  readonly perMinute: number
  readonly perDay: number | null
}

/** The keys with the quant plan of the account that is signed in with a session, the one that backtests run as first: the plan may be
 * on another key than the account's best grant. */
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

/** The rights of these sessions; one that has ended is not among them. It is written at most once in ten minutes when a session was
 * last seen.
 *
 * The best active grant is, of the keys of the account that work, the grant with the highest licence, in the order of `licences`; of
 * two the one with more requests a minute, then a day, then the later one. Each key comes with the grant that authentication uses,
 * so that no page shows what the key is refused. Companies count by the key that holds the grant.
 *
 * @param digests of the tokens, in base64, as the keys of the returned map are */
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
