import type { Sql, SqlClient, TransactionSql } from '../../postgres/client.ts'
import { ChainCheck, chainStart, type OrderRecord, type StoredOrder } from './chain.ts'

/** Proves that a person reads mail at an address: the session in which they signed in with it. */
export interface AddressProof {
  readonly sessionId: number
  readonly provedAt: string
  readonly provedAddress: string
  readonly provedAgent: string
}

const instant = (sql: SqlClient, column: string) =>
  sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/**
 * Locks the session until the transaction ends, so that it cannot end before it has received the key. Returns
 * null if it has ended.
 */
export async function lockSession(
  transaction: TransactionSql,
  sessionId: number,
  accountId: number,
): Promise<AddressProof | null> {
  const [proof] = await transaction<AddressProof[]>`
    select session_id as "sessionId", ${instant(transaction, 'created_at')} as "provedAt", address as "provedAddress",
           agent as "provedAgent"
    from account.session
    where session_id = ${sessionId} and account_id = ${accountId} and expires_at > now()
    for update`
  return proof ?? null
}

/** The transaction's time by the clock of the database, which all servers share. */
export async function readMoment(
  transaction: TransactionSql,
): Promise<{ readonly today: string; readonly at: string }> {
  const [row] = await transaction<{ today: string; at: string }[]>`
    select (now() at time zone 'UTC')::date::text as today,
           to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`
  return row
}

export async function findGrantId(transaction: TransactionSql, keyId: number): Promise<number> {
  const [row] = await transaction<{ grantId: number }[]>`
    select grant_id as "grantId" from key_grant where key_id = ${keyId}`
  return row.grantId
}

/** Locks the end of the chain: the next order waits for this transaction. */
export async function lockChainEnd(
  transaction: TransactionSql,
): Promise<{ readonly orderId: number; readonly digest: string }> {
  const [end] = await transaction<{ orderId: number; digest: string }[]>`
    select order_id as "orderId", encode(digest, 'hex') as digest from account.order_chain for update`
  return end
}

export async function appendOrder(
  transaction: TransactionSql,
  order: OrderRecord,
  digest: string,
  document: Uint8Array,
): Promise<void> {
  await transaction`
    insert into account.signed_order (
      order_id, form, version, account_id, email, domain, document, document_sha256, consent, signer_name, signer_title,
      company, signed_at, address, agent, session_id, proved_at, proved_address, proved_agent, key_prefix, grant_id,
      last_day, previous, digest)
    values (
      ${order.orderId}, ${order.form}, ${order.version}, ${order.accountId}, ${order.email}, ${order.domain}, ${document},
      decode(${order.documentSha256}, 'hex'), ${order.consent}, ${order.signerName}, ${order.signerTitle},
      ${order.company}, ${order.signedAt}::text::timestamptz, ${order.address}, ${order.agent}, ${order.sessionId},
      ${order.provedAt}::text::timestamptz, ${order.provedAddress}, ${order.provedAgent}, ${order.keyPrefix},
      ${order.grantId}, ${order.lastDay}, decode(${order.previous}, 'hex'), decode(${digest}, 'hex'))`
  await transaction`
    update account.order_chain set order_id = ${order.orderId}, digest = decode(${digest}, 'hex')`
}

/** A signed order without its document. */
export interface ListedOrder extends OrderRecord {
  readonly digest: string
}

const columns = (sql: SqlClient) => sql`
  order_id as "orderId", form, version, account_id as "accountId", email, domain,
  encode(document_sha256, 'hex') as "documentSha256", consent, signer_name as "signerName",
  signer_title as "signerTitle", company, ${instant(sql, 'signed_at')} as "signedAt", address, agent,
  session_id as "sessionId", ${instant(sql, 'proved_at')} as "provedAt", proved_address as "provedAddress",
  proved_agent as "provedAgent", key_prefix as "keyPrefix", grant_id as "grantId", last_day::text as "lastDay",
  encode(previous, 'hex') as previous, encode(digest, 'hex') as digest`

/**
 * Signed orders, the latest first.
 *
 * @param of one account; null lists the orders of all
 */
export async function listOrders(
  sql: SqlClient,
  of: { readonly accountId: number } | null,
  limit: number,
): Promise<ListedOrder[]> {
  const rows = await sql<ListedOrder[]>`
    select ${columns(sql)} from account.signed_order
    ${of === null ? sql`` : sql`where account_id = ${of.accountId}`}
    order by order_id desc limit ${limit}`
  return [...rows]
}

/**
 * An order with its document.
 *
 * @param of the account that must have signed the order; null: any account
 */
export async function findOrder(
  sql: Sql,
  orderId: number,
  of: { readonly accountId: number } | null,
): Promise<(ListedOrder & { readonly document: Uint8Array<ArrayBuffer> }) | null> {
  const [row] = await sql<(ListedOrder & { document: Uint8Array<ArrayBuffer> })[]>`
    select ${columns(sql)}, document from account.signed_order
    where order_id = ${orderId} ${of === null ? sql`` : sql`and account_id = ${of.accountId}`}`
  return row ?? null
}

const batchRows = 200

/** Checks the whole chain as of one moment. */
export async function checkChain(sql: Sql): Promise<ChainCheck> {
  return sql.begin('isolation level repeatable read read only', async transaction => {
    const ends = await transaction<{ orderId: number; digest: string }[]>`
      select order_id as "orderId", encode(digest, 'hex') as digest from account.order_chain`
    const lines = await transaction<{ about: string; detail: string }[]>`
      select about, detail from account.audit where act = 'order_signed' order by audit_id`
    const audited = new Map<number, string>()
    const check = new ChainCheck({ end: ends[0] ?? { orderId: 0, digest: chainStart }, audited })
    for (const { about, detail } of lines) {
      const orderId = Number(about.replace('order ', ''))
      if (!audited.has(orderId)) audited.set(orderId, detail)
      else if (audited.get(orderId) !== detail) check.reportSecondLine(orderId)
    }
    for (;;) {
      const orders = await transaction<StoredOrder[]>`
        select ${columns(transaction)}, encode(sha256(document), 'hex') as "foundSha256"
        from account.signed_order where order_id > ${check.head.orderId} order by order_id limit ${batchRows}`
      for (const order of orders) check.add(order)
      if (orders.length < batchRows) break
    }
    check.finish()
    return check
  })
}
