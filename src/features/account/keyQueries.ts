import {
  insertInto,
  insertKeyRow,
  type NewGrant,
  type NewKey,
  revokeWithReplaced,
} from '../../access/queries.ts'
import type { Actor } from '../../access/signedIn.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { nameActor, writeAudit } from './auditQueries.ts'

/** What an account does with its keys happens one after the other, on all servers. A stronger lock would keep out entries of the audit
 * log: an operator who revokes the same key writes one with the key locked, and each would wait for the other. */
export async function lockAccount(transaction: TransactionSql, actor: Actor): Promise<void> {
  await transaction`select from account.account where account_id = ${actor.accountId} for no key update`
  await nameActor(transaction, actor)
}

/** Keys `k` that work and have not been rotated. Their grants may have ended. */
const isCurrent = (sql: Sql | TransactionSql) => sql`(k.revoked_at is null and k.retires_at is null)`

/** Stores a free key unless the account has a current one. Returns whether it did. It shares the grant of earlier free keys, so that
 * revoking renews no budget, save of those that were granted more: a new key would bring back what an operator has revoked. */
export async function storeFreeKey(
  sql: Sql,
  actor: Actor,
  { key, grant, name }: { key: NewKey; grant: NewGrant; name: string },
): Promise<boolean> {
  return sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    const family = await transaction<{ rootKeyId: number; isCurrent: boolean; isFreeAlone: boolean }[]>`
      select coalesce(k.root_key_id, k.key_id) as "rootKeyId", ${isCurrent(transaction)} as "isCurrent",
             not exists (select from key_grant g where g.key_id = coalesce(k.root_key_id, k.key_id)
                           and (g.licence <> 'free' or g.quant)) as "isFreeAlone"
      from account.held_key h join api_key k using (key_id)
      where h.account_id = ${actor.accountId} and exists (
        select from key_grant g where g.key_id = coalesce(k.root_key_id, k.key_id) and g.licence = 'free')`
    if (family.some(member => member.isCurrent)) return false
    const rootKeyId = family.find(member => member.isFreeAlone)?.rootKeyId ?? null
    const keyId =
      rootKeyId === null
        ? await insertInto(transaction, key, grant)
        : await insertKeyRow(transaction, key, rootKeyId)
    if (keyId === null) return false
    await holdKey(transaction, actor, keyId, name)
    // A key with a grant of its own is recorded by the trigger of grants.
    if (rootKeyId !== null)
      await writeAudit(transaction, 'key_made', key.prefix, 'shares the grant of earlier keys')
    return true
  })
}

export async function holdKey(
  transaction: TransactionSql,
  actor: Actor,
  keyId: number,
  name: string,
): Promise<void> {
  await transaction`
    insert into account.held_key (key_id, account_id, name) values (${keyId}, ${actor.accountId}, ${name})`
}

interface Rotation {
  readonly keyId: number
  readonly key: NewKey
  readonly overlapHours: number
}

/** Adds a key to the family of a current one, which then ends after the overlap. Returns false if the account has no such key. */
export async function rotateHeldKey(sql: Sql, actor: Actor, rotation: Rotation): Promise<boolean> {
  const { keyId, key, overlapHours } = rotation
  return sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    const [old] = await transaction<{ rootKeyId: number; prefix: string; name: string }[]>`
      select coalesce(k.root_key_id, k.key_id) as "rootKeyId", k.prefix, h.name
      from account.held_key h join api_key k using (key_id)
      where h.account_id = ${actor.accountId} and k.key_id = ${keyId} and ${isCurrent(transaction)}
        and not h.is_waiting`
    if (old === undefined) return false
    await transaction`
      update api_key k set revoked_at = now()
      where (k.key_id = ${old.rootKeyId} or k.root_key_id = ${old.rootKeyId}) and k.revoked_at is null
        and k.retires_at > now()`
    await transaction`
      update api_key set retires_at = now() + ${overlapHours} * interval '1 hour' where key_id = ${keyId}`
    const newKeyId = await insertKeyRow(transaction, key, old.rootKeyId)
    await holdKey(transaction, actor, newKeyId, old.name)
    await writeAudit(transaction, 'key_made', key.prefix, `replaces ${old.prefix}`)
    return true
  })
}

/** A key that was granted and has no text yet, of an account. null: there is none, or its licence has not begun. */
export async function findWaitingKey(sql: Sql, actor: Actor, keyId: number): Promise<string | null> {
  const [row] = await sql<{ prefix: string }[]>`
    select k.prefix from account.held_key h join api_key k using (key_id)
    where h.account_id = ${actor.accountId} and k.key_id = ${keyId} and h.is_waiting and ${isCurrent(sql)}
      and exists (select from key_grant g where g.key_id = k.key_id and g.starts_at <= now())`
  return row?.prefix ?? null
}

/** Stores the text of a key that was granted. Returns false if it has one: of two that make it one does. */
export async function storeWaitingKey(sql: Sql, actor: Actor, keyId: number, key: NewKey): Promise<boolean> {
  return sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    const made = await transaction`
      update account.held_key h set is_waiting = false from api_key k
      where k.key_id = h.key_id and h.key_id = ${keyId} and h.account_id = ${actor.accountId} and h.is_waiting
        and ${isCurrent(transaction)}`
    if (made.count === 0) return false
    await transaction`
      update api_key set digest = ${key.digest}, prefix = ${key.prefix}, last_four = ${key.lastFour}
      where key_id = ${keyId}`
    await writeAudit(transaction, 'key_made', key.prefix, 'of the licence that was granted')
    return true
  })
}

/** Revokes a key of the account that still works, also a rotated one, with that which it replaced. */
export async function revokeHeldKey(sql: Sql, actor: Actor, keyId: number): Promise<boolean> {
  return sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    const held = await transaction`
      select from account.held_key h join api_key k using (key_id)
      where h.key_id = ${keyId} and h.account_id = ${actor.accountId}
        and k.revoked_at is null and (k.retires_at is null or k.retires_at > now())`
    if (held.count > 0) await revokeWithReplaced(transaction, keyId)
    return held.count > 0
  })
}

export async function renameKey(sql: Sql, actor: Actor, keyId: number, name: string): Promise<boolean> {
  return sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    const [named] = await transaction<{ prefix: string }[]>`
      update account.held_key h set name = ${name} from api_key k
      where h.key_id = ${keyId} and k.key_id = h.key_id and h.account_id = ${actor.accountId}
      returning k.prefix`
    if (named === undefined) return false
    await writeAudit(transaction, 'key_named', named.prefix, name)
    return true
  })
}
