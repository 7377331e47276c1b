import type { Actor } from '../../access/signedIn.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { nameActor, writeAudit } from './auditQueries.ts'
import { deleteBrowsers } from './browserQueries.ts'

export interface ListedSession {
  readonly sessionId: number
  /** UTC, to the minute. */
  readonly signedIn: string
  readonly lastSeen: string
  readonly ends: string
  readonly address: string
  readonly agent: string
}

/** The sessions of an account, the latest first. */
export async function listSessions(sql: Sql, accountId: number): Promise<ListedSession[]> {
  const rows = await sql<ListedSession[]>`
    select session_id as "sessionId", to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as "signedIn",
           to_char(seen_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as "lastSeen",
           expires_at::date::text as ends, address, agent
    from account.session where account_id = ${accountId} and expires_at > now()
    order by session_id desc limit 100`
  return [...rows]
}

/** Ends sessions of the actor's account. A browser that signs out stays known. One whose session is ended from the list
 * is forgotten; where all others are ended, browsers without a session are forgotten, too.
 *
 * @param which one session, or all others than this one */
export async function endSessions(
  sql: Sql,
  actor: Actor,
  which: { readonly only: number } | { readonly allBut: number },
  act: 'signed_out' | 'session_ended',
): Promise<number> {
  return sql.begin(async transaction => {
    await nameActor(transaction, actor)
    const ended = await transaction<{ address: string; agent: string; browserId: number | null }[]>`
      delete from account.session
      where account_id = ${actor.accountId}
        and ${'only' in which ? transaction`session_id = ${which.only}` : transaction`session_id <> ${which.allBut}`}
      returning address, agent, browser_id as "browserId"`
    for (const { address, agent } of ended) await writeAudit(transaction, act, address, agent)
    if (act === 'session_ended') {
      const only = ended.flatMap(({ browserId }) => browserId ?? [])
      const browsers = 'only' in which ? { only } : { allButOf: which.allBut }
      await deleteBrowsers(transaction, actor.accountId, browsers)
    }
    return ended.length
  })
}

/** Stores a secret that the next page of this session shows once. */
export async function storeReveal(sql: SqlClient, sessionId: number, sealed: Uint8Array): Promise<void> {
  await sql`update account.session set reveal = ${sealed} where session_id = ${sessionId}`
}

/** Takes the secret out: of two requests at once one gets it. */
export async function takeReveal(sql: Sql, sessionId: number): Promise<Uint8Array | null> {
  const [row] = await sql<{ reveal: Uint8Array | null }[]>`
    with held as (
      select session_id, reveal from account.session
      where session_id = ${sessionId} and reveal is not null for update
    )
    update account.session s set reveal = null from held
    where s.session_id = held.session_id
    returning held.reveal`
  return row?.reveal ?? null
}
