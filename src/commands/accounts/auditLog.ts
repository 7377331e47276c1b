import type { Command } from 'commander'
import { listAudit } from '../../features/account/auditQueries.ts'
import type { CliContext } from '../context.ts'
import { parsePositiveInteger } from '../options.ts'
import { printLine, textTable } from '../output.ts'

const defaultLimit = 100

interface AuditLogOptions {
  readonly email?: string
  readonly limit: number
  readonly json: boolean
}

const help = `
Examples:
  ./asfiled audit-log
  ./asfiled audit-log --email ana@fund.example --limit 20
  ./asfiled audit-log --json | jq '.[] | select(.act == "key_revoked")'

The database refuses to change or delete entries.`

/** `audit-log`: who signed in, and who created, rotated, revoked or granted what. */
export function addAuditLogCommand(program: Command, context: CliContext): void {
  program
    .command('audit-log')
    .description('Show who signed in, and who made, rotated, revoked or granted which key')
    .option('--email <address>', 'Only events on the account with this address')
    .option('--limit <n>', 'How many entries, the latest first', parsePositiveInteger, defaultLimit)
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', help)
    .action(async ({ email, limit, json }: AuditLogOptions) => {
      const of = email === undefined ? null : { email: email.trim().toLowerCase() }
      const entries = await context.withDatabase(sql => listAudit(sql, of, limit))
      if (json) return printLine(JSON.stringify(entries))
      if (entries.length === 0) return printLine('No entries.')
      const rows = entries.map(entry => [
        entry.at,
        entry.actor,
        entry.act,
        entry.about || '-',
        entry.account ?? '-',
        entry.address || '-',
        entry.detail,
      ])
      return printLine(textTable(['TIME (UTC)', 'BY', 'ACT', 'ABOUT', 'ACCOUNT', 'NETWORK', 'DETAILS'], rows))
    })
}
