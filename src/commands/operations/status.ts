import type { Command } from 'commander'
import { describeDatabase } from '../../boot/database.ts'
import { version } from '../../postgres/history.ts'
import { type CliContext, exitCodes } from '../context.ts'
import { parseNumber } from '../options.ts'
import { printLine } from '../output.ts'
import { type Attention, aliveProcesses, findAttention } from './attention.ts'
import { readCommit } from './installation.ts'
import type { PageCheckState } from './pageCheckQueries.ts'
import { readStatus, type ServiceState } from './readStatus.ts'
import { type StatusFrame, statusScreen } from './statusScreen.ts'
import { damageObject } from './verify.ts'

const help = `This command only reads the database of DATABASE_URL or DATA_DIR. It starts a stopped embedded database and stops it
again. Servers and workers write a heartbeat every second; they are listed if the last one is at most five seconds
old. No key, password or personal address is shown.

  schema      The number of the last migration; "pending" are those that this version adds
  fetched     How long ago a sync last fetched everything from a market; "imported" is the same for ./asfiled import
  jobs        Submitted backtests and as-of joins
  pages       When all pages of the database were last checked for damage (./asfiled verify does it now)
  backup      The last backup that ./asfiled backup made, or that ./asfiled backup --record noted

Exit code: 0 healthy; 1 something needs attention, and the last lines say what to do; 2 wrong usage.

Examples:
  ./asfiled status
  ./asfiled status --json | jq .attention
  ./asfiled status --max-backup-age 1 || mail -s "asfiled needs attention" ops@firm.example`

interface StatusFlags {
  readonly json?: true
  readonly timeout: number
  readonly maxBackupAge: number
}

/** `status`: what an operator checks first, on one screen. */
export function addStatusCommand(program: Command, context: CliContext): void {
  program
    .command('status')
    .description('Show whether the service is healthy: servers, data, jobs, disk, errors and backups')
    .option('--json', 'Print one JSON object')
    .option('--timeout <seconds>', 'How long to wait for the database', parseNumber, 20)
    .option(
      '--max-backup-age <days>',
      'Warn if the last backup is older than this; 0 turns the check off',
      parseNumber,
      7,
    )
    .addHelpText('after', help)
    .action((flags: StatusFlags) => status(context, flags))
}

async function status(context: CliContext, { json, timeout, maxBackupAge }: StatusFlags): Promise<void> {
  const { config, now, today } = context
  const { state, isLate } = await readStatus(config, {
    timeoutMs: Math.min(Math.max(timeout, 0.1), 3_600) * 1_000,
    today: today(),
    announce: line => console.error(line),
  })
  const isEmbedded = config.databaseUrl === null
  const attention = findAttention(state, {
    nowMs: now().getTime(),
    schedule: config.syncSchedule,
    isEmbedded,
    maxBackupAgeDays: maxBackupAge > 0 ? maxBackupAge : null,
  })
  const frame = { version, commit: readCommit(), database: describeDatabase(config), isEmbedded }
  await printLine(
    json
      ? JSON.stringify(statusObject(frame, state, attention), null, 2)
      : statusScreen(frame, state, attention),
  )
  process.exitCode = attention.length === 0 ? exitCodes.done : exitCodes.failed
  // A database that hangs holds its connection and thus this process.
  if (isLate) process.exit(exitCodes.failed)
}

/** The same for programs. Sizes are in bytes, ages in seconds. */
function statusObject(frame: StatusFrame, state: ServiceState, attention: readonly Attention[]) {
  const { unreachable, disk, schema, server, data, markets, syncs, imports, processes } = state
  const { jobs, mail, backup, missingIndexes, errors, pageCheck } = state
  const alive = aliveProcesses(state)
  return {
    object: 'status',
    healthy: attention.length === 0,
    version: frame.version,
    commit: frame.commit,
    database: {
      name: frame.database.replace(/^Database: /, ''),
      unreachable,
      postgresql: server?.version ?? null,
      size: server?.sizeBytes ?? null,
      connections: server?.connections ?? null,
      max_connections: server?.maxConnections ?? null,
      is_standby: server?.isStandby ?? null,
    },
    schema,
    data:
      data === null
        ? null
        : {
            version: data.version,
            changed_at: data.changedAt,
            missing_indexes: missingIndexes,
            markets: [...(markets ?? [])].map(([market, { entities, lastFiled }]) => ({
              market,
              companies: entities,
              last_filed: lastFiled,
              imported_seconds_ago: imports?.find(entry => entry.market === market)?.ageSeconds ?? null,
            })),
            syncs,
          },
    processes:
      processes?.map(process => ({
        role: process.role,
        version: process.version,
        host: process.host,
        pid: process.pid,
        started_at: process.startedAt,
        alive: alive.includes(process),
      })) ?? null,
    jobs:
      jobs === null
        ? null
        : {
            waiting: jobs.waiting,
            running: jobs.running,
            failed_within_a_day: jobs.failed,
            oldest_waiting_seconds: jobs.oldestWaitingSeconds,
          },
    mail: mail === null ? null : { waiting: mail.waiting, failed_within_a_week: mail.failed },
    disk: disk === null ? null : { folder: disk.folder, free: disk.freeBytes, total: disk.totalBytes },
    page_check: pageCheck === null ? null : pageCheckObject(pageCheck, frame.isEmbedded),
    backup:
      backup === undefined || backup === null
        ? null
        : { at: backup.at, file: backup.file, bytes: backup.bytes, age: backup.ageSeconds },
    errors:
      errors?.map(({ at, what, subject, reason, isOver }) => ({
        at,
        what,
        subject,
        reason,
        is_over: isOver,
      })) ?? null,
    attention,
  }
}

function pageCheckObject(state: PageCheckState, isEmbedded: boolean) {
  const { last, running, findings, damagedRelations, unchecked, hasChecksums } = state
  return {
    checksums: hasChecksums,
    checksum_failures: state.checksumFailures,
    last: last === null ? null : { at: last.at, age: last.ageSeconds, pages: last.pages },
    running: running === null ? null : { pages: running.pages, total_pages: running.totalPages },
    unchecked,
    damaged_relations: damagedRelations,
    damage: findings.map(finding => ({
      ...damageObject(finding, isEmbedded),
      first_seen: finding.firstSeenAt,
      last_seen: finding.lastSeenAt,
    })),
  }
}
