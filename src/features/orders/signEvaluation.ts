import { parseEmail, registrableDomain } from '../../access/emailAddress.ts'
import { isEvaluationUsed } from '../../access/evaluationQueries.ts'
import { isFreeMail } from '../../access/freeMail.ts'
import { evaluationDays, grantOf, newKey } from '../../access/keys.ts'
import { insertInto } from '../../access/queries.ts'
import type { SignedIn } from '../../access/signedIn.ts'
import { addDays } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { writeAudit } from '../account/auditQueries.ts'
import { holdKey, lockAccount } from '../account/keyQueries.ts'
import { queueMail } from '../account/outboxQueries.ts'
import { revealLater } from '../account/reveal.ts'
import { type OrderRecord, recordDigest } from './chain.ts'
import {
  consentSentence,
  formName,
  formVersion,
  type OrderDocument,
  orderDocument,
} from './evaluationForm.ts'
import { orderMail } from './mails.ts'
import {
  appendOrder,
  findGrantId,
  listOrders,
  lockChainEnd,
  lockSession,
  readMoment,
} from './orderQueries.ts'

export interface OrderSettings {
  readonly baseUrl: string
  readonly operatorName: string | null
  readonly operatorLaw: string | null
}

/** Whether the holder of an address can have an evaluation, and if not, why. */
export type Offer =
  | { readonly outcome: 'offered'; readonly domain: string; readonly document: OrderDocument }
  | { readonly outcome: 'not-set-up' }
  | { readonly outcome: 'free-mail'; readonly domain: string }
  | { readonly outcome: 'used'; readonly domain: string }

export async function offerTo(sql: Sql, settings: OrderSettings, email: string): Promise<Offer> {
  const { operatorName: operator, operatorLaw: law } = settings
  if (operator === null || law === null) return { outcome: 'not-set-up' }
  const { domain } = parseEmail(email)
  if (await isFreeMail(domain)) return { outcome: 'free-mail', domain }
  const registered = await registrableDomain(domain)
  if (await isEvaluationUsed(sql, registered)) return { outcome: 'used', domain: registered }
  const document = orderDocument({ operator, law, email, domain: registered })
  return { outcome: 'offered', domain: registered, document }
}

/** What a person typed under the form. */
export interface Signature {
  readonly signerName: string
  readonly signerTitle: string
  readonly company: string
  /** The User-Agent of the browser. */
  readonly agent: string
}

const keyName = 'Evaluation'

/** Signs the order and makes the key, all in one transaction: after the death of a server there is all of it or nothing. Returns false
 * if the evaluation is used, by this account or a colleague. */
export async function signEvaluation(
  sql: Sql,
  settings: OrderSettings,
  { actor, session, token }: SignedIn,
  { document, domain }: Extract<Offer, { outcome: 'offered' }>,
  signature: Signature,
): Promise<boolean> {
  const { email, accountId, address } = actor
  return sql.begin(async transaction => {
    await lockAccount(transaction, actor)
    const proof = await lockSession(transaction, session.sessionId, accountId)
    if (proof === null) throw new Failure('form_refused', 'The session has ended. Sign in again, then sign.')
    const { today, at } = await readMoment(transaction)
    const lastDay = addDays(today, evaluationDays)
    const { key, stored } = newKey(email, 'live')
    const terms = { email, licence: 'evaluation', quant: false, environment: 'live' } as const
    const keyId = await insertInto(transaction, stored, grantOf(terms, domain, lastDay))
    if (keyId === null) return false
    await holdKey(transaction, actor, keyId, keyName)
    const order = await chainOrder(transaction, document, {
      ...{ form: formName, version: formVersion, accountId, email, domain, documentSha256: document.sha256 },
      ...{ consent: consentSentence, ...signature, signedAt: at, address, ...proof },
      ...{ keyPrefix: stored.prefix, grantId: await findGrantId(transaction, keyId), lastDay },
    })
    await queueMail(transaction, orderMail(order, document, settings.baseUrl))
    await revealLater(transaction, session.sessionId, token, key)
    return true
  })
}

/** The chain is locked last, for as short as possible: everybody who signs waits for it. */
async function chainOrder(
  transaction: TransactionSql,
  document: OrderDocument,
  order: Omit<OrderRecord, 'orderId' | 'previous'>,
): Promise<OrderRecord & { readonly digest: string }> {
  const end = await lockChainEnd(transaction)
  const record: OrderRecord = { ...order, orderId: end.orderId + 1, previous: end.digest }
  const digest = recordDigest(record)
  await appendOrder(transaction, record, digest, document.bytes)
  await writeAudit(transaction, 'order_signed', `order ${record.orderId}`, digest)
  return { ...record, digest }
}

/** Whether the account has signed an evaluation. */
export const hasSigned = async (sql: Sql, accountId: number): Promise<boolean> =>
  (await listOrders(sql, { accountId }, 1)).length > 0
