import type { Sql, TransactionSql } from '../../postgres/client.ts'

export type RequestState = 'open' | 'withdrawn' | 'refused' | 'granted'

/** A licence request. Days are UTC days. */
export interface LicenceRequest {
  readonly request: number
  readonly account: number
  readonly email: string
  /** Null if the request is for the quant plan on the key's current licence. */
  readonly licence: string | null
  readonly quant: boolean
  /** The prefix of the key concerned; null for a new one. */
  readonly key: string | null
  readonly company: string
  readonly purpose: string
  readonly starts: string
  /** Null for no end. */
  readonly expires: string | null
  /** UTC, to the minute. */
  readonly sent: string
  readonly state: RequestState
  readonly decided: string | null
  readonly decided_by: string
  readonly reason: string
  /** The number of the grant that resulted. */
  readonly grant: number | null
}

const columns = (sql: Sql | TransactionSql) => sql`
  r.request_id as request, r.account_id as account, a.email, r.licence, r.quant, k.prefix as key, r.company, r.purpose,
  r.first_day::text as starts, r.last_day::text as expires,
  to_char(r.sent_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as sent, r.state,
  to_char(r.decided_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as decided, r.decided_by, r.reason, r.grant_id as grant`

const source = (sql: Sql | TransactionSql) => sql`
  from account.licence_request r join account.account a using (account_id) left join api_key k on k.key_id = r.key_id`

export interface RequestFilter {
  readonly accountId?: number
  readonly state?: RequestState
  /** Only requests with smaller numbers. */
  readonly before?: number
  readonly limit: number
}

/** Requests, the latest first. */
export async function listRequests(sql: Sql, filter: RequestFilter): Promise<LicenceRequest[]> {
  const { accountId, state, before, limit } = filter
  const rows = await sql<LicenceRequest[]>`
    select ${columns(sql)} ${source(sql)}
    where ${accountId === undefined ? sql`true` : sql`r.account_id = ${accountId}`}
      and ${state === undefined ? sql`true` : sql`r.state = ${state}`}
      and ${before === undefined ? sql`true` : sql`r.request_id < ${before}`}
    order by r.request_id desc limit ${limit}`
  return [...rows]
}

export async function findRequest(sql: Sql, request: number): Promise<LicenceRequest | null> {
  const [row] = await sql<LicenceRequest[]>`
    select ${columns(sql)} ${source(sql)} where r.request_id = ${request}`
  return row ?? null
}

/** Locks a request until the transaction ends, so that of two concurrent decisions one comes first. */
export async function lockRequest(
  transaction: TransactionSql,
  request: number,
): Promise<LicenceRequest | null> {
  const [row] = await transaction<LicenceRequest[]>`
    select ${columns(transaction)} ${source(transaction)} where r.request_id = ${request} for update of r`
  return row ?? null
}

export interface NewRequest {
  readonly licence: string | null
  readonly quant: boolean
  readonly keyId: number | null
  readonly company: string
  readonly purpose: string
  readonly firstDay: string
  readonly lastDay: string | null
}

/** Stores a request. Returns false if the account already has an open one for this licence. */
export async function insertRequest(
  transaction: TransactionSql,
  accountId: number,
  request: NewRequest,
): Promise<boolean> {
  const inserted = await transaction`
    insert into account.licence_request (account_id, licence, quant, key_id, company, purpose, first_day, last_day)
    values (
      ${accountId}, ${request.licence}, ${request.quant}, ${request.keyId}, ${request.company}, ${request.purpose},
      ${request.firstDay}::date, ${request.lastDay}::date)
    on conflict do nothing`
  return inserted.count > 0
}

export interface Decision {
  readonly state: Exclude<RequestState, 'open'>
  readonly by: string
  readonly reason?: string
  readonly grantId?: number
}

export async function decideRequest(
  transaction: TransactionSql,
  request: number,
  { state, by, reason = '', grantId }: Decision,
): Promise<void> {
  await transaction`
    update account.licence_request
    set state = ${state}, decided_at = now(), decided_by = ${by}, reason = ${reason}, grant_id = ${grantId ?? null}
    where request_id = ${request}`
}
