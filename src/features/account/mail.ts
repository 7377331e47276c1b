import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { type Mail, storeLocalMail } from './mailQueries.ts'
import type { ClaimedMail } from './outboxQueries.ts'

/**
 * `smtp` sends mail. `terminal` prints it for someone who runs a server on their own machine. `off` sends
 * nothing, and the sign-in page says so.
 */
export interface Mailer {
  readonly kind: 'smtp' | 'terminal' | 'off'
  /**
   * Returns as soon as the mail is queued, so that timing does not reveal how long the recipient's server
   * takes.
   *
   * @param whenLost called if every attempt to send the queued mail fails; not called if this method itself
   * fails
   */
  send(mail: Mail, whenLost?: () => Promise<void>): Promise<void>
  /** Makes one attempt to send an outbox mail. Returns when the mail server accepts it; throws otherwise. */
  deliver(mail: ClaimedMail): Promise<void>
  /** Waits for queued mail, at most as long as one attempt may take. */
  close(): Promise<void>
}

export interface MailSettings {
  readonly mailUrl: string | null
  readonly mailFrom: string
  readonly host: string
  readonly baseUrl: string
}

interface MailLog {
  warn(details: object, message: string): void
}

interface MailDeps {
  readonly sql: Sql
  readonly log: MailLog
  /** Writes to the server's terminal, not to its log. */
  readonly showInTerminal: (text: string) => void
}

export function makeMailer(settings: MailSettings, deps: MailDeps): Mailer {
  if (settings.mailUrl !== null) return smtpMailer(settings.mailUrl, settings.mailFrom, deps.log)
  return isLocal(settings) ? terminalMailer(deps) : mailerOff
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/**
 * Only this machine can reach the server. A public base URL means that a proxy on this machine admits others.
 */
const isLocal = ({ host, baseUrl }: MailSettings) =>
  loopback.test(host) && loopback.test(new URL(baseUrl).hostname)

const mailerOff: Mailer = {
  kind: 'off',
  send: () => Promise.reject(new Failure('conflict', mailIsOff)),
  deliver: () => Promise.reject(new Failure('conflict', mailIsOff)),
  close: async () => {},
}

export const mailIsOff =
  'This server cannot send e-mail, so nobody can sign in. The operator can set MAIL_URL and MAIL_FROM, or create keys with ./asfiled keys create.'

function terminalMailer({ sql, showInTerminal }: MailDeps): Mailer {
  const show = async (mail: Mail) => {
    await storeLocalMail(sql, mail)
    showInTerminal(`\nMail to ${mail.to}: ${mail.subject}\n\n${mail.text}`)
  }
  return {
    kind: 'terminal',
    send: mail => show(mail),
    deliver: ({ text, attachmentName, ...mail }) =>
      show({ ...mail, text: attachmentName === null ? text : `${text}\nAttached: ${attachmentName}\n` }),
    close: async () => {},
  }
}

const attemptMs = 10_000
const pausesMs = [2_000, 10_000]
/** Mails in flight. Above this the server reports that it is busy, so that memory stays bounded. */
const maxQueued = 500

/** Loading the package takes 200 ms and 13 MB, which a server without MAIL_URL avoids. */
async function openTransport(url: string, from: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport(
    {
      url,
      pool: true,
      maxConnections: 4,
      connectionTimeout: attemptMs,
      greetingTimeout: attemptMs,
      socketTimeout: attemptMs,
      // Attachments are bytes, so a mail never needs a file or URL to be fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
}

function smtpMailer(url: string, from: string, log: MailLog): Mailer {
  let opened: ReturnType<typeof openTransport> | null = null
  const queued = new Set<Promise<void>>()
  const closing = new AbortController()
  const host = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'localhost'

  async function sendOnce(mail: Mail, durable: object = {}): Promise<void> {
    opened ??= openTransport(url, from)
    const transport = await opened
    await transport.sendMail({ to: mail.to, subject: mail.subject, text: mail.text, ...durable })
  }

  async function deliver(mail: Mail, whenLost?: () => Promise<void>): Promise<void> {
    for (const pauseMs of [...pausesMs, null]) {
      try {
        await sendOnce(mail)
        return
      } catch (error) {
        const { isFinal, reason } = refusalOf(error)
        const isLast = pauseMs === null || closing.signal.aborted || isFinal
        log.warn({ smtp: reason, domain: mail.to.split('@')[1], isLast }, 'a mail was not accepted')
        // The database itself may be down. Then only a count is lost.
        if (isLast) return await whenLost?.().catch(() => {})
        await Bun.sleep(pauseMs)
      }
    }
  }

  return {
    kind: 'smtp',
    send: async (mail, whenLost) => {
      if (queued.size >= maxQueued)
        throw new Failure('compute_busy', 'Too many e-mails are waiting to be sent. Try again in a minute.', {
          retryAfterSeconds: 60,
        })
      const delivery = deliver(mail, whenLost).finally(() => queued.delete(delivery))
      queued.add(delivery)
    },
    deliver: mail =>
      sendOnce(mail, {
        messageId: `<${mail.messageId}@${host}>`,
        attachments: attachmentsOf(mail),
      }),
    close: async () => {
      closing.abort()
      await Promise.race([Promise.all(queued), Bun.sleep(attemptMs)])
      if (opened !== null) (await opened).close()
    },
  }
}

const attachmentsOf = ({ attachment, attachmentName }: ClaimedMail) =>
  attachment === null || attachmentName === null
    ? []
    : [
        {
          filename: attachmentName,
          content: Buffer.from(attachment),
          contentType: 'text/html; charset=utf-8',
        },
      ]

/**
 * Why a mail server rejected a mail. Contains codes only: the text of a response may quote the mail and thus
 * the code in it.
 */
export function refusalOf(error: unknown): { readonly isFinal: boolean; readonly reason: string } {
  const partOf = (name: string) => Reflect.get(Object(error), name)
  const parts = ['code', 'responseCode', 'command'].map(partOf)
  return {
    // A server that rejects this recipient or this text would do so again. A rejected password or sender can
    // be corrected.
    isFinal:
      Number(partOf('responseCode') ?? 0) >= 500 && ['RCPT TO', 'DATA'].includes(partOf('command') ?? ''),
    reason: parts.filter(part => part !== undefined).join(' ') || 'unknown',
  }
}
