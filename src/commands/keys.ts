import { type Command, Option } from 'commander'
import { type CreatedKey, createKey, revokeKey } from '../access/keys.ts'
import { type KeyEnvironment, keyEnvironments } from '../access/keyText.ts'
import { type ListedKey, listKeys } from '../access/queries.ts'
import { Failure } from '../errors.ts'
import { type Licence, licences } from '../rights/licences.ts'
import type { CliContext } from './context.ts'
import { parsePositiveInteger } from './options.ts'
import { grouped, printLine, textTable } from './output.ts'

const createHelp = `
Examples:
  ./asfiled keys create --email ana@fund.example --licence personal
  ./asfiled keys create --email ana@fund.example --licence commercial --quant --expires 2030-12-31
  ./asfiled keys create --email ana@fund.example --licence evaluation
  ./asfiled keys create --email ana@fund.example --licence oem --per-minute 10000 --bulk
  ./asfiled keys create --email ana@fund.example --json | jq -r .key

The key is printed once and cannot be shown again: only its SHA-256 is stored.
An evaluation lasts 30 days and needs a work address. Each company domain gets one (mail.fund.co.uk counts as fund.co.uk).`

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

/** `keys create`, `keys list` and `keys revoke`. A running server learns of the changes at once. */
export function addKeysCommand(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('Create, list and revoke API keys')
  keys
    .command('create')
    .description('Create a key and print it once')
    .requiredOption('--email <address>', 'E-mail address of the holder')
    .addOption(
      new Option('--licence <licence>', 'Licence of the key').choices(licences.slice(1)).default('free'),
    )
    .option('--quant', 'Add the quant plan: undelayed signals and backtests', false)
    .option('--expires <date>', 'Last day on which the key is valid (UTC), like 2030-12-31')
    .addOption(
      new Option('--env <environment>', 'Label inside the key').choices(keyEnvironments).default('live'),
    )
    .option('--per-minute <n>', 'Requests per minute, from an OEM order form', parsePositiveInteger)
    .option('--per-day <n>', 'Requests per day, from an OEM order form', parsePositiveInteger)
    .option('--bulk', 'Bulk files, from an OEM order form')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', createHelp)
    .action((options: CreateOptions) => create(context, options))
  keys
    .command('list')
    .description('List every key by its prefix')
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', '\nExample:\n  ./asfiled keys list')
    .action((options: { json: boolean }) => list(context, options))
  keys
    .command('revoke')
    .description('Revoke a key: running servers refuse it at once and cancel its submitted backtests')
    .argument('<prefix>', 'Prefix shown by `./asfiled keys list`, or enough of its start to be unique')
    .addHelpText('after', '\nExample:\n  ./asfiled keys revoke asf_live_4fT9aB2x')
    .action((prefix: string) => revoke(context, prefix))
}

async function create(context: CliContext, options: CreateOptions): Promise<void> {
  const { env, json, ...order } = options
  const created = await context.withDatabase(sql =>
    createKey({ sql, today: context.today }, { ...order, environment: env }),
  )
  await printLine(json ? JSON.stringify(created) : describe(created)).catch(cause => {
    const advice = `The key was created, but not shown. Revoke it: ./asfiled keys revoke ${created.prefix}`
    throw cause instanceof Failure ? new Failure(cause.code, `${cause.message} ${advice}`, { cause }) : cause
  })
}

function describe(key: CreatedKey): string {
  const perDay = key.per_day === null ? 'no daily limit' : `${grouped(key.per_day)} per day`
  return [
    key.key,
    '',
    `${key.licence}${key.quant ? ' + quant' : ''} key of ${key.email}`,
    `${grouped(key.per_minute)} requests per minute, ${perDay}`,
    ...(key.entity_cap === null ? [] : [`up to ${grouped(key.entity_cap)} companies`]),
    key.expires === null ? 'no expiry' : `valid until ${key.expires} (UTC, inclusive)`,
    `Store it safely: it is not shown again. To revoke it: ./asfiled keys revoke ${key.prefix}`,
  ].join('\n')
}

async function list(context: CliContext, options: { json: boolean }): Promise<void> {
  const keys = await context.withDatabase(listKeys)
  if (options.json) await printLine(JSON.stringify(keys))
  else if (keys.length === 0)
    await printLine('No keys yet. Create one: ./asfiled keys create --email ana@fund.example')
  else
    await printLine(
      textTable(['PREFIX', 'LAST 4', 'LICENCE', 'CREATED', 'EXPIRES', 'REVOKED', 'E-MAIL'], keys.map(row)),
    )
}

function row(key: ListedKey): string[] {
  const licence = key.quant ? `${key.licence} + quant` : key.licence
  return [key.prefix, key.last_four, licence, key.created, key.expires ?? '-', key.revoked ?? '-', key.email]
}

async function revoke(context: CliContext, prefix: string): Promise<void> {
  const key = await context.withDatabase(sql => revokeKey({ sql }, prefix))
  console.log(key.changed ? `Revoked ${key.prefix} of ${key.email}.` : `${key.prefix} was already revoked.`)
}
