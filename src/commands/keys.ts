import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CreatedKey, createKey, revokeKey } from '../access/keys.ts'
import { type KeyEnvironment, keyEnvironments } from '../access/keyText.ts'
import { type Licence, licences } from '../access/licences.ts'
import { type ListedKey, listKeys } from '../access/queries.ts'
import type { CliContext } from './context.ts'
import { textTable } from './output.ts'

const createExamples = `
Examples:
  asfiled keys create --email ana@fund.example --licence personal
  asfiled keys create --email ana@fund.example --licence commercial --quant --expires 2030-12-31
  asfiled keys create --email ana@fund.example --licence evaluation
  asfiled keys create --email ana@fund.example --licence oem --per-minute 10000 --bulk
  asfiled keys create --email ana@fund.example --json | jq -r .key

The key is printed once and cannot be shown again: only its SHA-256 is stored.
An evaluation runs 30 days, one for each e-mail domain, and needs a work address.`

interface CreateOptions {
  email: string
  licence: Licence
  quant: boolean
  expires?: string
  env: KeyEnvironment
  perMinute?: number
  perDay?: number
  bulk?: boolean
  json: boolean
}

/** `keys create`, `keys list` and `keys revoke`; all work beside a running server, which hears of it at once. */
export function addKeysCommand(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('make, list and revoke API keys')
  keys
    .command('create')
    .description('make a key and print it, once')
    .requiredOption('--email <address>', 'whose key it is')
    .addOption(
      new Option('--licence <licence>', 'what the key opens').choices(licences.slice(1)).default('free'),
    )
    .option('--quant', 'with the quant plan: undelayed signals and backtests', false)
    .option('--expires <date>', 'last day on which it works (UTC), like 2030-12-31')
    .addOption(
      new Option('--env <environment>', 'a label inside the key').choices(keyEnvironments).default('live'),
    )
    .option('--per-minute <n>', 'requests a minute, of an OEM order form', wholeNumber)
    .option('--per-day <n>', 'requests a day, of an OEM order form', wholeNumber)
    .option('--bulk', 'bulk files, of an OEM order form')
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', createExamples)
    .action((options: CreateOptions) => create(context, options))
  keys
    .command('list')
    .description('list every key by its prefix')
    .option('--json', 'print a JSON array', false)
    .addHelpText('after', '\nExample:\n  asfiled keys list')
    .action((options: { json: boolean }) => list(context, options))
  keys
    .command('revoke')
    .description('revoke a key: running servers refuse it at once and cancel what it has submitted')
    .argument('<prefix>', 'the prefix that `keys list` shows, or enough of its beginning to be the only one')
    .addHelpText('after', '\nExample:\n  asfiled keys revoke asf_live_4fT9aB2x')
    .action((prefix: string) => revoke(context, prefix))
}

async function create(context: CliContext, options: CreateOptions): Promise<void> {
  const { env, json, ...order } = options
  const created = await context.withDatabase(sql =>
    createKey({ sql, today: context.today }, { ...order, environment: env }),
  )
  console.log(json ? JSON.stringify(created) : describe(created))
}

function describe(key: CreatedKey): string {
  const perDay = key.per_day === null ? 'no daily cap' : `${key.per_day.toLocaleString('en')} a day`
  return [
    key.key,
    '',
    `${key.licence}${key.quant ? ' + quant' : ''} key of ${key.email}`,
    `${key.per_minute.toLocaleString('en')} requests a minute, ${perDay}`,
    ...(key.entity_cap === null ? [] : [`up to ${key.entity_cap.toLocaleString('en')} companies`]),
    key.expires === null ? 'no expiry' : `works until ${key.expires} (UTC, that day included)`,
    `Keep it safe: it is shown this once. To end it: asfiled keys revoke ${key.prefix}`,
  ].join('\n')
}

async function list(context: CliContext, options: { json: boolean }): Promise<void> {
  const keys = await context.withDatabase(listKeys)
  if (options.json) console.log(JSON.stringify(keys))
  else if (keys.length === 0)
    console.log('No keys yet. Make one: asfiled keys create --email ana@fund.example')
  else
    console.log(
      textTable(['PREFIX', 'LAST 4', 'LICENCE', 'CREATED', 'EXPIRES', 'REVOKED', 'E-MAIL'], keys.map(row)),
    )
}

function row(key: ListedKey): string[] {
  const licence = key.quant ? `${key.licence} + quant` : key.licence
  return [key.prefix, key.last_four, licence, key.created, key.expires ?? '-', key.revoked ?? '-', key.email]
}

async function revoke(context: CliContext, prefix: string): Promise<void> {
  const key = await context.withDatabase(sql => revokeKey({ sql }, prefix))
  console.log(
    key.changed ? `Revoked ${key.prefix} of ${key.email}.` : `${key.prefix} had been revoked before.`,
  )
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (/^[1-9]\d{0,8}$/.test(text)) return value
  throw new InvalidArgumentError('A whole number from 1 to 999999999 is needed.')
}
