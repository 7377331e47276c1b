import type { Sql } from '../../postgres/client.ts'
import { type Mailer, refusalOf } from './mail.ts'
import { type ClaimedMail, claimMail, endLostMail, endMail, postponeMail } from './outboxQueries.ts'

/**
 * This is not a job queue: a server may leave jobs to others, and mail must not wait for backtests to end.
 */

const pollMs = 1_000
const claimedAtOnce = 4
/** Must exceed `attemptMs`. */
const leaseSeconds = 120
const attemptMs = 60_000
/**
 * The pause after each failed attempt. After the last one, two days after it was written, the mail has failed
 * for good.
 */
const pausesSeconds = [30, 120, 600, 3_600, 10_800, 21_600, 43_200, 86_400]
const maxAttempts = pausesSeconds.length + 1

export interface OutboxDeps {
  readonly sql: Sql
  readonly mailer: Mailer
  readonly log: { warn(details: object, message: string): void }
}

/** Sends all due mail, including mail that becomes due meanwhile. */
export async function sendDueMail(deps: OutboxDeps, isClosing: () => boolean = () => false): Promise<void> {
  const { sql, mailer, log } = deps
  const lost = await endLostMail(sql, maxAttempts)
  if (lost > 0) log.warn({ mails: lost }, 'mails were not sent in the time in which they were of use')
  // Mail waits until the operator has configured sending.
  if (mailer.kind === 'off') return
  while (!isClosing()) {
    const mails = await claimMail(sql, { limit: claimedAtOnce, leaseSeconds, maxAttempts })
    await Promise.all(mails.map(mail => attempt(deps, mail)))
    if (mails.length < claimedAtOnce) return
  }
}

/**
 * If a server dies after the acceptance and before recording it, the mail is sent again with the same
 * Message-ID.
 */
async function attempt({ sql, mailer, log }: OutboxDeps, mail: ClaimedMail): Promise<void> {
  try {
    await inTime(mailer.deliver(mail))
  } catch (error) {
    const { isFinal, reason } = refusalOf(error)
    const isLast = isFinal || mail.attempt >= maxAttempts
    log.warn(
      { smtp: reason, domain: mail.to.split('@')[1], mail: mail.mailId, isLast },
      'a mail was not accepted',
    )
    return isLast
      ? endMail(sql, mail.mailId, 'failed')
      : postponeMail(sql, mail.mailId, pausesSeconds[mail.attempt - 1])
  }
  await endMail(sql, mail.mailId, 'sent')
}

async function inTime(delivery: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The mail server took too long.')), attemptMs)
  })
  await Promise.race([delivery, late]).finally(() => clearTimeout(timer))
}

/**
 * Sends outbox mail while the server runs. Returns a function that stops this and waits for attempts in
 * flight.
 */
export function startOutbox(deps: OutboxDeps): () => Promise<void> {
  let closing = false
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    // Everything else reports an unreachable database; the next run sends the mail.
    running ??= sendDueMail(deps, () => closing)
      .catch(() => {})
      .finally(() => {
        running = null
      })
  }, pollMs)
  return async () => {
    closing = true
    clearInterval(timer)
    await running
  }
}
