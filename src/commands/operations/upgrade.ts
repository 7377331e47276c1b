import { resolve } from 'node:path'
import type { Command } from 'commander'
import { describeDatabase } from '../../boot/database.ts'
import { openUntouched } from '../../boot/untouchedDatabase.ts'
import type { Config } from '../../config.ts'
import { Failure } from '../../errors.ts'
import { hasCluster } from '../../postgres/embedded/folder.ts'
import { readMigration, version } from '../../postgres/history.ts'
import { type CliContext, exitCodes } from '../context.ts'
import { parseNumber } from '../options.ts'
import { printLine, wrapText } from '../output.ts'
import { aliveProcesses } from './attention.ts'
import { readCommit } from './installation.ts'
import { readStatus, type ServiceState } from './readStatus.ts'
import {
  checkUpgrade,
  effectsInWords,
  type MigrationEffects,
  type PendingMigration,
  type TableEffect,
  takesLong,
  type UpgradeCheck,
} from './upgradeChecks.ts'
import { type LongTransaction, readLongestTransaction, readTableSizes } from './upgradeQueries.ts'

const help = `
Nothing is changed: the next start of a server of this version, or ./asfiled migrate, upgrades. Run it with the new code and the
settings of the old. Each pending migration is named with why it exists, the tables that it locks or writes, and their size here.
What cannot be known from here is marked "?", and is no reason for exit code 1.

  backup    Whether one of the last day is on record (./asfiled backup, or ./asfiled backup --record)
  servers   Whether processes of the older version run, and may go on while servers are replaced one after the other
  locks     Whether a migration takes long, or would wait for a transaction that is open
  disk      Whether the room that it may take for a while is free

Exit code: 0 the upgrade is safe, or there is nothing to do; 1 it is not safe, or the database cannot be read; 2 wrong usage.

Example:
  ./asfiled upgrade --check && ./asfiled serve`

interface UpgradeFlags {
  readonly check: boolean
  readonly json?: true
  readonly timeout: number
}

/** `upgrade --check`: what an upgrade to this version would do to the database of the settings. */
export function addUpgradeCommand(program: Command, context: CliContext): void {
  program
    .command('upgrade')
    .description('Say what an upgrade of the database to this version does, and whether it is safe now')
    .requiredOption('--check', 'Only look; nothing else is offered: serve and migrate upgrade')
    .option('--json', 'As JSON')
    .option('--timeout <seconds>', 'How long to wait for the database', parseNumber, 30)
    .addHelpText('after', help)
    .action((flags: UpgradeFlags) => check(context, flags))
}

async function check(context: CliContext, { json, timeout }: UpgradeFlags): Promise<void> {
  const { config } = context
  if (config.databaseUrl === null && !hasCluster(config.dataDir)) {
    await printLine(`DATA_DIR=${config.dataDir} contains no database, so there is nothing to upgrade.`)
    return
  }
  const timeoutMs = Math.min(Math.max(timeout, 0.1), 3_600) * 1_000
  const announce = (line: string) => console.error(line)
  const { state, isLate } = await readStatus(config, { timeoutMs, today: context.today(), announce })
  if (state.unreachable !== null || state.schema === null) {
    console.error(`asfiled: The database could not be read: ${state.unreachable ?? 'it has no record'}`)
    process.exitCode = exitCodes.failed
    if (isLate) process.exit(exitCodes.failed)
    return
  }
  const { pending, longest } = await inTime(readPending(config, state.schema.pending), timeoutMs)
  const checks = checkUpgrade({
    ...{ version, schema: state.schema, pending, longest },
    alive: state.processes === null ? null : aliveProcesses(state),
    ...{ backup: state.backup, disk: state.disk, server: state.server },
  })
  await printLine(json ? asJson(state, pending, checks) : asText(config, state, pending, checks))
  process.exitCode = isSafe(checks) ? exitCodes.done : exitCodes.failed
}

const isSafe = (checks: readonly UpgradeCheck[]) => checks.every(({ ok }) => ok !== false)

async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Failure('database_unavailable', 'The database did not answer in time.')),
    timeoutMs,
  )
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

const statementTimeoutMs = 10_000

async function readPending(
  config: Config,
  names: readonly string[],
): Promise<{ pending: readonly PendingMigration[]; longest: LongTransaction | null }> {
  if (names.length === 0) return { pending: [], longest: null }
  const effects = await readEffects(names)
  const database = await openUntouched(config, statementTimeoutMs, () => {})
  try {
    const tables = [...new Set(effects.flatMap(({ touched }) => touched.map(({ table }) => table)))]
    const sizes = await readTableSizes(database.sql, tables)
    const longest = await readLongestTransaction(database.sql)
    return {
      longest,
      pending: effects.map(effect => ({
        ...effect,
        sizes: sizes.filter(({ table }) => effect.touched.some(touched => touched.table === table)),
      })),
    }
  } finally {
    await database.close()
  }
}

interface DeclaredEffects {
  readonly stop?: string
  readonly note?: string
  readonly tables?: Readonly<Record<string, readonly TableEffect['kind'][]>>
}

/** What migrations do, as their authors declare it. */
async function readEffects(
  names: readonly string[],
): Promise<readonly (MigrationEffects & { name: string })[]> {
  const file = Bun.file(resolve(import.meta.dir, '../../../sql/upgrades.json'))
  const declared: Readonly<Record<string, DeclaredEffects>> = await file.json()
  return Promise.all(
    names.map(async name => {
      const { stop = null, note = null, tables = {} } = declared[name]
      return {
        name,
        why: reasonOf(await readMigration(name)),
        note,
        touched: Object.entries(tables).flatMap(([table, kinds]) => kinds.map(kind => ({ table, kind }))),
        breaks: stop,
      }
    }),
  )
}

/** The opening comment of a migration up to a blank line or to its note about upgrades, as one line. */
function reasonOf(text: string): string {
  const [opening] = text.split(/^(?!--)|^-- Upgrade: /m)
  return opening
    .replace(/^--\s?/gm, '')
    .replace(/^Why:\s*/, '')
    .replaceAll('\n', ' ')
    .trim()
}

const width = 100
const marks = new Map<boolean | null, string>([
  [true, 'ok'],
  [false, 'NO'],
  [null, '?'],
])

function asText(
  config: Config,
  { schema }: ServiceState,
  pending: readonly PendingMigration[],
  checks: readonly UpgradeCheck[],
): string {
  const commit = readCommit()
  const lines = [
    `asfiled ${version}${commit === null ? '' : ` (commit ${commit.slice(0, 12)})`}, schema ${schema?.shipped}`,
    `${describeDatabase(config)}: schema ${schema?.number}, ${pending.length} pending`,
  ]
  for (const migration of pending) {
    lines.push('', migration.name, wrapText(`  ${migration.why}`, width, '  ').replace(/^ */, '  '))
    for (const effect of effectsInWords(migration))
      lines.push(wrapText(`  - ${effect}`, width, '    ').replace(/^ */, '  '))
    if (migration.note !== null) lines.push(`  - ${migration.note}`)
    lines.push(
      `  - ${takesLong(migration) ? 'may take minutes or longer' : 'takes a moment'}; older servers ${migration.breaks === null ? 'may go on running' : `must be stopped: it ${migration.breaks}`}`,
    )
  }
  lines.push('')
  for (const { about, ok, message } of checks)
    lines.push(
      `${(marks.get(ok) ?? '').padEnd(3)} ${about.padEnd(8)} ${wrapText(message, width - 13, ' '.repeat(13))}`,
    )
  lines.push(
    '',
    isSafe(checks) ? 'The upgrade is safe.' : 'Not yet: mend what is marked NO, and check again.',
  )
  return lines.join('\n')
}

function asJson(
  state: ServiceState,
  pending: readonly PendingMigration[],
  checks: readonly UpgradeCheck[],
): string {
  const shown = {
    object: 'upgrade_check',
    safe: isSafe(checks),
    version,
    commit: readCommit(),
    schema: state.schema,
    pending: pending.map(migration => ({
      name: migration.name,
      why: migration.why,
      note: migration.note,
      tables: migration.sizes.map(({ table, rows, bytes }) => ({
        table,
        rows,
        bytes,
        effects: migration.touched.filter(touched => touched.table === table).map(({ kind }) => kind),
      })),
      takes_long: takesLong(migration),
      rolling: migration.breaks === null,
      breaks: migration.breaks,
    })),
    checks,
  }
  return JSON.stringify(shown, null, 2)
}
