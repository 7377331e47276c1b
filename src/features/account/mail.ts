import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { type Mail, storeLocalMail } from './mailQueries.ts'

/** `smtp` sends. `terminal` shows mail to a person who runs a server on their own machine. `off` sends nothing: sign-in says so. */
export interface Mailer {
  readonly kind: 'smtp' | 'terminal' | 'off'
  /** Returns when the mail is queued: how long the recipient's server takes shows nothing. */
  send(mail: Mail): Promise<void>
  /** Waits for what is queued, at most for the time that one attempt takes. */
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
  /** Writes to the terminal of the server, which is not its log. */
  readonly showInTerminal: (text: string) => void
}

export function makeMailer(settings: MailSettings, deps: MailDeps): Mailer {
  if (settings.mailUrl !== null) return smtpMailer(settings.mailUrl, settings.mailFrom, deps.log)
  return isLocal(settings) ? terminalMailer(deps) : mailerOff
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/** Only this machine reaches the server. An address of its own means that a proxy on this machine lets others in. */
const isLocal = ({ host, baseUrl }: MailSettings) =>
  loopback.test(host) && loopback.test(new URL(baseUrl).hostname)

const mailerOff: Mailer = {
  kind: 'off',
  send: () => Promise.reject(new Failure('conflict', mailIsOff)),
  close: async () => {},
}

export const mailIsOff =
  'Mail is not set up on this server, so sign-in is off. The operator sets MAIL_URL and MAIL_FROM, and can make keys with ./asfiled keys create.'

function terminalMailer({ sql, showInTerminal }: MailDeps): Mailer {
  return {
    kind: 'terminal',
    send: async mail => {
      await storeLocalMail(sql, mail)
      showInTerminal(`\nMail to ${mail.to}: ${mail.subject}\n\n${mail.text}`)
    },
    close: async () => {},
  }
}

const attemptMs = 10_000
const pausesMs = [2_000, 10_000]
/** Mails under way at a time. Beyond that the server says that it is busy, instead of holding ever more in memory. */
const maxQueued = 500

/** The package takes 200 ms and 13 MB, which a server without MAIL_URL spares. */
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
      // A mail of ours has no attachments, so nothing in one may name a file or an address to fetch.
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

  async function deliver(mail: Mail): Promise<void> {
    for (const pauseMs of [...pausesMs, null]) {
      try {
        opened ??= openTransport(url, from)
        const transport = await opened
        await transport.sendMail({ to: mail.to, subject: mail.subject, text: mail.text })
        return
      } catch (error) {
        const isLast = pauseMs === null || closing.signal.aborted || isFinal(error)
        log.warn({ smtp: reasonOf(error), domain: mail.to.split('@')[1], isLast }, 'a mail was not accepted')
        if (isLast) return
        await Bun.sleep(pauseMs)
      }
    }
  }

  return {
    kind: 'smtp',
    send: async mail => {
      if (queued.size >= maxQueued)
        throw new Failure('compute_busy', 'Too many mails are waiting to be sent. Try again in a minute.', {
          retryAfterSeconds: 60,
        })
      const delivery = deliver(mail).finally(() => queued.delete(delivery))
      queued.add(delivery)
    },
    close: async () => {
      closing.abort()
      await Promise.race([Promise.all(queued), Bun.sleep(attemptMs)])
      if (opened !== null) (await opened).close()
    },
  }
}

/** A server that answers 5xx would answer so again. */
const isFinal = (error: unknown) => Number(Reflect.get(Object(error), 'responseCode') ?? 0) >= 500

/** Codes alone: the text of an answer may quote the mail, and so the code in it. */
function reasonOf(error: unknown): string {
  const parts = ['code', 'responseCode', 'command'].map(name => Reflect.get(Object(error), name))
  return parts.filter(part => part !== undefined).join(' ') || 'unknown'
}
