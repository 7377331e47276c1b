import type { Command } from 'commander'
import { listLocalMail } from '../../features/account/mailQueries.ts'
import { listOutbox } from '../../features/account/outboxQueries.ts'
import type { CliContext } from '../context.ts'
import { printLine, textTable } from '../output.ts'

const maxShown = 20
const maxQueued = 200

const help = `Without MAIL_URL, a server on this machine stores its e-mails in the database instead of sending them: sign-in codes
until they expire, copies of signed orders, and reminders. With MAIL_URL, no code is stored.

Every e-mail except codes is queued until a mail server accepts it. --queue lists each one as waiting, sent, failed
(after nine attempts in two days) or expired before it could be sent.

Examples:
  ./asfiled mail
  ./asfiled mail --queue`

/** `mail`: the mail of a server that does not send any, and the queue of one that does. */
export function addMailCommand(program: Command, context: CliContext): void {
  program
    .command('mail')
    .description(
      'Show the e-mails of a server on this machine that has no mail server, and those that are waiting or have failed',
    )
    .option('--queue', 'List the queued e-mails of the last month instead', false)
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', help)
    .action((options: { queue: boolean; json: boolean }) =>
      options.queue ? showQueue(context, options.json) : showLocal(context, options.json),
    )
}

async function showLocal(context: CliContext, json: boolean): Promise<void> {
  const mail = await context.withDatabase(sql => listLocalMail(sql, maxShown))
  if (json) return printLine(JSON.stringify(mail))
  if (mail.length === 0) return printLine(noMail(context.config.mailUrl))
  const shown = mail.map(({ to, sent, subject, text }) => `To ${to}, ${sent} UTC: ${subject}\n\n${text}`)
  return printLine(shown.join('\n'))
}

const noMail = (mailUrl: string | null) =>
  mailUrl === null
    ? 'No mail that is still valid. Request a code at /sign-in first.'
    : 'No mail is stored: MAIL_URL is set, so the server sends it. --queue lists what waits.'

async function showQueue(context: CliContext, json: boolean): Promise<void> {
  const mail = await context.withDatabase(sql => listOutbox(sql, maxQueued))
  if (json) return printLine(JSON.stringify(mail))
  if (mail.length === 0) return printLine('No mail was queued in the last month.')
  const rows = mail.map(({ queued, state, attempts, to, subject }) => [
    queued,
    state,
    String(attempts),
    to,
    subject,
  ])
  return printLine(textTable(['QUEUED (UTC)', 'STATE', 'ATTEMPTS', 'TO', 'SUBJECT'], rows))
}
