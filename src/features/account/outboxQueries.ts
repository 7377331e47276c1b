import type { Sql, TransactionSql } from '../../postgres/client.ts'

/**
 * A mail that must arrive even if servers crash. Sign-in codes are never sent this way, because the database
 * would hold them readable.
 */
export interface DurableMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachment?: { readonly name: string; readonly content: Uint8Array }
  /** How long the mail is useful. */
  readonly usefulMinutes: number
}

/**
 * Stores a mail in the transaction that causes it, so that both are committed or neither. A server sends it
 * within seconds.
 */
export async function queueMail(transaction: TransactionSql, mail: DurableMail): Promise<void> {
  const { to, subject, text, attachment, usefulMinutes } = mail
  await transaction`
    insert into account.mail_outbox (recipient, subject, body, attachment_name, attachment, expires_at)
    values (${to}, ${subject}, ${text}, ${attachment?.name ?? null}, ${attachment?.content ?? null},
            now() + ${usefulMinutes} * interval '1 minute')`
}

/** A mail that this process has claimed. */
export interface ClaimedMail {
  readonly mailId: number
  /** The same for every attempt, so that a recipient who gets the mail twice can recognise it as one. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachmentName: string | null
  readonly attachment: Uint8Array | null
  /** How long the mail is useful. */
  readonly minutes: number
  /** Counts attempts from 1. */
  readonly attempt: number
}

interface Claim {
  readonly limit: number
  /** After this time another server takes over, assuming that the one that claimed the mail is dead. */
  readonly leaseSeconds: number
  readonly maxAttempts: number
}

/** Claims mails that are due. Locked rows are skipped, so that no two servers claim one. */
export async function claimMail(
  sql: Sql,
  { limit, leaseSeconds, maxAttempts }: Claim,
): Promise<ClaimedMail[]> {
  const rows = await sql<ClaimedMail[]>`
    with due as (
      select mail_id from account.mail_outbox
      where state = 'waiting' and next_attempt_at <= now() and expires_at > now() and attempts < ${maxAttempts}
      order by next_attempt_at, mail_id limit ${limit} for update skip locked
    )
    update account.mail_outbox m
    set attempts = attempts + 1, next_attempt_at = now() + ${leaseSeconds} * interval '1 second'
    from due where m.mail_id = due.mail_id
    returning m.mail_id::int as "mailId", message_id as "messageId", recipient as "to", subject, body as text,
              attachment_name as "attachmentName", attachment, attempts as attempt,
              greatest(1, ceil(extract(epoch from expires_at - now()) / 60))::int as minutes`
  return [...rows]
}

export async function endMail(sql: Sql, mailId: number, state: 'sent' | 'failed'): Promise<void> {
  await sql`
    update account.mail_outbox set state = ${state}, ended_at = now() where mail_id = ${mailId} and state = 'waiting'`
}

export async function postponeMail(sql: Sql, mailId: number, seconds: number): Promise<void> {
  await sql`
    update account.mail_outbox set next_attempt_at = now() + ${seconds} * interval '1 second'
    where mail_id = ${mailId} and state = 'waiting'`
}

/**
 * Ends mails that are no longer useful and mails whose every attempt ended with a server crash. Returns their
 * number.
 */
export async function endLostMail(sql: Sql, maxAttempts: number): Promise<number> {
  const ended = await sql`
    update account.mail_outbox
    set state = case when expires_at <= now() then 'expired' else 'failed' end, ended_at = now()
    where state = 'waiting' and next_attempt_at <= now() and (expires_at <= now() or attempts >= ${maxAttempts})`
  return ended.count
}

const shownDays = 30

/** Deletes mails that ended a month ago. Bounded, so that the statement stays short. */
export async function deleteOldOutbox(sql: Sql, limit: number): Promise<void> {
  await sql`
    delete from account.mail_outbox where mail_id in (
      select mail_id from account.mail_outbox
      where state <> 'waiting' and ended_at < now() - ${shownDays} * interval '1 day' limit ${limit})`
}

export interface QueuedMail {
  readonly to: string
  readonly subject: string
  readonly state: 'waiting' | 'sent' | 'failed' | 'expired'
  /** UTC, to the second. */
  readonly queued: string
  readonly attempts: number
}

/** The mails of the last month, the latest first. */
export async function listOutbox(sql: Sql, limit: number): Promise<QueuedMail[]> {
  const rows = await sql<QueuedMail[]>`
    select recipient as "to", subject, state, to_char(queued_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as queued,
           attempts
    from account.mail_outbox order by mail_id desc limit ${limit}`
  return [...rows]
}
