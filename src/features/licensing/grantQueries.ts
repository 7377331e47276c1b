import { insertKeyRow, type NewKey } from '../../access/queries.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import type { PeriodGrant } from './terms.ts'

/** A key to which a grant may be added. */
export interface GrantKey {
  readonly keyId: number
  /** The key that holds the grants. */
  readonly rootKeyId: number
  readonly prefix: string
  /** Null for keys created on the command line. */
  readonly accountId: number | null
  readonly licence: string
}

const grantKeys = (sql: Sql | TransactionSql) => sql`
  select k.key_id as "keyId", coalesce(k.root_key_id, k.key_id) as "rootKeyId", k.prefix, h.account_id as "accountId",
         (select g.licence from grant_that_counts(coalesce(k.root_key_id, k.key_id)) g where g.starts_at <= now()) as licence
  from api_key k left join account.held_key h using (key_id)
  where k.revoked_at is null and k.retires_at is null`

/** Keys with this prefix that are neither revoked nor replaced. */
export async function findKeysByPrefix(sql: TransactionSql, start: string): Promise<GrantKey[]> {
  const rows = await sql<
    GrantKey[]
  >`${grantKeys(sql)} and starts_with(k.prefix, ${start}) order by k.key_id limit 10`
  return [...rows]
}

/** The account's keys that are neither revoked nor replaced, newest first. */
export async function listGrantKeys(sql: Sql | TransactionSql, accountId: number): Promise<GrantKey[]> {
  const rows = await sql<GrantKey[]>`
    ${grantKeys(sql)} and h.account_id = ${accountId} order by k.key_id desc limit 50`
  return [...rows]
}

/**
 * Serialises changes to an account's licences across all servers. A stronger lock could deadlock with a
 * revocation, which locks its key and then writes to the account's audit log.
 */
export async function lockAccount(
  transaction: TransactionSql,
  account: { readonly accountId: number } | { readonly email: string },
): Promise<{ accountId: number; email: string } | null> {
  const [row] = await transaction<{ accountId: number; email: string }[]>`
    select account_id as "accountId", email from account.account
    where ${'accountId' in account ? transaction`account_id = ${account.accountId}` : transaction`email = ${account.email}`}
    for no key update`
  return row ?? null
}

/** The latest grant of an account's keys, or 0. */
export async function latestGrantId(sql: Sql | TransactionSql, accountId: number): Promise<number> {
  const [row] = await sql<{ latest: number }[]>`
    select coalesce(max(g.grant_id), 0) as latest
    from account.held_key h join api_key k using (key_id) join key_grant g on g.key_id = coalesce(k.root_key_id, k.key_id)
    where h.account_id = ${accountId}`
  return row.latest
}

/** Gives an account a key without a secret, which its holder creates. */
export async function insertWaitingKey(
  transaction: TransactionSql,
  accountId: number,
  key: NewKey,
  name: string,
): Promise<number> {
  const keyId = await insertKeyRow(transaction, key, null)
  await transaction`
    insert into account.held_key (key_id, account_id, name, is_waiting) values (${keyId}, ${accountId}, ${name}, true)`
  return keyId
}

/** Fails with `AF001` if the grant would lower a paid one of the same key. */
export async function insertGrant(
  transaction: TransactionSql,
  rootKeyId: number,
  grant: PeriodGrant,
): Promise<number> {
  const [row] = await transaction<{ grant_id: number }[]>`
    insert into key_grant (key_id, licence, quant, per_minute, per_day, entity_cap, bulk, starts_at, expires_at)
    values (
      ${rootKeyId}, ${grant.licence}, ${grant.quant}, ${grant.perMinute}, ${grant.perDay}, ${grant.entityCap}, ${grant.bulk},
      ${grant.startsAt}::timestamptz, ${grant.expiresAt}::timestamptz)
    returning grant_id`
  return row.grant_id
}

export interface LockedGrant {
  readonly grantId: number
  readonly licence: string
  readonly quant: boolean
  readonly perMinute: number
  readonly perDay: number | null
  readonly entityCap: number | null
  readonly bulk: boolean
  readonly prefix: string
  readonly firstDay: string
  /** Null for no end. */
  readonly lastDay: string | null
  readonly hasEnded: boolean
  readonly isRevoked: boolean
}

/** Locks a grant until the transaction ends. Returns null if there is none. */
export async function lockGrant(transaction: TransactionSql, grantId: number): Promise<LockedGrant | null> {
  const [row] = await transaction<LockedGrant[]>`
    select g.grant_id as "grantId", g.licence, g.quant, g.per_minute as "perMinute", g.per_day as "perDay",
           g.entity_cap as "entityCap", g.bulk, k.prefix, (g.starts_at at time zone 'UTC')::date::text as "firstDay",
           (g.expires_at at time zone 'UTC' - interval '1 microsecond')::date::text as "lastDay",
           coalesce(g.expires_at <= now(), false) as "hasEnded",
           not exists (select from api_key m where (m.key_id = g.key_id or m.root_key_id = g.key_id) and m.revoked_at is null)
             as "isRevoked"
    from key_grant g join api_key k using (key_id) where g.grant_id = ${grantId} for update of g`
  return row ?? null
}

/** @param expiresAt null for no end */
export async function setGrantEnd(
  transaction: TransactionSql,
  grantId: number,
  expiresAt: string | null,
): Promise<void> {
  await transaction`update key_grant set expires_at = ${expiresAt}::timestamptz where grant_id = ${grantId}`
}
