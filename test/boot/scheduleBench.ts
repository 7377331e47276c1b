import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { emptyServerDatabase, type TestDatabase } from '../database.ts'
import { type Replay, startReplay } from '../ingest/network/replay.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

/** The folder in which commands run. */
export const repository = resolve(import.meta.dir, '../..')
/** A time that no test reaches. The queue is given the task of that time instead. */
const never = 'us=0 0 29 2 *; be=0 0 29 2 *'

export interface ScheduleBench {
  readonly db: TestDatabase
  readonly replay: Replay
  /** DATA_DIR of all servers. */
  readonly folder: string
  startServer(settings?: Record<string, string>): Promise<ServerProcess>
  /** Does what the queue does at a time of the schedule. */
  timeComes(market: string): Promise<unknown>
  runs(): Promise<Run[]>
  due(): Promise<DueState[]>
  /** Requests that the register has received whose path has a text. */
  requestsFor(part: string): number
  /** Resolves when a run is done. */
  untilDone(): Promise<void>
  /** Kills every server, and waits until their runs have ended. */
  close(): Promise<void>
}

interface Run {
  readonly market: string
  readonly outcome: string | null
  readonly reason: string | null
  readonly facts: number
}

interface DueState {
  readonly market: string
  readonly attempts: number
  readonly waitS: number
  readonly isClaimed: boolean
}

/** Servers with a schedule on one database, and registers that answer as recorded. */
export async function scheduleBench(): Promise<ScheduleBench> {
  const db = await emptyServerDatabase()
  const replay = await startReplay()
  const folder = makeDataDir()
  const alive = new Set<ServerProcess>()
  const runs = async () => [
    ...(await db.sql<Run[]>`
      select market, outcome, reason, facts::int as facts from sync_run order by run_id`),
  ]
  return {
    db,
    replay,
    folder,
    runs,
    async startServer(settings = {}) {
      const server = await startServerProcess(folder, {
        ...replay.settings,
        DATABASE_URL: db.url,
        COMPUTE_THREADS: '1',
        JOB_CONCURRENCY: '1',
        SYNC_SCHEDULE: never,
        LOG_LEVEL: 'silent',
        ...settings,
      })
      alive.add(server)
      return server
    },
    timeComes: market =>
      db.sql`select asfiled_queue.add_job('sync_due', json_build_object('market', ${market}::text))`,
    due: async () => [
      ...(await db.sql<DueState[]>`
        select market, attempts::int as attempts, extract(epoch from try_at - now())::float8 as "waitS",
          process_id is not null as "isClaimed" from sync_due`),
    ],
    requestsFor: part => replay.requests.filter(request => request.includes(part)).length,
    untilDone: () => until(async () => (await runs()).some(({ outcome }) => outcome === 'done')),
    async close() {
      for (const server of alive) server.signal('SIGKILL')
      await Promise.all([...alive].map(server => server.exited))
      await until(async () => childrenOf(folder).length === 0)
      await replay.stop()
      await db.close()
      removeDataDir(folder)
    },
  }
}

export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await isTrue()) return
    await Bun.sleep(20)
  }
  throw new Error('It did not come true within a minute.')
}

/** Processes of runs on a DATA_DIR: what `ps` would show. */
export function childrenOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return (
          command.includes('--scheduled') &&
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}\0`)
        )
      } catch {
        return false
      }
    })
}

/** /ready of servers, when they have looked again. */
export async function readiness(...servers: readonly ServerProcess[]) {
  await Bun.sleep(2_100)
  return Promise.all(servers.map(async server => (await server.get('/ready')).json()))
}
