import { addDays, type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import { isFreeMail } from './freeMail.ts'
import { digestBytes, type KeyEnvironment, keyDigest, keyPrefix, makeKeyText } from './keyText.ts'
import { type Licence, licences, soldLimits } from './licences.ts'
import { insertKey, type NewGrant, type RevokedKey, revokeKey as revokeStored } from './queries.ts'

export interface KeyOrder {
  email: string
  licence: Licence
  quant: boolean
  environment: KeyEnvironment
  /** The last day on which the key works; without one it works for ever, an evaluation for 30 days. */
  expires?: IsoDate
  /** What an OEM order form says beside the list. */
  perMinute?: number
  perDay?: number
  bulk?: boolean
}

export interface CreatedKey {
  /** Shown here and never again. */
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

const evaluationDays = 30

/** Makes a key and stores what it may do. */
export async function createKey(
  deps: { sql: Sql; today: () => IsoDate },
  order: KeyOrder,
): Promise<CreatedKey> {
  const { address, domain } = parseEmail(order.email)
  const expires = lastDay(order, deps.today())
  const grant = grantOf(order, domain, expires)
  const key = makeKeyText(order.environment)
  const named = {
    digest: digestBytes(keyDigest(key)),
    prefix: keyPrefix(key),
    lastFour: key.slice(-4),
    email: address,
  }
  if ((await insertKey(deps.sql, named, grant)) === null) {
    throw new Failure(
      'conflict',
      `${domain} has had its evaluation: there is one for each e-mail domain. Sell a licence (--licence personal), or give a free key (--licence free).`,
      { param: 'email' },
    )
  }
  return {
    key,
    prefix: named.prefix,
    last_four: named.lastFour,
    email: address,
    licence: order.licence,
    quant: order.quant,
    per_minute: grant.perMinute,
    per_day: grant.perDay,
    entity_cap: grant.entityCap,
    bulk: grant.bulk,
    expires,
  }
}

function lastDay(order: KeyOrder, today: IsoDate): IsoDate | null {
  if (order.expires === undefined) {
    return order.licence === 'evaluation' ? addDays(today, evaluationDays) : null
  }
  if (!isIsoDate(order.expires)) {
    throw new Failure('parameter_invalid', `--expires ${order.expires}: a day like 2030-12-31 is needed.`, {
      param: 'expires',
    })
  }
  if (order.expires < today) {
    throw new Failure(
      'parameter_invalid',
      `--expires ${order.expires} has passed: today is ${today} (UTC).`,
      {
        param: 'expires',
      },
    )
  }
  return order.expires
}

function grantOf(order: KeyOrder, domain: string, expires: IsoDate | null): NewGrant {
  refuseMisfits(order, domain)
  const sold = soldLimits(order.licence, order.quant)
  return {
    licence: order.licence,
    quant: order.quant,
    perMinute: order.perMinute ?? sold.perMinute,
    perDay: order.perDay ?? sold.perDay,
    entityCap: sold.entityCap,
    bulk: order.bulk ?? sold.bulk,
    evaluationDomain: order.licence === 'evaluation' ? domain : null,
    expiresAt: expires === null ? null : `${addDays(expires, 1)}T00:00:00Z`,
  }
}

function refuseMisfits(order: KeyOrder, domain: string): void {
  if (order.licence === 'demo') {
    throw new Failure(
      'parameter_invalid',
      `The demo key is the word demo and is not made. Licences to sell: ${licences.slice(1).join(', ')}.`,
      { param: 'licence' },
    )
  }
  const orderForm = [order.perMinute, order.perDay, order.bulk].some(term => term !== undefined)
  if (orderForm && order.licence !== 'oem') {
    throw new Failure(
      'parameter_invalid',
      `--per-minute, --per-day and --bulk are terms of an OEM order form; the ${order.licence} licence has fixed limits. Add --licence oem, or leave them out.`,
      { param: 'licence' },
    )
  }
  if (order.licence === 'evaluation' && isFreeMail(domain)) {
    throw new Failure(
      'parameter_invalid',
      `${domain} is a free-mail provider, and an evaluation needs a work address. Give a free key: --licence free.`,
      { param: 'email' },
    )
  }
}

export interface EmailAddress {
  readonly address: string
  /** Lower case. */
  readonly domain: string
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const shape = new RegExp(`^[^\\s@<>()",:;\\\\[\\]]{1,64}@((?:${label}\\.)+${label})$`, 'i')

export function parseEmail(text: string): EmailAddress {
  const address = text.trim()
  const domain = shape.exec(address)?.[1]
  if (domain === undefined || address.length > 254) {
    throw new Failure(
      'parameter_invalid',
      `'${address}' is no e-mail address; one like ana@fund.example is needed.`,
      {
        param: 'email',
      },
    )
  }
  return { address, domain: domain.toLowerCase() }
}

/** Long enough not to name a stranger's key by a slip. */
const leastLength = 'asf_live_'.length + 3

/** Revokes the key that a prefix (as `keys list` shows it, or a beginning of it, or the whole key) names. Running
 * servers refuse it at once. */
export async function revokeKey(deps: { sql: Sql }, prefix: string): Promise<RevokedKey> {
  const beginning = keyPrefix(prefix.trim())
  if (!/^asf_(?:live|test)_/.test(beginning) || beginning.length < leastLength) {
    throw new Failure(
      'parameter_invalid',
      `'${beginning}' names no key: a prefix as \`keys list\` shows it is needed, like asf_live_4fT9aB2x.`,
      { param: 'prefix' },
    )
  }
  const found = await revokeStored(deps.sql, beginning)
  if (found.length === 0) {
    throw new Failure('key_unknown', `No key begins with ${beginning}. \`keys list\` shows them all.`, {
      param: 'prefix',
    })
  }
  if (found.length > 1) {
    const prefixes = found.map(key => key.prefix).join(', ')
    throw new Failure(
      'conflict',
      `${beginning} names several keys (${prefixes}). None was revoked; give more of the prefix.`,
      {
        param: 'prefix',
      },
    )
  }
  return found[0]
}
