import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { matchesCron, type ScheduledSync } from '../cron.ts'
import { Failure } from '../errors.ts'
import { markDue } from '../features/syncs/dueRunQueries.ts'
import { type SyncProcess, SyncRunner } from '../features/syncs/dueRuns.ts'
import { sources } from '../ingest/allRegisters.ts'
import type { Sql } from '../postgres/client.ts'
import type { ScheduledTask } from './jobs.ts'

const repository = resolve(import.meta.dir, '../..')

/** Do not rename this: the queue stores it, and other versions of this program read it. */
const dueKind = 'sync_due'

/** The times of the schedule as queue tasks. The queue adds each of them once, however many processes have
 * the schedule. */
export const syncTasks = (sql: Sql, schedule: readonly ScheduledSync[]): readonly ScheduledTask[] =>
  schedule.map(({ market, cron }) => ({
    kind: dueKind,
    name: `sync-${market.toLowerCase()}`,
    payload: { market },
    isTime: instant => matchesCron(cron, instant),
    // Only marks a run as due, so it never occupies a slot of the queue for hours.
    perform: async ({ payload }) => {
      if (typeof payload === 'object' && payload !== null && 'market' in payload)
        await markDue(sql, String(payload.market))
    },
  }))

/** Fails if the schedule names a market without a register to fetch from. Announces missing settings, without
 * which every run of that market will fail. */
export function checkSchedule({ syncSchedule, registers }: Config, announce: (line: string) => void): void {
  const codes = [...sources.keys()].map(code => code.toLowerCase())
  const unknown = syncSchedule.filter(({ market }) => !sources.has(market))
  if (unknown.length > 0) {
    const names = unknown.map(({ market }) => market.toLowerCase()).join(' and ')
    throw new Failure(
      'parameter_invalid',
      `SYNC_SCHEDULE names markets without a register to fetch from: ${names}. Markets with one: ${codes.join(', ')}.`,
    )
  }
  for (const { market } of syncSchedule) {
    const missing = sources.get(market)?.requiredSettings.filter(name => !registers[name]) ?? []
    if (missing.length > 0)
      announce(
        `SYNC_SCHEDULE fetches ${market}, but ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set: every run of it will fail. See .env.example.`,
      )
  }
}

interface SyncParts {
  readonly sql: Sql
  readonly processId: string
  readonly config: Config
  readonly log: Logger
}

/** Runs scheduled syncs in separate processes; null: there is no schedule. */
export function startSyncs({ sql, processId, config, log }: SyncParts): SyncRunner | null {
  if (config.syncSchedule.length === 0) return null
  return new SyncRunner({
    sql,
    processId,
    schedule: config.syncSchedule,
    start: startSyncProcess,
    epochMs: () => Date.now(),
    timeoutMs: config.syncTimeoutMinutes * 60_000,
    report: (level, fields, line) => log[level](fields, line),
  })
}

const maxOutputLength = 2_000

/** Runs `asfiled sync <market>` with the settings of this process. It is a process rather than a thread, so
 * it can be killed, its memory is freed when it ends, it runs at a lower priority, and its crashes do not
 * affect the server. It ends when this process does. */
function startSyncProcess(market: string): SyncProcess {
  const child = Bun.spawn(
    [
      process.execPath,
      `--config=${resolve(repository, 'bunfig.toml')}`,
      '--no-env-file',
      resolve(repository, 'src/cli.ts'),
      'sync',
      market.toLowerCase(),
      '--scheduled',
    ],
    // Its standard input closes when this process ends, for whatever reason.
    { stdin: 'pipe', stdout: 'ignore', stderr: 'pipe' },
  )
  const ended = async () => {
    const output = await endOf(child.stderr)
    await child.exited
    return { code: child.exitCode, output }
  }
  return { ended: ended(), stop: () => child.kill('SIGTERM'), kill: () => child.kill('SIGKILL') }
}

async function endOf(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let end = ''
  for await (const chunk of output)
    end = (end + decoder.decode(chunk, { stream: true })).slice(-maxOutputLength)
  return end.trim()
}
