import type { Sql, TransactionSql } from '../postgres/client.ts'
import { claimEvaluation } from './evaluationQueries.ts'

export interface StoredKey {
  /** The key that holds the grant. For a rotated key it is the first key of the chain, with which it shares
   * its budget, companies and panels. */
  readonly keyId: number
  readonly ownKeyId: number
  readonly prefix: string
  readonly revoked: boolean
  /** When a rotated key stops working, in milliseconds since 1970; null: it was not rotated. */
  readonly retiresAtMs: number | null
  readonly licence: string
  readonly quant: boolean
  readonly perMinute: number
  readonly perDay: number | null
  readonly entityCap: number | null
  readonly bulk: boolean
  /** Milliseconds since 1970; null: never. */
  readonly expiresAtMs: number | null
}

/** The key that holds the grant of key `k`. */
const rootOf = (sql: Sql) => sql`coalesce(k.root_key_id, k.key_id)`

const storedColumns = (sql: Sql) => sql`
  ${rootOf(sql)} as "keyId", k.key_id as "ownKeyId", k.prefix, k.revoked_at is not null as revoked,
  (extract(epoch from k.retires_at) * 1000)::float8 as "retiresAtMs",
  g.licence, g.quant, g.per_minute as "perMinute", g.per_day as "perDay", g.entity_cap as "entityCap", g.bulk,
  (extract(epoch from g.expires_at) * 1000)::float8 as "expiresAtMs"`

/** The key with its effective grant. */
export async function findKey(sql: Sql, digest: Uint8Array): Promise<StoredKey | null> {
  const [row] = await sql<StoredKey[]>`
    select ${storedColumns(sql)}
    from api_key k join lateral grant_that_counts(${rootOf(sql)}) g on g.starts_at <= now()
    where k.digest = ${digest}`
  return row ?? null
}

/** Like `findKey`, for many keys in one query.
 *
 * @param digests in base64, as are the keys of the returned map */
export async function findKeys(
  sql: Sql,
  digests: readonly string[],
): Promise<ReadonlyMap<string, StoredKey>> {
  const rows = await sql<(StoredKey & { digest: string })[]>`
    select encode(k.digest, 'base64') as digest, ${storedColumns(sql)}
    from unnest(${[...digests]}::text[]) as sent (digest)
    join api_key k on k.digest = decode(sent.digest, 'base64')
    join lateral grant_that_counts(${rootOf(sql)}) g on g.starts_at <= now()`
  return new Map(rows.map(({ digest, ...key }) => [digest, key]))
}

export interface NewKey {
  readonly digest: Uint8Array
  readonly prefix: string
  readonly lastFour: string
  readonly email: string
}

export interface NewGrant {
  readonly licence: string
  readonly quant: boolean
  readonly perMinute: number
  readonly perDay: number | null
  readonly entityCap: number | null
  readonly bulk: boolean
  /** The registrable domain; null: not an evaluation. */
  readonly evaluationDomain: string | null
  /** The first instant at which the key no longer works; null: never. */
  readonly expiresAt: string | null
}

/** Inserts a key together with its grant. Returns null if the company has already used its evaluation. */
export async function insertKey(sql: Sql, key: NewKey, grant: NewGrant): Promise<number | null> {
  return sql.begin(transaction => insertInto(transaction, key, grant))
}

/** Runs `work` in a transaction if there is no key, and keeps other servers from inserting one meanwhile.
 * Returns null if a key exists. */
export async function whileNoKeyExists<T>(
  sql: Sql,
  work: (insert: (key: NewKey, grant: NewGrant) => Promise<unknown>) => Promise<T>,
): Promise<T | null> {
  const result = await sql.begin(async transaction => {
    await transaction`lock table api_key in share row exclusive mode`
    const found = await transaction`select 1 from api_key limit 1`
    if (found.length > 0) return { value: null }
    return { value: await work((key, grant) => insertInto(transaction, key, grant)) }
  })
  return result.value
}

/** Inserts a key without a grant of its own.
 *
 * @param rootKeyId the key whose grant it shares; null: its own grant is inserted separately */
export async function insertKeyRow(
  transaction: TransactionSql,
  key: NewKey,
  rootKeyId: number | null,
): Promise<number> {
  const [row] = await transaction<{ key_id: number }[]>`
    insert into api_key (digest, prefix, last_four, email, root_key_id)
    values (${key.digest}, ${key.prefix}, ${key.lastFour}, ${key.email}, ${rootKeyId})
    returning key_id`
  return row.key_id
}

/** Inserts a key together with its grant in the caller's transaction. Returns null as `insertKey` does. */
export async function insertInto(
  transaction: TransactionSql,
  key: NewKey,
  grant: NewGrant,
): Promise<number | null> {
  const { evaluationDomain } = grant
  if (evaluationDomain !== null && !(await claimEvaluation(transaction, evaluationDomain))) return null
  const keyId = await insertKeyRow(transaction, key, null)
  const granted = await transaction`
      insert into key_grant
        (key_id, licence, quant, per_minute, per_day, entity_cap, bulk, evaluation_domain, expires_at)
      values (
        ${keyId}, ${grant.licence}, ${grant.quant}, ${grant.perMinute}, ${grant.perDay}, ${grant.entityCap},
        ${grant.bulk}, ${grant.evaluationDomain}, ${grant.expiresAt}::timestamptz)
      on conflict (evaluation_domain) do nothing
      returning grant_id`
  if (granted.length > 0) return keyId
  await transaction`delete from api_key where key_id = ${keyId}`
  return null
}

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

/** The last day (UTC) of grant `g`: the stored value is the midnight after it. */
const lastDay = (sql: Sql) => sql`(g.expires_at - interval '1 microsecond')::date::text`

/** All keys with their effective grants, oldest first. Days are UTC days. */
export async function listKeys(sql: Sql): Promise<ListedKey[]> {
  const rows = await sql<ListedKey[]>`
    select k.prefix, k.last_four, k.email, g.licence, g.quant,
           k.created_at::date::text as created,
           ${lastDay(sql)} as expires,
           coalesce(k.revoked_at, case when k.retires_at <= now() then k.retires_at end)::date::text as revoked
    from api_key k
    join lateral grant_that_counts(${rootOf(sql)}) g on true
    order by k.key_id`
  return [...rows]
}

export interface RevokedKey {
  readonly prefix: string
  readonly email: string
  /** false: the key had already been revoked. */
  readonly changed: boolean
}

/** Revokes the only key whose prefix starts with `start`. If several match, none is changed, and up to 10 of
 * them are returned.
 *
 * @param begin runs first in the transaction, for example to set the actor */
export async function revokeKey(
  sql: Sql,
  start: string,
  begin: (transaction: TransactionSql) => Promise<void>,
): Promise<RevokedKey[]> {
  return sql.begin(async transaction => {
    await begin(transaction)
    const found = await transaction<(RevokedKey & { key_id: number })[]>`
      select key_id, prefix, email, revoked_at is null as changed
      from api_key where starts_with(prefix, ${start}) order by key_id limit 10 for update`
    if (found.length === 1 && found[0].changed) await revokeWithReplaced(transaction, found[0].key_id)
    return found.map(({ prefix, email, changed }) => ({ prefix, email, changed }))
  })
}

/** Revokes a key, and the key that it replaced with it: during its last day, that key would still give access
 * to the same grant. */
export async function revokeWithReplaced(transaction: TransactionSql, keyId: number): Promise<void> {
  await transaction`
    update api_key set revoked_at = now() from (
      select k.key_id, coalesce(k.root_key_id, k.key_id) as root_key_id, k.retires_at is null as is_current
      from api_key k where k.key_id = ${keyId} and k.revoked_at is null
    ) chosen
    where api_key.key_id = chosen.key_id
       or (chosen.is_current and api_key.revoked_at is null and api_key.retires_at > now()
           and (api_key.key_id = chosen.root_key_id or api_key.root_key_id = chosen.root_key_id))`
}

/** Calls `onChange` when a key or a grant has changed on any server, and after each reconnect to the
 * database, because notifications may have been lost in between. Returns a function that ends the watch. */
export async function watchAccess(sql: Sql, onChange: () => void): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen('asfiled_access', onChange, onChange)
  return unlisten
}

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
  readonly starts: string
  readonly expires: string | null
  readonly state: 'running' | 'upcoming' | 'expired' | 'revoked'
}

/** Grants, oldest first, each with the key that uses it: for rotated keys, the latest one.
 *
 * @param rootKeyIds only the grants of these keys; null: all */
export async function listGrants(
  sql: Sql,
  rootKeyIds: readonly number[] | null = null,
): Promise<ListedGrant[]> {
  const rows = await sql<ListedGrant[]>`
    select g.grant_id as grant, k.prefix as key, k.email, g.licence, g.quant, g.per_minute, g.per_day, g.entity_cap,
           lineages_seen(g.key_id) as entities_seen,
           g.bulk, g.granted_at::date::text as granted, g.starts_at::date::text as starts, ${lastDay(sql)} as expires,
           case when k.revoked_at is not null then 'revoked'
                when g.expires_at <= now() then 'expired'
                when g.starts_at > now() then 'upcoming'
                else 'running' end as state
    from key_grant g
    join lateral (
      select prefix, email, revoked_at from api_key k where k.key_id = g.key_id or k.root_key_id = g.key_id
      order by (revoked_at is null and retires_at is null) desc, key_id desc limit 1
    ) k on true
    ${rootKeyIds === null ? sql`` : sql`where g.key_id = any(${[...rootKeyIds]}::int[])`}
    order by g.grant_id`
  return [...rows]
}
