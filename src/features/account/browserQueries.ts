import type { Actor } from '../../access/signedIn.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { nameActor, writeAudit } from './auditQueries.ts'

/** How long a browser is remembered after its last sign-in, as the table has it. */
export const rememberedDays = 180
/** Of one account: each has guesses of its own. */
const maxBrowsers = 5

/** The number of the browser whose cookie has this digest, if it signed in with this mailbox before; else null. */
export async function findKnownBrowser(sql: Sql, digest: Uint8Array, email: string): Promise<number | null> {
  const [row] = await sql<{ browserId: number }[]>`
    select b.browser_id as "browserId"
    from account.known_browser b join account.account a using (account_id)
    where b.digest = ${digest} and b.expires_at > now() and a.email = ${email}`
  return row?.browserId ?? null
}

/** Whether somebody of a registrable domain is signed in from a network. Nothing here depends on the mailbox that
 * a code is for. */
export async function isKnownNetwork(sql: Sql, address: string, domain: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from account.session s join account.account a using (account_id)
      where s.address = ${address} and s.expires_at > now() and a.domain = ${domain}
    ) as found`
  return row.found
}

export interface SignedInBrowser {
  readonly accountId: number
  readonly digest: Uint8Array
  /** Of the token that the browser sent; null: it sent none. */
  readonly previous: Uint8Array | null
  readonly address: string
  readonly agent: string
}

/** Remembers a browser that signs in and returns its number. Its token changes, also for other accounts that
 * signed in from it, so a copy of the earlier cookie is of no use any more. */
export async function rememberBrowser(
  transaction: TransactionSql,
  { accountId, digest, previous, address, agent }: SignedInBrowser,
): Promise<number> {
  if (previous !== null)
    await transaction`
      update account.known_browser set digest = ${digest} where digest = ${previous} and expires_at > now()`
  const [{ browserId }] = await transaction<{ browserId: number }[]>`
    insert into account.known_browser (account_id, digest, address, agent)
    values (${accountId}, ${digest}, ${address}, ${agent})
    on conflict (digest, account_id) do update
    set signed_in_at = default, expires_at = default, address = excluded.address, agent = excluded.agent
    returning browser_id as "browserId"`
  // A locked row belongs to a browser that signs in at this moment: the next sign-in looks again.
  await transaction`
    delete from account.known_browser where browser_id in (
      select browser_id from account.known_browser where browser_id in (
        select browser_id from account.known_browser where account_id = ${accountId} and browser_id <> ${browserId}
        order by signed_in_at desc, browser_id desc offset ${maxBrowsers - 1})
      for update skip locked)`
  return browserId
}

export interface ListedBrowser {
  readonly browserId: number
  /** UTC, to the minute. */
  readonly signedIn: string
  readonly ends: string
  readonly address: string
  readonly agent: string
  readonly isThis: boolean
}

/** The browsers that an account is remembered in, the latest first.
 *
 * @param digest of the token in the cookie of this browser; null: none */
export async function listBrowsers(
  sql: Sql,
  accountId: number,
  digest: Uint8Array | null,
): Promise<ListedBrowser[]> {
  const rows = await sql<ListedBrowser[]>`
    select browser_id as "browserId", to_char(signed_in_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as "signedIn",
           expires_at::date::text as ends, address, agent, coalesce(digest = ${digest}, false) as "isThis"
    from account.known_browser where account_id = ${accountId} and expires_at > now()
    order by signed_in_at desc, browser_id desc`
  return [...rows]
}

/** Which browsers of an account are meant: one, some by their numbers, all, or all but the one of a session. */
export type WhichBrowsers = { readonly only: readonly number[] } | 'all' | { readonly allButOf: number }

/** Forgets browsers of the actor's account. Returns their digests. */
export async function forgetBrowsers(
  sql: Sql,
  actor: Actor,
  which: WhichBrowsers,
): Promise<readonly Uint8Array[]> {
  return sql.begin(async transaction => {
    await nameActor(transaction, actor)
    return deleteBrowsers(transaction, actor.accountId, which)
  })
}

/** Within a transaction that names its actor. */
export async function deleteBrowsers(
  transaction: TransactionSql,
  accountId: number,
  which: WhichBrowsers,
): Promise<readonly Uint8Array[]> {
  const meant =
    which === 'all'
      ? transaction`true`
      : 'only' in which
        ? transaction`browser_id = any(${[...which.only]}::int[])`
        : transaction`browser_id is distinct from (
            select browser_id from account.session where session_id = ${which.allButOf})`
  const forgotten = await transaction<{ digest: Uint8Array; address: string; agent: string }[]>`
    delete from account.known_browser where account_id = ${accountId} and ${meant}
    returning digest, address, agent`
  for (const { address, agent } of forgotten)
    await writeAudit(transaction, 'browser_forgotten', address, agent)
  return forgotten.map(({ digest }) => digest)
}
