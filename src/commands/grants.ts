import type { Command } from 'commander'
import { type ListedGrant, listGrants } from '../access/queries.ts'
import type { CliContext } from './context.ts'
import { printLine, textTable } from './output.ts'

const head = [
  'GRANT',
  'KEY',
  'LICENCE',
  'STATE',
  'PER MINUTE',
  'PER DAY',
  'COMPANIES',
  'BULK',
  'GRANTED',
  'EXPIRES',
  'E-MAIL',
]

/** `grants`: what was sold to whom, with the limits of each sale. */
export function addGrantsCommand(program: Command, context: CliContext): void {
  program
    .command('grants')
    .description('List what was sold to whom, with the limits of each sale')
    .option('--json', 'Print a JSON array', false)
    .addHelpText(
      'after',
      '\nExamples:\n  ./asfiled grants\n  ./asfiled grants --json | jq \'.[] | select(.state == "running")\'',
    )
    .action(async (options: { json: boolean }) => {
      const grants = await context.withDatabase(listGrants)
      if (options.json) await printLine(JSON.stringify(grants))
      else if (grants.length === 0) await printLine('No grants yet. See: ./asfiled keys create --help')
      else await printLine(textTable(head, grants.map(row)))
    })
}

function row(grant: ListedGrant): string[] {
  const companies = grant.entity_cap === null ? 'all' : `${grant.entities_seen} of ${grant.entity_cap}`
  return [
    String(grant.grant),
    grant.key,
    grant.quant ? `${grant.licence} + quant` : grant.licence,
    grant.state,
    String(grant.per_minute),
    grant.per_day === null ? '-' : String(grant.per_day),
    companies,
    grant.bulk ? 'yes' : 'no',
    grant.granted,
    grant.expires ?? '-',
    grant.email,
  ]
}
