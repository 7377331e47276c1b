import type { Sql, TransactionSql } from '../../postgres/client.ts'
import { nameActor } from './auditQueries.ts'
import { rememberBrowser } from './browserQueries.ts'

interface NewCode {
  readonly browser: Uint8Array
  readonly digest: Uint8Array
  readonly email: string
  readonly domain: string
  readonly minutes: number
}

export async function insertCode(sql: Sql, code: NewCode): Promise<void> {
  await sql`
    insert into account.sign_in_code (browser, digest, email, domain, expires_at)
    values (${code.browser}, ${code.digest}, ${code.email}, ${code.domain},
            now() + ${code.minutes} * interval '1 minute')`
}

/**
 * The mailbox to which a code was sent from this browser, or null if there is none or the code has expired.
 */
export async function findCodeEmail(sql: Sql, browser: Uint8Array): Promise<string | null> {
  const [row] = await sql<{ email: string }[]>`
    select email from account.sign_in_code
    where browser = ${browser} and used_at is null and expires_at > now()`
  return row?.email ?? null
}

interface CodeUse {
  readonly browser: Uint8Array
  readonly digest: Uint8Array
  readonly maxGuesses: number
  readonly session: Uint8Array
  readonly previousSession: Uint8Array | null
  readonly known: Uint8Array
  readonly previousKnown: Uint8Array | null
  readonly address: string
  readonly agent: string
}

/**
 * Tries a code and, if it is right, creates the session, all in one transaction. The update counts the guess
 * and takes the code under its row lock: of several concurrent attempts only one succeeds, and none exceeds
 * the cap. Returns null if there is no code to try.
 */
export async function signIn(
  sql: Sql,
  use: CodeUse,
): Promise<{ readonly isRight: boolean; readonly guesses: number } | null> {
  return sql.begin(async transaction => {
    const [code] = await transaction<{ isRight: boolean; guesses: number; email: string; domain: string }[]>`
      update account.sign_in_code
      set guesses = guesses + 1, used_at = case when digest = ${use.digest} then now() end
      where browser = ${use.browser} and used_at is null and expires_at > now() and guesses < ${use.maxGuesses}
      returning used_at is not null as "isRight", guesses, email, domain`
    if (code === undefined) return null
    if (code.isRight) await openSession(transaction, code, use)
    return { isRight: code.isRight, guesses: code.guesses }
  })
}

async function openSession(
  transaction: TransactionSql,
  { email, domain }: { email: string; domain: string },
  { session, previousSession, known, previousKnown, address, agent }: CodeUse,
): Promise<void> {
  const [{ accountId }] = await transaction<{ accountId: number }[]>`
    insert into account.account (email, domain) values (${email}, ${domain})
    on conflict (email) do update set domain = excluded.domain
    returning account_id as "accountId"`
  if (previousSession !== null)
    await transaction`delete from account.session where digest = ${previousSession}`
  const browser = { accountId, digest: known, previous: previousKnown, address, agent }
  const browserId = await rememberBrowser(transaction, browser)
  await transaction`
    insert into account.session (digest, account_id, browser_id, address, agent)
    values (${session}, ${accountId}, ${browserId}, ${address}, ${agent})`
  await nameActor(transaction, { email, accountId, address })
  await transaction`select account.write_audit('signed_in', ${accountId}::int, '', ${agent})`
}
