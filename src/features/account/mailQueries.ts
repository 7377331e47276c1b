import type { Sql } from '../../postgres/client.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** How long the mail is useful. */
  readonly minutes: number
}

export async function storeLocalMail(sql: Sql, { to, subject, text, minutes }: Mail): Promise<void> {
  await sql`
    insert into account.local_mail (recipient, subject, body, expires_at)
    values (${to}, ${subject}, ${text}, now() + ${minutes} * interval '1 minute')`
}

export interface LocalMail {
  readonly to: string
  /** UTC, to the second. */
  readonly sent: string
  readonly subject: string
  readonly text: string
}

/** Mail that is still useful, the latest first. */
export async function listLocalMail(sql: Sql, limit: number): Promise<LocalMail[]> {
  const rows = await sql<LocalMail[]>`
    select recipient as "to", to_char(sent_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as sent, subject, body as text
    from account.local_mail where expires_at > now()
    order by mail_id desc limit ${limit}`
  return [...rows]
}

/**
 * Deletes expired codes, sessions, remembered browsers and local mail. Bounded, so that the statements stay
 * short.
 */
export async function deleteExpired(sql: Sql, limit: number): Promise<void> {
  await sql`
    delete from account.sign_in_code where browser in (
      select browser from account.sign_in_code where expires_at < now() limit ${limit} for update skip locked)`
  await sql`
    delete from account.session where session_id in (
      select session_id from account.session where expires_at < now() limit ${limit} for update skip locked)`
  await sql`
    delete from account.known_browser where browser_id in (
      select browser_id from account.known_browser where expires_at < now() limit ${limit} for update skip locked)`
  await sql`delete from account.local_mail where expires_at < now()`
}
