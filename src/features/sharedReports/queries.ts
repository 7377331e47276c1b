import type { Sql, SqlClient, TransactionSql } from '../../postgres/client.ts'
import { nameActor, writeAudit } from '../account/auditQueries.ts'

/** A report of a backtest that is open to everyone with its address. */
export interface SharedReport {
  readonly id: string
  readonly jobId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

const columns = (sql: SqlClient) => sql`
  s.share_id as id, s.job_id as "jobId", s.created_at as "createdAt", s.expires_at as "expiresAt"`

interface NewShare {
  readonly keyId: number
  readonly jobId: string
  readonly digest: Uint8Array
  readonly markets: readonly string[]
  readonly days: number
  /** The client's address, for the audit log. */
  readonly address: string
}

/**
 * Opens a report unless the key already has `maxOpen` of them (`full`), or its backtest was deleted meanwhile
 * (`gone`).
 */
export async function insertShare(
  sql: Sql,
  { keyId, jobId, digest, markets, days, address }: NewShare,
  maxOpen: number,
): Promise<SharedReport | 'full' | 'gone'> {
  return sql.begin(async transaction => {
    // Otherwise two requests could each open the last report that the limit allows.
    await transaction`select 1 from api_key where key_id = ${keyId} for no key update`
    const jobs = await transaction`
      select 1 from job where job_id = ${jobId} and key_id = ${keyId} and state = 'succeeded' for key share`
    if (jobs.length === 0) return 'gone'
    const [{ open }] = await transaction<{ open: number }[]>`
      select count(*)::int as open from shared_report s join job using (job_id)
      where key_id = ${keyId} and s.expires_at > now()`
    if (open >= maxOpen) return 'full'
    const [row] = await transaction<SharedReport[]>`
      insert into shared_report as s (job_id, digest, markets, expires_at)
      values (${jobId}, ${digest}, ${[...markets]}::text[], now() + ${days} * interval '1 day')
      returning ${columns(transaction)}`
    const until = row.expiresAt.toISOString().slice(0, 10)
    await recordAct(transaction, 'report_shared', { keyId, address }, `${row.id} of ${jobId}, until ${until}`)
    return row
  })
}

/** The open reports of a backtest, newest first. */
export async function listShares(sql: Sql, jobId: string): Promise<SharedReport[]> {
  const rows = await sql<SharedReport[]>`
    select ${columns(sql)} from shared_report s
    where job_id = ${jobId} and expires_at > now()
    order by created_at desc, share_id`
  return [...rows]
}

interface Revocation {
  readonly keyId: number
  readonly jobId: string
  readonly shareId: string
  readonly address: string
}

/** Closes a report of a backtest; false: it has no such report. */
export function deleteShare(sql: Sql, { keyId, jobId, shareId, address }: Revocation): Promise<boolean> {
  return sql.begin(async transaction => {
    const rows = await transaction`
      delete from shared_report where job_id = ${jobId} and share_id = ${shareId} and expires_at > now()
      returning share_id`
    if (rows.length === 0) return false
    await recordAct(transaction, 'share_revoked', { keyId, address }, `${shareId} of ${jobId}`)
    return true
  })
}

/** Writes the audit log of the account that holds the key. The actor is the key, with whose rights somebody acted. */
async function recordAct(
  transaction: TransactionSql,
  act: 'report_shared' | 'share_revoked',
  { keyId, address }: Pick<Revocation, 'keyId' | 'address'>,
  detail: string,
): Promise<void> {
  const [{ prefix, accountId }] = await transaction<{ prefix: string; accountId: number | null }[]>`
    select prefix, account.holder_of(key_id) as "accountId" from api_key where key_id = ${keyId}`
  await nameActor(transaction, { email: `key ${prefix}`, address })
  await writeAudit(transaction, act, prefix, detail, accountId)
}

/**
 * The report that a token opens, with the markets whose figures ranked its names; null: none. A key that can
 * no longer read its own backtest shows it to nobody else either.
 */
export async function findShared(
  sql: Sql,
  digest: Uint8Array,
): Promise<(SharedReport & { readonly markets: readonly string[] }) | null> {
  const [row] = await sql<(SharedReport & { markets: string[] })[]>`
    select ${columns(sql)}, s.markets
    from shared_report s join job j using (job_id)
    join lateral grant_that_counts(j.key_id) g
      on g.quant and g.starts_at <= now() and (g.expires_at is null or g.expires_at > now())
    where s.digest = ${digest} and s.expires_at > now() and exists (
      select from api_key k
      where (k.key_id = j.key_id or k.root_key_id = j.key_id)
        and k.revoked_at is null and (k.retires_at is null or k.retires_at > now()))`
  return row ?? null
}
