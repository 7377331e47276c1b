import { newKey } from '../../access/keys.ts'
import { keyPrefix } from '../../access/keyText.ts'
import type { Operator } from '../../access/signedIn.ts'
import { addDays, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { nameActor } from '../account/auditQueries.ts'
import { queueMail } from '../account/outboxQueries.ts'
import {
  findKeysByPrefix,
  type GrantKey,
  insertGrant,
  insertWaitingKey,
  latestGrantId,
  listGrantKeys,
  lockAccount,
  lockGrant,
  setGrantEnd,
} from './grantQueries.ts'
import { grantedMail, type MadeGrant } from './mails.ts'
import { checkLastDay, type GrantOrder, grantFor, invalid, licenceTitle, type PeriodGrant } from './terms.ts'

/** Dependencies of granting, for pages and commands alike. */
export interface GrantDeps {
  readonly sql: Sql
  readonly today: () => IsoDate
  readonly settings: { readonly baseUrl: string }
}

/**
 * The target of a grant: a key, so that programs need no change, or an account, as a new key whose secret its
 * holder creates. `current` is the account's only key, or a new one if it has none.
 */
export type GrantTarget =
  | { readonly key: string }
  | { readonly email: string; readonly as: 'current' | 'new' }

/**
 * Grants a licence.
 *
 * @param after the latest grant that the operator saw (`latestGrantId`). If there is a later one, the form
 * was submitted twice or another operator was faster, and nothing is granted
 */
export async function makeGrant(
  deps: GrantDeps,
  operator: Operator,
  target: GrantTarget,
  order: GrantOrder,
  after: number | null = null,
): Promise<MadeGrant> {
  const grant = grantFor(order, deps.today())
  return deps.sql.begin(async transaction => {
    await nameActor(transaction, operator)
    return addGrant(transaction, deps, { target, order, grant, after })
  })
}

interface Addition {
  readonly target: GrantTarget
  readonly order: GrantOrder
  readonly grant: PeriodGrant
  readonly after: number | null
}

/**
 * Like `makeGrant`, in a transaction that has named its actor. The holder's mail is queued in the same
 * transaction.
 */
export async function addGrant(
  transaction: TransactionSql,
  { settings }: GrantDeps,
  { target, order, grant, after }: Addition,
): Promise<MadeGrant> {
  const found = await findTarget(transaction, target)
  const { account } = found
  if (after !== null && account !== null && (await latestGrantId(transaction, account.accountId)) !== after)
    throw new Failure(
      'conflict',
      'Another licence was granted to this account since its page was opened. Nothing was done: look at its grants again.',
    )
  if (found.key?.licence === 'evaluation' && order.licence === 'free')
    throw new Failure(
      'conflict',
      `${found.key.prefix} has an evaluation, which a free licence would replace at once. Grant a licence with the full history, or make a new key.`,
      { param: 'key' },
    )
  const key = found.key ?? (await makeWaitingKey(transaction, found.account, order))
  const grantId = await refuseLowering(() => insertGrant(transaction, key.rootKeyId, grant))
  const made: MadeGrant = {
    grant: grantId,
    key: key.prefix,
    licence: grant.licence,
    quant: grant.quant,
    per_minute: grant.perMinute,
    per_day: grant.perDay,
    entity_cap: grant.entityCap,
    bulk: grant.bulk,
    starts: order.firstDay,
    expires: order.lastDay,
    waiting: found.key === null,
  }
  if (account !== null) await queueMail(transaction, grantedMail(account.email, made, settings.baseUrl))
  return made
}

interface Account {
  readonly accountId: number
  readonly email: string
}

type FoundTarget =
  | { readonly key: Pick<GrantKey, 'rootKeyId' | 'prefix' | 'licence'>; readonly account: Account | null }
  | { readonly key: null; readonly account: Account }

async function findTarget(transaction: TransactionSql, target: GrantTarget): Promise<FoundTarget> {
  if ('key' in target) {
    const key = await findKey(transaction, target.key)
    const { accountId } = key
    return { key, account: accountId === null ? null : await lockAccount(transaction, { accountId }) }
  }
  const account = await lockAccount(transaction, { email: target.email.trim().toLowerCase() })
  if (account === null)
    throw new Failure(
      'entity_unknown',
      `${target.email} has no account here. Signing in for the first time creates one. For a key without an account, name the key.`,
      { param: 'email' },
    )
  if (target.as === 'new') return { key: null, account }
  const keys = await listGrantKeys(transaction, account.accountId)
  if (keys.length > 1)
    throw new Failure(
      'conflict',
      `${account.email} has several keys (${keys.map(key => key.prefix).join(', ')}). Name the one that the licence is for, or ask for a new one.`,
      { param: 'key' },
    )
  return keys.length === 0 ? { key: null, account } : { key: keys[0], account }
}

async function findKey(transaction: TransactionSql, prefix: string) {
  const start = keyPrefix(prefix.trim())
  const found = /^asf_(?:live|test)_\w{3}/.test(start) ? await findKeysByPrefix(transaction, start) : []
  if (found.length === 1) return found[0]
  throw new Failure(
    found.length === 0 ? 'key_unknown' : 'conflict',
    found.length === 0
      ? `No usable key starts with '${start}'. A licence can be granted only to a key that was neither revoked nor replaced.`
      : `Several keys start with ${start}: ${found.map(key => key.prefix).join(', ')}. Give a longer prefix.`,
    { param: 'key' },
  )
}

async function makeWaitingKey(transaction: TransactionSql, { accountId, email }: Account, order: GrantOrder) {
  const { stored } = newKey(email, 'live')
  // A random digest, which no secret matches, until the holder creates one.
  const key = { ...stored, digest: crypto.getRandomValues(new Uint8Array(32)), lastFour: '----' }
  const name = `${licenceTitle(order.licence, order.quant)} licence`
  return { rootKeyId: await insertWaitingKey(transaction, accountId, key, name), prefix: stored.prefix }
}

export interface ExtendedGrant {
  readonly grant: number
  readonly key: string
  readonly licence: string
  readonly quant: boolean
  /** Null for no end. */
  readonly expires: IsoDate | null
  /** False if it already ended on that day. */
  readonly changed: boolean
}

/**
 * Moves the last day of a grant to a later one. Repeating it changes nothing.
 *
 * @param lastDay null for no end
 */
export async function extendGrant(
  { sql, today }: Pick<GrantDeps, 'sql' | 'today'>,
  operator: Operator,
  grantId: number,
  lastDay: IsoDate | null,
): Promise<ExtendedGrant> {
  return sql.begin(async transaction => {
    await nameActor(transaction, operator)
    const grant = await lockGrant(transaction, grantId)
    if (grant === null)
      throw new Failure('entity_unknown', `There is no grant ${grantId}.`, { param: 'grant' })
    const { prefix: key, licence, quant } = grant
    const extended = { grant: grantId, key, licence, quant, expires: lastDay }
    if (grant.lastDay === lastDay) return { ...extended, changed: false }
    if (grant.hasEnded || grant.isRevoked)
      throw new Failure(
        'conflict',
        `Grant ${grantId} ${grant.isRevoked ? 'belongs to a revoked key' : `ended on ${grant.lastDay}`}, so it cannot be extended. Grant the licence anew.`,
        { param: 'grant' },
      )
    if (lastDay !== null) checkLastDay(lastDay, grant.firstDay, today())
    if (grant.lastDay === null || (lastDay !== null && lastDay < grant.lastDay))
      throw invalid(
        'last',
        `Grant ${grantId} runs ${grant.lastDay === null ? 'without end' : `until ${grant.lastDay}`}. Its last day can only be moved to a later one.`,
      )
    const expiresAt = lastDay === null ? null : `${addDays(lastDay, 1)}T00:00:00Z`
    await refuseLowering(() => setGrantEnd(transaction, grantId, expiresAt))
    return { ...extended, changed: true }
  })
}

/** Turns the database's refusal into a Failure with a message. */
async function refuseLowering<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'AF001')) throw error
    const what = 'detail' in error && typeof error.detail === 'string' ? error.detail : 'it'
    throw new Failure(
      'conflict',
      `The key has a paid licence in this period, and what was sold is never lowered. This would lower ${what}. Grant at least as much, begin after its last day, or give a new key.`,
      { param: 'licence', cause: error },
    )
  }
}
