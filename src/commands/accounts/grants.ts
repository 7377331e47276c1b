import { type Command, Option } from 'commander'
import { type ListedGrant, listGrants } from '../../access/queries.ts'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { shellOperator } from '../../features/account/auditQueries.ts'
import { extendGrant, type GrantTarget, makeGrant } from '../../features/licensing/grants.ts'
import type { MadeGrant } from '../../features/licensing/mails.ts'
import { type GrantOrder, grantable } from '../../features/licensing/terms.ts'
import type { Licence } from '../../rights/licences.ts'
import type { CliContext } from '../context.ts'
import { parseDay, parsePositiveInteger } from '../options.ts'
import { grouped, printLine, textTable } from '../output.ts'

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
  'FROM',
  'EXPIRES',
  'E-MAIL',
]

const listHelp = `
Examples:
  ./asfiled grants
  ./asfiled grants --json | jq '.[] | select(.state == "running")'`

const makeHelp = `
Examples:
  ./asfiled grants make --key asf_live_4fT9aB2x --licence commercial --last 2030-12-31
  ./asfiled grants make --email ana@fund.example --licence personal --quant
  ./asfiled grants make --email ana@fund.example --new-key --licence redistribution --first 2030-01-01
  ./asfiled grants make --key asf_live_4fT9aB2x --licence oem --per-minute 10000 --bulk

With --key, the licence goes to that key, so programs need no change. With --email, it goes to the only key of the
account or, with --new-key or if there is none, to a new key. The account creates that key at /account/api-keys, and
no operator sees it. A paid licence is never reduced while it runs: one that covers less on the same days is refused.`

const extendHelp = `
Examples:
  ./asfiled grants extend 12 --last 2031-12-31
  ./asfiled grants extend 12 --no-end

The last day can only move later. ./asfiled grants shows the numbers.`

/** The terms of a grant, as options. */
export interface TermOptions {
  readonly licence: Licence
  readonly quant: boolean
  readonly first?: IsoDate
  readonly last?: IsoDate
  readonly perMinute?: number
  readonly perDay?: number
  readonly companies?: number
  readonly bulk?: boolean
}

/** Adds the options for the terms of a grant. */
export const withTerms = (command: Command): Command =>
  command
    .option('--quant', 'Add the quant plan: undelayed signals and backtests', false)
    .option('--first <date>', 'First day (UTC), like 2030-01-01; default: today', parseDay)
    .option('--last <date>', 'Last day (UTC), like 2030-12-31; default: no end', parseDay)
    .option('--per-minute <n>', 'Requests per minute, from an OEM order form', parsePositiveInteger)
    .option('--per-day <n>', 'Requests per day, from an OEM order form', parsePositiveInteger)
    .option('--companies <n>', 'Distinct companies, from an OEM order form', parsePositiveInteger)
    .option('--bulk', 'Bulk files, from an OEM order form')
    .option('--json', 'Print one JSON object', false)

/** The order that the options describe, containing only the terms that were given. */
export function orderOf(options: TermOptions, today: IsoDate): GrantOrder {
  const { licence, quant, first, last, perMinute, perDay, companies, bulk } = options
  return {
    licence,
    quant,
    firstDay: first ?? today,
    lastDay: last ?? null,
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(perDay === undefined ? {} : { perDay }),
    ...(companies === undefined ? {} : { entityCap: companies }),
    ...(bulk === undefined ? {} : { bulk }),
  }
}

/** `grants list`, `grants make` and `grants extend`. `grants` without a subcommand is `grants list`. */
export function addGrantsCommand(program: Command, context: CliContext): void {
  const grants = program
    .command('grants')
    .description('List, make and extend grants: the licences of each key, with their limits')
    .addHelpText('after', listHelp)
  grants
    .command('list', { isDefault: true })
    .description('List the licences of each key, with their limits')
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', listHelp)
    .action((options: { json: boolean }) => list(context, options.json))
  withTerms(
    grants
      .command('make')
      .description('Grant a licence to a key or to an account')
      .addOption(new Option('--licence <licence>', 'Licence').choices(grantable).makeOptionMandatory())
      .addOption(new Option('--key <prefix>', 'The key, by its prefix').conflicts('email'))
      .option('--email <address>', 'The account, by its address')
      .addOption(
        new Option('--new-key', 'Put it on a new key of the account').conflicts('key').default(false),
      ),
  )
    .addHelpText('after', makeHelp)
    .action((options: MakeOptions) => make(context, options))
  grants
    .command('extend')
    .description('Move the last day of a grant to a later one')
    .argument('<grant>', 'Number of the grant, as `./asfiled grants` shows it', parsePositiveInteger)
    .addOption(new Option('--last <date>', 'New last day (UTC), like 2031-12-31').argParser(parseDay))
    .addOption(new Option('--no-end', 'Remove the last day').conflicts('last'))
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', extendHelp)
    .action((grant: number, options: ExtendOptions) => extend(context, grant, options))
}

async function list(context: CliContext, json: boolean): Promise<void> {
  const grants = await context.withDatabase(sql => listGrants(sql))
  if (json) await printLine(JSON.stringify(grants))
  else if (grants.length === 0) await printLine('No grants yet. See: ./asfiled keys create --help')
  else await printLine(textTable(head, grants.map(row)))
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
    grant.starts,
    grant.expires ?? '-',
    grant.email,
  ]
}

interface MakeOptions extends TermOptions {
  readonly key?: string
  readonly email?: string
  readonly newKey: boolean
  readonly json: boolean
}

async function make(context: CliContext, options: MakeOptions): Promise<void> {
  const target = targetOf(options)
  const order = orderOf(options, context.today())
  const made = await context.withDatabase(sql =>
    makeGrant({ sql, today: context.today, settings: context.config }, shellOperator, target, order),
  )
  await printLine(options.json ? JSON.stringify(made) : describeGrant(made))
}

function targetOf({ key, email, newKey }: MakeOptions): GrantTarget {
  if (key !== undefined) return { key }
  if (email !== undefined) return { email, as: newKey ? 'new' : 'current' }
  throw new Failure(
    'parameter_invalid',
    'Say whom the licence is for: --key asf_live_4fT9aB2x or --email ana@fund.example.',
    { param: 'key' },
  )
}

/** Describes a new grant. */
export const describeGrant = (made: MadeGrant): string =>
  [
    `Grant ${made.grant}: ${made.licence}${made.quant ? ' + quant' : ''} on ${made.key}, from ${made.starts}, ${made.expires === null ? 'no end' : `until ${made.expires} (UTC, inclusive)`}`,
    `${grouped(made.per_minute)} requests per minute, ${made.per_day === null ? 'no daily limit' : `${grouped(made.per_day)} per day`}`,
    ...(made.waiting ? ['The holder makes the key at /account/api-keys.'] : []),
  ].join('\n')

interface ExtendOptions {
  readonly last?: IsoDate
  /** False if --no-end was given. */
  readonly end: boolean
  readonly json: boolean
}

async function extend(context: CliContext, grant: number, { last, end, json }: ExtendOptions): Promise<void> {
  if (last === undefined && end)
    throw new Failure('parameter_invalid', 'Give the new last day: --last 2031-12-31, or --no-end.', {
      param: 'last',
    })
  const extended = await context.withDatabase(sql =>
    extendGrant({ sql, today: context.today }, shellOperator, grant, last ?? null),
  )
  if (json) return printLine(JSON.stringify(extended))
  const period = extended.expires === null ? 'has no end' : `runs until ${extended.expires} (UTC, inclusive)`
  return printLine(
    `Grant ${grant} (${extended.licence} on ${extended.key}) ${period}${extended.changed ? '' : ', as before'}.`,
  )
}
