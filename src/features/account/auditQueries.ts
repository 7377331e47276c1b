import type { Operator } from '../../access/signedIn.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'

export const shellOperator: Operator = { email: 'operator', address: '' }

/**
 * Names the actor for everything that the rest of this transaction writes to the audit log.
 *
 * @param actor if it has no account, entries go to the account that holds the key, if there is one
 */
export async function nameActor(
  transaction: TransactionSql,
  actor: Operator & { readonly accountId?: number },
): Promise<void> {
  const { email, address, accountId } = actor
  await transaction`
    select set_config('asfiled.actor', ${email}, true), set_config('asfiled.account', ${String(accountId ?? '')}, true),
           set_config('asfiled.address', ${address}, true)`
}

/**
 * Writes an audit entry with this transaction's actor. Triggers write the entries of keys and grants.
 *
 * @param accountId the account concerned; null means the actor's
 */
export async function writeAudit(
  transaction: TransactionSql,
  act: string,
  about: string,
  detail: string,
  accountId: number | null = null,
): Promise<void> {
  await transaction`select account.write_audit(${act}, ${accountId}, ${about}, ${detail})`
}

export interface AuditEntry {
  /** UTC, to the second. */
  readonly at: string
  readonly actor: string
  readonly account: string | null
  readonly act: string
  readonly about: string
  readonly detail: string
  readonly address: string
}

/**
 * The latest entries, newest first.
 *
 * @param of number or address of one account; null lists the entries of all
 */
export async function listAudit(
  sql: Sql,
  of: { readonly accountId: number } | { readonly email: string } | null,
  limit: number,
): Promise<AuditEntry[]> {
  const condition =
    of === null
      ? sql``
      : 'accountId' in of
        ? sql`where l.account_id = ${of.accountId}`
        : sql`where l.account_id = (select account_id from account.account where email = ${of.email})`
  const rows = await sql<AuditEntry[]>`
    select to_char(l.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as at, l.actor, a.email as account, l.act, l.about,
           l.detail, l.address
    from account.audit l left join account.account a using (account_id)
    ${condition}
    order by l.audit_id desc limit ${limit}`
  return [...rows]
}
