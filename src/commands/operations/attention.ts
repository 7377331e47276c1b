import { nextTime, type ScheduledSync } from '../../cron.ts'
import { damageRemedy, damageSentence } from '../../postgres/integrity/damageSentence.ts'
import type { ServiceState } from './readStatus.ts'

/** Something that an operator should fix. */
export interface Attention {
  readonly about: 'database' | 'schema' | 'servers' | 'data' | 'jobs' | 'mail' | 'disk' | 'backup' | 'damage'
  /** What is wrong, as a sentence. */
  readonly message: string
  /** How to fix it. */
  readonly mend: string
}

export interface AttentionRules {
  readonly nowMs: number
  readonly schedule: readonly ScheduledSync[]
  readonly isEmbedded: boolean
  /** Null if backups are not checked. */
  readonly maxBackupAgeDays: number | null
}

/** Heartbeats are sent every second; after this long without one, other processes take over the tasks. */
export const silentSeconds = 5
/* The limits of deploy/prometheus/alerts.yaml, so that the screen and an alert agree. */
const minFreeShare = 0.1
const maxWaitingSeconds = 1_800
const maxConnectionShare = 0.9
const maxOverdueMailSeconds = 3_600
/** How long a scheduled run may take before its data count as late. */
const runSeconds = 24 * 3_600
const daySeconds = 86_400

export const aliveProcesses = ({ processes }: ServiceState) =>
  (processes ?? []).filter(process => process.silentSeconds <= silentSeconds)

/** What needs attention, most serious first. */
export function findAttention(state: ServiceState, rules: AttentionRules): readonly Attention[] {
  if (state.unreachable !== null)
    return [
      {
        about: 'database',
        message: `The database could not be read: ${state.unreachable}`,
        mend: rules.isEmbedded
          ? 'See DATA_DIR/database/cluster/server.log, and start the server again.'
          : 'Check that the PostgreSQL of DATABASE_URL runs and is reached from here.',
      },
      ...ofDisk(state),
    ]
  return [
    ...ofDamage(state, rules),
    ...ofSchema(state),
    ...ofDisk(state),
    ...ofServers(state),
    ...ofData(state, rules),
    ...ofJobs(state),
    ...ofMail(state),
    ...ofBackup(state, rules),
  ]
}

function* ofDamage(
  { pageCheck, damagedReads }: ServiceState,
  { isEmbedded }: AttentionRules,
): Generator<Attention> {
  for (const finding of pageCheck?.findings ?? [])
    yield {
      about: 'damage',
      message: `${damageSentence(finding)} First seen at ${finding.firstSeenAt}.`,
      mend: damageRemedy(finding, isEmbedded),
    }
  if (pageCheck !== null && pageCheck.damagedRelations > pageCheck.findings.length)
    yield {
      about: 'damage',
      message: `${pageCheck.damagedRelations} tables and indexes are damaged; those above are the first.`,
      mend: 'Restore the last backup.',
    }
  if ((pageCheck?.findings.length ?? 0) > 0) return
  const find = './asfiled verify finds all that is damaged and says what to do.'
  if (damagedReads.length > 0)
    yield { about: 'damage', message: `The database is damaged: ${damagedReads[0]}.`, mend: find }
  else if (pageCheck?.checksumFailures !== null && pageCheck?.isFailureNew)
    yield {
      about: 'damage',
      message: `PostgreSQL has counted ${count(pageCheck.checksumFailures, 'page')} with a wrong checksum, the last at ${pageCheck.lastFailureAt}.`,
      mend: find,
    }
}

function* ofSchema({ schema }: ServiceState): Generator<Attention> {
  if (schema === null) return
  if (schema.refusal !== null)
    yield {
      about: 'schema',
      message: schema.refusal,
      mend: 'Run the version of asfiled that the message names.',
    }
  else if (schema.pending.length > 0)
    yield {
      about: 'schema',
      message: `${count(schema.pending.length, 'migration')} of this version ${schema.pending.length === 1 ? 'is' : 'are'} not applied.`,
      mend: 'See ./asfiled upgrade --check; the next start of a server, or ./asfiled migrate, applies them.',
    }
}

function* ofDisk({ disk }: ServiceState): Generator<Attention> {
  if (disk === null) return
  const { folder, freeBytes, totalBytes } = disk
  if (freeBytes >= minFreeShare * totalBytes) return
  yield {
    about: 'disk',
    message: `The disk of ${folder} has ${Math.floor(freeBytes / 2 ** 20)} MB free, ${Math.floor((100 * freeBytes) / totalBytes)}% of it.`,
    mend: 'Make room, or move DATA_DIR to a larger disk: without room writes are refused.',
  }
}

function* ofServers(state: ServiceState): Generator<Attention> {
  const { processes, server } = state
  if (processes !== null && !aliveProcesses(state).some(({ role }) => role !== 'worker'))
    yield {
      about: 'servers',
      message: 'No server is running on this database.',
      mend: 'Start one: ./asfiled serve',
    }
  if (server !== null && server.connections > maxConnectionShare * server.maxConnections)
    yield {
      about: 'servers',
      message: `${server.connections} of ${server.maxConnections} connections of PostgreSQL are in use.`,
      mend: 'Raise max_connections, or lower DATABASE_CONNECTIONS of the servers.',
    }
  if (server?.isStandby)
    yield {
      about: 'servers',
      message: 'DATABASE_URL names a standby, which takes no writes.',
      mend: 'Name the primary, or promote this one.',
    }
}

function* ofData(
  { syncs, missingIndexes }: ServiceState,
  { schedule, nowMs }: AttentionRules,
): Generator<Attention> {
  if (missingIndexes !== null && missingIndexes.length > 0)
    yield {
      about: 'data',
      message:
        'A bulk load is under way or was killed: cross-sections and name searches are slow until it ends.',
      mend: 'If none is running, run the same command again.',
    }
  for (const { market, running, last_success: success, last_failure: failure } of syncs ?? []) {
    if (running) continue
    const name = market.toLowerCase()
    const cron = schedule.find(entry => entry.market === market)?.cron
    if (failure !== null && (success === null || failure.at > success))
      yield {
        about: 'data',
        message: `The last sync of ${market} failed: ${failure.reason}`,
        mend: `Mend that, then run ./asfiled sync ${name}`,
      }
    else if (cron !== undefined && success === null)
      yield {
        about: 'data',
        message: `${market} is scheduled and was never fetched.`,
        mend: `Run ./asfiled sync ${name}`,
      }
    else if (cron !== undefined && success !== null) {
      const dueMs = nextTime(cron, Date.parse(success))
      if (nowMs > dueMs + runSeconds * 1_000)
        yield {
          about: 'data',
          message: `${market} was to be fetched at ${new Date(dueMs).toISOString().slice(0, 16)}Z, and was last fetched at ${success}.`,
          mend: `See that a server has SYNC_SCHEDULE, or run ./asfiled sync ${name}`,
        }
    }
  }
}

function* ofJobs(state: ServiceState): Generator<Attention> {
  const { jobs, errors } = state
  const waitingSeconds = jobs?.oldestWaitingSeconds ?? 0
  if (waitingSeconds > maxWaitingSeconds)
    yield {
      about: 'jobs',
      message: `A submitted job has waited for ${Math.floor(waitingSeconds / 60)} minutes.`,
      mend:
        aliveProcesses(state).length === 0
          ? 'Start a server or ./asfiled worker.'
          : 'Start more workers: ./asfiled worker',
    }
  const failed = errors?.find(error => error.what === 'job' && !error.isOver)
  if (failed !== undefined)
    yield {
      about: 'jobs',
      message: `Job ${failed.subject} failed at ${failed.at}: ${failed.reason}`,
      mend: 'The log of the process that ran it says why; give it more memory, or submit less.',
    }
  const run = errors?.find(error => error.what === 'import' && !error.isOver)
  if (run !== undefined)
    yield {
      about: 'data',
      message: `The last import of ${run.subject} did not read everything: ${run.reason}`,
      mend: `Mend that, then run the same ./asfiled import ${run.subject.toLowerCase()} again.`,
    }
}

function* ofMail({ mail }: ServiceState): Generator<Attention> {
  if (mail === null) return
  if (mail.failed > 0)
    yield {
      about: 'mail',
      message: `${count(mail.failed, 'mail')} could not be sent within a week.`,
      mend: 'See ./asfiled mail, and check MAIL_URL.',
    }
  if ((mail.overdueSeconds ?? 0) > maxOverdueMailSeconds)
    yield {
      about: 'mail',
      message: `${count(mail.waiting, 'mail')} wait for more than an hour.`,
      mend: 'Set MAIL_URL of a server, or see its log.',
    }
}

function* ofBackup(
  { backup }: ServiceState,
  { maxBackupAgeDays, isEmbedded }: AttentionRules,
): Generator<Attention> {
  if (maxBackupAgeDays === null || backup === undefined) return
  const mend = isEmbedded
    ? 'Make one: ./asfiled backup FILE'
    : 'Make one with pg_dump or pg_basebackup, then record it: ./asfiled backup --record FILE'
  if (backup === null) yield { about: 'backup', message: 'No backup of this database is on record.', mend }
  else if (backup.ageSeconds > maxBackupAgeDays * daySeconds)
    yield {
      about: 'backup',
      message: `The last backup is ${Math.floor(backup.ageSeconds / daySeconds)} days old.`,
      mend,
    }
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
