import type { Command } from 'commander'
import { listLocalMail } from '../../features/account/mailQueries.ts'
import type { CliContext } from '../context.ts'
import { printLine } from '../output.ts'

const maxShown = 20

const help = `
A server on this machine without MAIL_URL stores its mail in the database instead of sending it: sign-in codes, for as long as
they work. With MAIL_URL nothing is stored.

Example:
  ./asfiled mail`

/** `mail`: the sign-in codes of a server that sends none. */
export function addMailCommand(program: Command, context: CliContext): void {
  program
    .command('mail')
    .description('Show the sign-in codes of a server on this machine that sends no mail')
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', help)
    .action(async (options: { json: boolean }) => {
      const mail = await context.withDatabase(sql => listLocalMail(sql, maxShown))
      if (options.json) return printLine(JSON.stringify(mail))
      if (mail.length === 0) return printLine(noMail(context.config.mailUrl))
      const shown = mail.map(({ to, sent, subject, text }) => `To ${to}, ${sent} UTC: ${subject}\n\n${text}`)
      return printLine(shown.join('\n'))
    })
}

const noMail = (mailUrl: string | null) =>
  mailUrl === null
    ? 'No mail that is still valid. Request a code at /sign-in first.'
    : 'No mail is stored: MAIL_URL is set, so the server sends it.'
