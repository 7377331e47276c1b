import { addDays, type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import type { Sql, TransactionSql } from '../postgres/client.ts'
import { type Licence, licenceLimits, licences } from '../rights/licences.ts'
import { parseEmail, registrableDomain } from './emailAddress.ts'
import { isFreeMail } from './freeMail.ts'
import { digestBytes, type KeyEnvironment, keyDigest, keyPrefix, makeKeyText } from './keyText.ts'
import {
  insertKey,
  type NewGrant,
  type NewKey,
  type RevokedKey,
  revokeKey as revokeStored,
  whileNoKeyExists,
} from './queries.ts'

export interface KeyOrder {
  email: string
  licence: Licence
  quant: boolean
  environment: KeyEnvironment
  /** The last day (UTC) on which the key is valid. Default: 30 days from today for an evaluation, otherwise
   * unlimited. */
  expires?: IsoDate
  /** Terms of an OEM order form that differ from the standard limits. */
  perMinute?: number
  perDay?: number
  entityCap?: number
  bulk?: boolean
}

/** Order fields that set the limits. */
export type OrderTerms = Pick<KeyOrder, 'licence' | 'quant' | 'perMinute' | 'perDay' | 'entityCap' | 'bulk'>

export interface CreatedKey {
  /** The complete key. It is not stored, so it cannot be shown again. */
  readonly key: string
  readonly prefix: string
  readonly last_four: string
  readonly email: string
  readonly licence: Licence
  readonly quant: boolean
  readonly per_minute: number
  readonly per_day: number | null
  readonly entity_cap: number | null
  readonly bulk: boolean
  readonly expires: IsoDate | null
}

/** Length of an evaluation in days, not counting the day on which it is granted. */
export const evaluationDays = 30

/** Creates a key and stores its digest and its grant. */
export async function createKey(
  deps: { sql: Sql; today: () => IsoDate },
  order: KeyOrder,
): Promise<CreatedKey> {
  const { created, stored, grant, domain } = await prepareKey(order, deps.today())
  if ((await insertKey(deps.sql, stored, grant)) === null) {
    throw new Failure(
      'conflict',
      `${domain} has already used its evaluation: each company domain gets only one. Sell a licence (--licence personal), or create a free key (--licence free).`,
      { param: 'email' },
    )
  }
  return created
}

/** Creates the first key, only once even if several servers start together. Returns null if a key already
 * exists.
 *
 * @param deliver hands the key over. It is called before the key is stored: a crash leaves a dead key, never
 *   a live key nobody received */
export async function createFirstKey(
  deps: { sql: Sql; today: () => IsoDate },
  order: KeyOrder,
  deliver: (key: string) => void,
): Promise<CreatedKey | null> {
  return whileNoKeyExists(deps.sql, async insert => {
    const { created, stored, grant } = await prepareKey(order, deps.today())
    deliver(created.key)
    await insert(stored, grant)
    return created
  })
}

/** A key that is not stored yet, and what is stored of it.
 *
 * @param prefix the prefix of a key that was granted before its text is generated, so that lists show the
 *   same prefix before and after */
export function newKey(
  email: string,
  environment: KeyEnvironment,
  prefix = '',
): { key: string; stored: NewKey } {
  const key = makeKeyText(environment, prefix)
  return {
    key,
    stored: {
      digest: digestBytes(keyDigest(key)),
      prefix: keyPrefix(key),
      lastFour: key.slice(-4),
      email,
    },
  }
}

async function prepareKey(order: KeyOrder, today: IsoDate) {
  const { address, domain } = parseEmail(order.email)
  const expires = lastDay(order, today)
  await checkTerms(order, domain)
  const registered = await registrableDomain(domain)
  const grant = grantOf(order, registered, expires)
  const { key, stored } = newKey(address, order.environment)
  const created: CreatedKey = {
    key,
    prefix: stored.prefix,
    last_four: stored.lastFour,
    email: address,
    licence: order.licence,
    quant: order.quant,
    per_minute: grant.perMinute,
    per_day: grant.perDay,
    entity_cap: grant.entityCap,
    bulk: grant.bulk,
    expires,
  }
  return { created, stored, grant, domain: registered }
}

function lastDay(order: KeyOrder, today: IsoDate): IsoDate | null {
  if (order.expires === undefined) {
    return order.licence === 'evaluation' ? addDays(today, evaluationDays) : null
  }
  if (!isIsoDate(order.expires)) {
    throw new Failure(
      'parameter_invalid',
      `--expires ${order.expires} is not a valid date. Write it like 2030-12-31.`,
      {
        param: 'expires',
      },
    )
  }
  if (order.expires < today) {
    throw new Failure(
      'parameter_invalid',
      `--expires ${order.expires} is in the past: today is ${today} (UTC).`,
      {
        param: 'expires',
      },
    )
  }
  return order.expires
}

/** The grant of an order.
 *
 * @param domain registrable */
export function grantOf(order: OrderTerms, domain: string, expires: IsoDate | null): NewGrant {
  const limits = licenceLimits(order.licence, order.quant)
  return {
    licence: order.licence,
    quant: order.quant,
    perMinute: order.perMinute ?? limits.perMinute,
    perDay: order.perDay ?? limits.perDay,
    entityCap: order.entityCap ?? limits.entityCap,
    bulk: order.bulk ?? limits.bulk,
    evaluationDomain: order.licence === 'evaluation' ? domain : null,
    expiresAt: expires === null ? null : `${addDays(expires, 1)}T00:00:00Z`,
  }
}

async function checkTerms(order: KeyOrder, domain: string): Promise<void> {
  if (order.licence === 'demo') {
    throw new Failure(
      'parameter_invalid',
      `The demo key is the word demo and cannot be created. Choose one of: ${licences.slice(1).join(', ')}.`,
      { param: 'licence' },
    )
  }
  const hasOrderForm = [order.perMinute, order.perDay, order.bulk].some(term => term !== undefined)
  if (hasOrderForm && order.licence !== 'oem') {
    throw new Failure(
      'parameter_invalid',
      `--per-minute, --per-day and --bulk are terms of an OEM order form; the ${order.licence} licence has fixed limits. Add --licence oem, or omit them.`,
      { param: 'licence' },
    )
  }
  if (order.licence === 'evaluation' && (await isFreeMail(domain))) {
    throw new Failure(
      'parameter_invalid',
      `${domain} is a free-mail provider, and an evaluation needs a work address. Create a free key instead: --licence free.`,
      { param: 'email' },
    )
  }
}

/** Shorter prefixes could match another customer's key by mistake. */
const minPrefixLength = 'asf_live_'.length + 3

/** Revokes a key. Running servers reject it immediately.
 *
 * @param prefix as `keys list` shows it, the start of one, or a whole key
 * @param begin sets the actor in the transaction; without it, the operator is recorded */
export async function revokeKey(
  deps: { sql: Sql },
  prefix: string,
  begin: (transaction: TransactionSql) => Promise<void> = async () => {},
): Promise<RevokedKey> {
  const start = keyPrefix(prefix.trim())
  if (!/^asf_(?:live|test)_/.test(start) || start.length < minPrefixLength) {
    throw new Failure(
      'parameter_invalid',
      `'${start}' is not the prefix of a key. Copy one from \`./asfiled keys list\`, like asf_live_4fT9aB2x.`,
      { param: 'prefix' },
    )
  }
  const found = await revokeStored(deps.sql, start, begin)
  if (found.length === 0) {
    throw new Failure('key_unknown', `No key starts with ${start}. \`./asfiled keys list\` shows all keys.`, {
      param: 'prefix',
    })
  }
  if (found.length > 1) {
    const prefixes = found.map(key => key.prefix).join(', ')
    throw new Failure(
      'conflict',
      `Several keys start with ${start} (${prefixes}). None was revoked. Give a longer prefix.`,
      {
        param: 'prefix',
      },
    )
  }
  return found[0]
}
