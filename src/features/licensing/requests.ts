import type { Actor, Operator } from '../../access/signedIn.ts'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'
import type { Limits } from '../../limits/verdict.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { nameActor, writeAudit } from '../account/auditQueries.ts'
import { queueMail } from '../account/outboxQueries.ts'
import { listGrantKeys, lockAccount, lockGrant } from './grantQueries.ts'
import { addGrant, type GrantDeps, type GrantTarget } from './grants.ts'
import { refusedMail } from './mails.ts'
import { decideRequest, insertRequest, type LicenceRequest, lockRequest } from './requestQueries.ts'
import { checkPeriod, type GrantOrder, grantFor, invalid, licenceTitle, requestable } from './terms.ts'

export const maxCompanyLength = 200
export const maxPurposeLength = 1_000
const maxReasonLength = 1_000

/** Limits the requests that an account may send, because operators read each one. */
const requestsPerAccount: Limits = { perMinute: 3, perDay: 5 }

/** A request as typed into the form. */
export interface TypedRequest {
  /** A licence, or `quant` for the quant plan on the key's current licence. */
  readonly licence: string
  readonly quant: boolean
  /** The number of one of the account's keys, or 0 for a new one. */
  readonly keyId: number
  readonly company: string
  readonly purpose: string
  readonly firstDay: IsoDate
  /** Empty for no end. */
  readonly lastDay: string
}

/** Sends a licence request. An account may have one open request per licence. */
export async function sendRequest(
  { sql, today, limiter }: Pick<GrantDeps, 'sql' | 'today'> & { readonly limiter: RateLimiter },
  actor: Actor,
  typed: TypedRequest,
): Promise<void> {
  const { company, purpose, firstDay } = typed
  const licence = requestable.find(name => name === typed.licence) ?? null
  if (licence === null && typed.licence !== 'quant')
    throw invalid('licence', 'Choose one of the licences, or the quant plan.')
  checkText('company', 'company', company, maxCompanyLength)
  checkText('purpose', 'purpose', purpose, maxPurposeLength)
  const lastDay = typed.lastDay === '' ? null : typed.lastDay
  checkPeriod(firstDay, lastDay, today())
  await countRequest(limiter, actor)
  await sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    await nameActor(transaction, actor)
    const keys = await listGrantKeys(transaction, actor.accountId)
    const keyId = typed.keyId === 0 ? null : typed.keyId
    if (keyId !== null && !keys.some(key => key.keyId === keyId))
      throw invalid('key', 'This account has no such active key. Choose one of its keys, or a new one.')
    const quant = licence === null || typed.quant
    const request = { licence, quant, keyId, company, purpose, firstDay, lastDay }
    if (!(await insertRequest(transaction, actor.accountId, request)))
      throw new Failure(
        'conflict',
        `This account has an open request for ${licence === null ? 'the quant plan' : `the ${licence} licence`} already. Withdraw it first to send another.`,
        { param: 'licence' },
      )
    const period = lastDay === null ? `from ${firstDay}, no end` : `${firstDay} to ${lastDay}`
    await writeAudit(transaction, 'request_sent', licenceTitle(licence, quant), period)
  })
}

/** Withdraws an open request of the account. */
export async function withdrawRequest(sql: Sql, actor: Actor, requestId: number): Promise<void> {
  await sql.begin(async transaction => {
    const request = await lockRequest(transaction, requestId)
    // The same error whether the request belongs to another account or never existed.
    if (request === null || request.account !== actor.accountId)
      throw new Failure('entity_unknown', 'This account has no such request.', { param: 'request' })
    if (request.state === 'withdrawn') return
    if (request.state !== 'open') throw alreadyDecided(request)
    await nameActor(transaction, actor)
    await decideRequest(transaction, requestId, { state: 'withdrawn', by: actor.email })
    await writeAudit(transaction, 'request_withdrawn', titleOf(request), '')
  })
}

export interface DecidedRequest {
  readonly request: number
  readonly email: string
  readonly state: 'granted' | 'refused'
  /** The prefix of the key that received the licence. */
  readonly key: string | null
  /** False if the same decision was made before. */
  readonly changed: boolean
}

/** Refuses an open request, with a reason that the account sees. Repeating it changes nothing. */
export async function refuseRequest(
  { sql, settings }: Pick<GrantDeps, 'sql' | 'settings'>,
  operator: Operator,
  requestId: number,
  reason: string,
): Promise<DecidedRequest> {
  checkText('reason', 'reason', reason, maxReasonLength)
  return sql.begin(async transaction => {
    const request = await requireRequest(transaction, requestId)
    const decided = { request: requestId, email: request.email, state: 'refused', key: null } as const
    if (request.state === 'refused' && request.reason === reason) return { ...decided, changed: false }
    if (request.state !== 'open') throw alreadyDecided(request)
    await nameActor(transaction, operator)
    await decideRequest(transaction, requestId, { state: 'refused', by: operator.email, reason })
    await writeAudit(transaction, 'request_refused', titleOf(request), reason, request.account)
    await queueMail(transaction, refusedMail(request.email, titleOf(request), reason, settings.baseUrl))
    return { ...decided, changed: true }
  })
}

/**
 * Grants an open request on the operator's terms. Repeating it with the same terms changes nothing; other
 * terms are a conflict.
 *
 * @param to one of the account's keys by its prefix, or `new`
 */
export async function grantRequest(
  deps: GrantDeps,
  operator: Operator,
  requestId: number,
  to: string,
  order: GrantOrder,
): Promise<DecidedRequest> {
  const grant = grantFor(order, deps.today())
  return deps.sql.begin(async transaction => {
    const request = await requireRequest(transaction, requestId)
    const decided = { request: requestId, email: request.email, state: 'granted' } as const
    if (request.state === 'granted' && request.grant !== null) {
      const made = await lockGrant(transaction, request.grant)
      const isSame =
        made?.licence === grant.licence &&
        made.quant === grant.quant &&
        made.perMinute === grant.perMinute &&
        made.perDay === grant.perDay &&
        made.entityCap === grant.entityCap &&
        made.bulk === grant.bulk &&
        made.firstDay === order.firstDay &&
        made.lastDay === order.lastDay
      if (isSame) return { ...decided, key: made.prefix, changed: false }
    }
    if (request.state !== 'open') throw alreadyDecided(request)
    await nameActor(transaction, operator)
    const target = await targetOf(transaction, request, to)
    const made = await addGrant(transaction, deps, { target, order, grant, after: null })
    await decideRequest(transaction, requestId, { state: 'granted', by: operator.email, grantId: made.grant })
    await writeAudit(transaction, 'request_granted', titleOf(request), `on ${made.key}`, request.account)
    return { ...decided, key: made.key, changed: true }
  })
}

/** Looks the key up in the request's own account, whatever prefix was sent. */
async function targetOf(
  transaction: TransactionSql,
  { account, email }: LicenceRequest,
  to: string,
): Promise<GrantTarget> {
  if (to === 'new') return { email, as: 'new' }
  const keys = await listGrantKeys(transaction, account)
  if (keys.some(key => key.prefix === to)) return { key: to }
  throw new Failure(
    'key_unknown',
    `${email} has no usable key ${to.slice(0, 40)}. Grant the request to another key of the account, or to a new one.`,
    { param: 'key' },
  )
}

async function requireRequest(transaction: TransactionSql, requestId: number): Promise<LicenceRequest> {
  const request = await lockRequest(transaction, requestId)
  if (request !== null) return request
  throw new Failure('entity_unknown', `There is no request ${requestId}.`, { param: 'request' })
}

const titleOf = ({ licence, quant }: LicenceRequest) => licenceTitle(licence, quant)

const alreadyDecided = ({ request, state, decided, decided_by }: LicenceRequest) =>
  new Failure(
    'conflict',
    `Request ${request} was ${state} by ${decided_by} on ${decided} UTC. Nothing was changed.`,
    { param: 'request' },
  )

async function countRequest(limiter: RateLimiter, { accountId }: Actor): Promise<void> {
  const { refused } = await limiter.take(`licence-requests:${accountId}`, requestsPerAccount)
  if (refused === null) return
  throw new Failure(
    refused.by === 'day' ? 'rate_limited_day' : 'rate_limited_minute',
    `This account has sent too many requests. Try again in ${refused.retryAfterSeconds} s; your open requests are kept.`,
    { retryAfterSeconds: refused.retryAfterSeconds },
  )
}

function checkText(param: string, what: string, text: string, maxLength: number): void {
  const { length } = [...text]
  if (length === 0) throw invalid(param, `The ${what} is missing.`)
  if (length > maxLength)
    throw invalid(param, `The ${what} has ${length} characters; the limit is ${maxLength}.`)
}
