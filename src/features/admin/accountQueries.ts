import type { Sql } from '../../postgres/client.ts'
import { grantOfKey } from '../account/standingQueries.ts'

export interface ListedAccount {
  readonly account: number
  readonly email: string
  /** UTC day. */
  readonly created: string
  /** Keys that are neither revoked nor replaced. */
  readonly keys: number
  /** The licences of current grants. */
  readonly licences: readonly string[]
  readonly open_requests: number
}

export interface AccountFilter {
  /** Part of the address; empty matches all. */
  readonly email: string
  /** Only accounts with smaller numbers. */
  readonly before: number | null
  readonly limit: number
}

const current = (sql: Sql) => sql`k.revoked_at is null and k.retires_at is null`
const running = (sql: Sql) => sql`g.starts_at <= now() and (g.expires_at is null or g.expires_at > now())`

const columns = (sql: Sql) => sql`
  a.account_id as account, a.email, a.created_at::date::text as created,
  (select count(*)::int from account.held_key h join api_key k using (key_id)
   where h.account_id = a.account_id and ${current(sql)}) as keys,
  array(select distinct g.licence || case when g.quant then ' + quant' else '' end
        from account.held_key h join api_key k using (key_id)
        join key_grant g on g.key_id = coalesce(k.root_key_id, k.key_id)
        where h.account_id = a.account_id and ${current(sql)} and ${running(sql)} order by 1) as licences,
  (select count(*)::int from account.licence_request r
   where r.account_id = a.account_id and r.state = 'open') as open_requests`

/** Accounts, the latest first. */
export async function listAccounts(
  sql: Sql,
  { email, before, limit }: AccountFilter,
): Promise<ListedAccount[]> {
  const rows = await sql<ListedAccount[]>`
    select ${columns(sql)} from account.account a
    where ${email === '' ? sql`true` : sql`strpos(a.email, ${email.toLowerCase()}) > 0`}
      and ${before === null ? sql`true` : sql`a.account_id < ${before}`}
    order by a.account_id desc limit ${limit}`
  return [...rows]
}

export async function findAccount(
  sql: Sql,
  of: { readonly account: number } | { readonly email: string },
): Promise<ListedAccount | null> {
  const [row] = await sql<ListedAccount[]>`
    select ${columns(sql)} from account.account a
    where ${'account' in of ? sql`a.account_id = ${of.account}` : sql`a.email = ${of.email}`}`
  return row ?? null
}

export interface AdminKey {
  readonly prefix: string
  readonly email: string
  /** Null for keys created on the command line. */
  readonly account: number | null
  readonly licence: string
  readonly quant: boolean
  readonly created: string
  readonly state: 'active' | 'waiting' | 'replaced' | 'expired' | 'revoked'
}

/**
 * Keys, the latest first.
 *
 * @param search the beginning of a key or part of its address; empty matches all
 * @param before only keys created before this one
 */
export async function listAdminKeys(
  sql: Sql,
  filter: { readonly search: string; readonly before: string | null; readonly limit: number },
): Promise<AdminKey[]> {
  const { search, before, limit } = filter
  const rows = await sql<AdminKey[]>`
    select k.prefix, k.email, h.account_id as account, g.licence, g.quant, k.created_at::date::text as created,
           case when k.revoked_at is not null or k.retires_at <= now() then 'revoked'
                when g.expires_at <= now() then 'expired'
                when h.is_waiting then 'waiting'
                when k.retires_at is not null then 'replaced'
                else 'active' end as state
    from api_key k left join account.held_key h using (key_id)
    ${grantOfKey(sql)}
    where ${search === '' ? sql`true` : sql`(starts_with(k.prefix, ${search}) or strpos(lower(k.email), ${search.toLowerCase()}) > 0)`}
      and ${before === null ? sql`true` : sql`k.key_id < (select max(key_id) from api_key where prefix = ${before})`}
    order by k.key_id desc limit ${limit}`
  return [...rows]
}

export interface Overview {
  readonly accounts: number
  readonly keys: number
  readonly openRequests: number
  /** Paid licences in force, one for each key and its replacements. */
  readonly paidLicences: number
  readonly endingLicences: number
}

/**
 * The counts on the overview page. Licences count as ending if they end within 30 days. The grant of a revoked key
 * remains on record, but nobody can use it, so only families with a current key count.
 */
export async function readOverview(sql: Sql): Promise<Overview> {
  const [row] = await sql<Overview[]>`
    select (select count(*)::int from account.account) as accounts,
           (select count(*)::int from api_key k where ${current(sql)}) as keys,
           (select count(*)::int from account.licence_request where state = 'open') as "openRequests",
           count(*)::int as "paidLicences",
           count(*) filter (where g.expires_at <= now() + interval '30 days')::int as "endingLicences"
    from (select distinct coalesce(k.root_key_id, k.key_id) as root_key_id from api_key k where ${current(sql)}) family
    join lateral grant_that_counts(family.root_key_id) g on true
    where is_paid(g) and ${running(sql)}`
  return row
}
