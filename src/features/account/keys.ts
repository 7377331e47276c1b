import { grantOf, newKey } from '../../access/keys.ts'
import type { Actor } from '../../access/signedIn.ts'
import { Failure } from '../../errors.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'
import type { Limits } from '../../limits/verdict.ts'
import type { Sql } from '../../postgres/client.ts'
import {
  findWaitingKey,
  renameKey,
  revokeHeldKey,
  rotateHeldKey,
  storeFreeKey,
  storeWaitingKey,
} from './keyQueries.ts'

export const overlapHours = 24
const maxNameLength = 60
const defaultName = 'My key'

/** Limits on creating keys: each key stays in the database forever. */
const keysPerAccount: Limits = { perMinute: 6, perDay: 30 }

/** Counts a new key against the limits; fails if they are exhausted. */
export async function countNewKey(limiter: RateLimiter, { accountId }: Actor): Promise<void> {
  const { refused } = await limiter.take(`new-keys:${accountId}`, keysPerAccount)
  if (refused === null) return
  throw new Failure(
    refused.by === 'day' ? 'rate_limited_day' : 'rate_limited_minute',
    `This account has made too many keys. Try again in ${refused.retryAfterSeconds} s; its existing keys keep working.`,
    { retryAfterSeconds: refused.retryAfterSeconds },
  )
}

/**
 * Creates the account's free key and returns its full text. An account has at most one active free key. One
 * that follows a revoked key shares its grant, so that revoking does not renew the budget.
 */
export async function makeFreeKey(sql: Sql, actor: Actor, name: string): Promise<string> {
  const { key, stored } = newKey(actor.email, 'live')
  const order = { email: actor.email, licence: 'free', quant: false, environment: 'live' } as const
  const made = await storeFreeKey(sql, actor, {
    key: stored,
    grant: grantOf(order, '', null),
    name: checkName(name),
  })
  if (made) return key
  throw new Failure(
    'conflict',
    'This account already has a free key: each account gets only one. Rotate it to get a new one, or revoke it first.',
    { param: 'name' },
  )
}

/**
 * Creates the secret of a granted key and returns its full text. The prefix stays the same, because all lists
 * and the audit log use it.
 */
export async function makeGrantedKey(sql: Sql, actor: Actor, keyId: number): Promise<string> {
  const prefix = await findWaitingKey(sql, actor, keyId)
  if (prefix === null) throw notActive()
  const { key, stored } = newKey(actor.email, 'live', prefix)
  if (await storeWaitingKey(sql, actor, keyId, stored)) return key
  throw notActive()
}

/**
 * Replaces a key by a new one with the same licence, budget and companies, and returns its full text. The old
 * one works for another day. A key that was replaced before ends at once, so that at most two of them work.
 */
export async function rotateKey(sql: Sql, actor: Actor, keyId: number): Promise<string> {
  const { key, stored } = newKey(actor.email, 'live')
  if (await rotateHeldKey(sql, actor, { keyId, key: stored, overlapHours })) return key
  throw notActive()
}

export async function revokeKey(sql: Sql, actor: Actor, keyId: number): Promise<void> {
  if (!(await revokeHeldKey(sql, actor, keyId))) throw notActive()
}

export async function nameKey(sql: Sql, actor: Actor, keyId: number, name: string): Promise<void> {
  if (!(await renameKey(sql, actor, keyId, checkName(name)))) throw notActive()
}

/** The same error whether the key belongs to another account or never existed. */
const notActive = () =>
  new Failure('entity_unknown', 'This account has no such active key. The page lists its keys.', {
    param: 'key',
  })

function checkName(name: string): string {
  if (name === '') return defaultName
  if ([...name].length <= maxNameLength) return name
  throw new Failure(
    'parameter_invalid',
    `The name has ${[...name].length} characters; the limit is ${maxNameLength}.`,
    { param: 'name' },
  )
}
