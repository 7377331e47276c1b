import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { addBusinessDays } from '../../src/backtest/dataset/calendar.ts'
import { dayNumber, isoDate } from '../../src/dates.ts'
import { emptyServerDatabase, prepareDataDir, type TestDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { sellKey } from '../http/callers.ts'
import { isLong } from '../rounds.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

const twoMinutes = 120_000
const repository = resolve(import.meta.dir, '../..')
let db: TestDatabase
let key = ''
const alive = new Set<{ kill(signal: 'SIGKILL'): void; readonly exited: Promise<number> }>()

beforeAll(async () => {
  db = await emptyServerDatabase()
  key = await sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
}, twoMinutes)
afterEach(async () => {
  for (const child of alive) child.kill('SIGKILL')
  await Promise.all([...alive].map(child => child.exited))
  alive.clear()
}, twoMinutes)
afterAll(() => db.close(), twoMinutes)

/** Runs on one thread, so that a sweep takes a while. Does not use DATA_DIR. */
const settings = () => ({ DATABASE_URL: db.url, COMPUTE_THREADS: '1', LOG_LEVEL: 'error' })

/** A server that leaves submitted backtests to workers, unless its settings differ. */
async function startServer(change: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess('', { ...settings(), JOB_CONCURRENCY: '0', ...change })
  alive.add({ kill: name => server.signal(name), exited: server.exited })
  return server
}

interface WorkerProcess {
  readonly said: () => string
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => void
  readonly exited: Promise<number>
}

/** `asfiled worker` in a process of its own, once it is ready. */
async function startWorker(): Promise<WorkerProcess> {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'worker'], {
    cwd: repository,
    env: { ...process.env, ...settings(), JOB_CONCURRENCY: '1' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  alive.add(child)
  let said = ''
  const ready = Promise.withResolvers<void>()
  const follow = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      said += decoder.decode(chunk, { stream: true })
      if (said.includes('ready')) ready.resolve()
    }
    ready.reject(new Error(`the worker ended before it was ready: ${said}`))
  }
  follow()
  await ready.promise
  return { said: () => said, kill: signal => child.kill(signal), exited: child.exited }
}

/** 1,000 configurations of 600,000 rows: a second or more of work on one thread. */
const grid = {
  quantile: Array.from({ length: 40 }, (_, i) => (i + 5) / 100),
  holdDays: Array.from({ length: 25 }, (_, i) => i + 1),
}
const path = `/api/v1/backtest?sweep=${JSON.stringify(grid)}&config=${JSON.stringify({ drift: true, returnDays: 1 })}`
const rows = (() => {
  const lines = ['date,asset,score,forward_return']
  for (let date = 0, day = dayNumber('2010-01-04'); date < 2_000; date++, day = addBusinessDays(day, 1)) {
    const iso = isoDate(day)
    for (let asset = 0; asset < 300; asset++) {
      const score = (asset * 7_919 + date * 104_729) % 10_007
      lines.push(`${iso},A${asset},${score},${(((asset * 31 + date * 17) % 201) - 100) / 1_000}`)
    }
  }
  return lines.join('\n')
})()

function post(server: ServerProcess, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.address + encodeURI(path), {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv', ...headers },
    body: rows,
  })
}

async function submit(server: ServerProcess): Promise<{ id: string; url: string }> {
  return (await post(server, { Prefer: 'respond-async' })).json()
}

async function resultOf(server: ServerProcess, url: string): Promise<string> {
  for (let tries = 0; tries < 1_200; tries++) {
    const text = await (await server.get(url, key)).text()
    const job = JSON.parse(text)
    if (job.state === 'failed') throw new Error(text)
    if (job.state === 'succeeded') return text.slice(text.indexOf('"result":') + 9, -1)
    await Bun.sleep(25)
  }
  throw new Error('The backtest did not end within 30 s.')
}

/** Shares that each process has done so far. */
async function sharesByProcess(jobId: string): Promise<number[]> {
  const rows = await db.sql<{ shares: number }[]>`
    select count(*)::int as shares from job_share where job_id = ${jobId} group by process_id`
  return rows.map(row => row.shares)
}

/** Until that many shares of a job are done, or it is over. */
async function untilBegun(jobId: string, shares: number): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if ((await sharesByProcess(jobId)).some(count => count >= shares)) return
    await Bun.sleep(5)
  }
}

/** Two million rows: seconds of work. */
function makeJoinRows(): string {
  const lines = ['date,ticker']
  for (let row = 0; row < 2_000_000; row++)
    lines.push(`20${10 + (row % 15)}-0${1 + (row % 9)}-15,${['AAPL', 'GOOGL', 'NOSUCH', 'SNOW'][row % 4]}`)
  return lines.join('\n')
}

const postJoin = (
  server: ServerProcess,
  joinRows: string,
  format: string,
  headers: Record<string, string> = {},
) =>
  fetch(`${server.address}/api/v1/as-of?metrics=revenue,eps&with=end&format=${format}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv', ...headers },
    body: joinRows,
  })

async function stateOf(jobId: string): Promise<string> {
  const [row] = await db.sql<{ state: string }[]>`select state from job where job_id = ${jobId}`
  return row.state
}

if (!isLong)
  console.log(
    'skipped: a kill halfway through an as-of join runs with LONG=1, one halfway through a sweep always',
  )

describe('asfiled worker', () => {
  test.skipIf(!isLong)(
    'that is killed -9 halfway through an as-of join leaves it to the next, and the bytes are those of a server',
    async () => {
      await insertCompanies(db.sql)
      const joinRows = makeJoinRows()
      const server = await startServer()
      const first = await startWorker()
      const { id, url } = await (await postJoin(server, joinRows, 'csv', { Prefer: 'respond-async' })).json()
      while ((await stateOf(id)) === 'queued') await Bun.sleep(2)
      await Bun.sleep(300)
      first.kill('SIGKILL')
      await first.exited
      expect(await stateOf(id)).toBe('running')
      const second = await startWorker()
      for (let tries = 0; tries < 1_200 && (await stateOf(id)) === 'running'; tries++) await Bun.sleep(25)
      expect(await stateOf(id)).toBe('succeeded')
      const result = await (await server.get(`${url}/result`, key)).bytes()
      const direct = await (await postJoin(server, joinRows, 'csv')).bytes()
      expect(result.length).toBeGreaterThan(50_000_000)
      expect(Buffer.from(result).equals(Buffer.from(direct))).toBe(true)
      second.kill('SIGTERM')
      server.signal('SIGTERM')
      expect(await Promise.all([second.exited, server.exited])).toEqual([0, 0])
    },
    twoMinutes,
  )

  test(
    'two of them share a sweep; one is killed -9 half-way, and the result is that of one server to the byte',
    async () => {
      const server = await startServer()
      const [first, second] = await Promise.all([startWorker(), startWorker()])
      let { id, url } = await submit(server)
      let shares: number[] = []
      for (let tries = 0; tries < 2_000; tries++) {
        const before = shares.length
        shares = await sharesByProcess(id)
        if (shares.length === 2 && shares.every(count => count >= 3)) break
        // It is over before both had their part, as happens where one of them gets no processor: another one.
        if (shares.length < before) ({ id, url } = await submit(server))
        await Bun.sleep(5)
      }
      first.kill('SIGKILL')
      await first.exited
      expect(shares.map(count => count >= 3)).toEqual([true, true])
      expect(shares[0] + shares[1]).toBeLessThan(60)
      const [locked] = await db.sql`
        select count(*)::int as tasks from asfiled_queue.jobs
        where starts_with(key, ${id}) and locked_at is not null`
      expect(locked.tasks).toBeGreaterThan(0)
      expect(await resultOf(server, url)).toBe(await (await post(server)).text())
      second.kill('SIGTERM')
      expect(await second.exited).toBe(0)
      server.signal('SIGTERM')
      expect(await server.exited).toBe(0)
    },
    twoMinutes,
  )

  test(
    'what was submitted to a server that is killed -9 goes on when it is back',
    async () => {
      const server = await startServer({ JOB_CONCURRENCY: '1' })
      const { id, url } = await submit(server)
      await untilBegun(id, 3)
      server.signal('SIGKILL')
      await server.exited
      const before = await sharesByProcess(id)
      const next = await startServer({ JOB_CONCURRENCY: '1' })
      const result = await resultOf(next, url)
      expect(before[0]).toBeGreaterThan(0)
      expect(result).toBe(await (await post(next)).text())
      next.signal('SIGTERM')
      expect(await next.exited).toBe(0)
    },
    twoMinutes,
  )

  test(
    'SIGTERM finishes the part under way, keeps it, and hands the rest to the next at once',
    async () => {
      const server = await startServer()
      const worker = await startWorker()
      const { id, url } = await submit(server)
      await untilBegun(id, 3)
      worker.kill('SIGTERM')
      expect(await worker.exited).toBe(0)
      expect(worker.said()).toContain('finishing the tasks in progress')
      const [left] = await db.sql`
        select (select count(*)::int from asfiled_queue.jobs where starts_with(key, ${id}) and locked_at is not null) as locked,
               (select coalesce(max(attempts), 0)::int from asfiled_queue.jobs where starts_with(key, ${id})) as attempts,
               (select done from job where job_id = ${id}) as done`
      expect(left).toMatchObject({ locked: 0, attempts: 0 })
      expect(left.done).toBeWithin(1, 1_000)
      const next = await startWorker()
      expect(await resultOf(server, url)).toContain('"backtest_result"')
      next.kill('SIGTERM')
      server.signal('SIGTERM')
      expect(await Promise.all([next.exited, server.exited])).toEqual([0, 0])
    },
    twoMinutes,
  )

  test(
    'a database that is killed -9 half-way costs a sweep seconds, and the server nothing',
    async () => {
      const dataDir = makeDataDir()
      await prepareDataDir(dataDir)
      const server = await startServer({ DATABASE_URL: '', DATA_DIR: dataDir, JOB_CONCURRENCY: '2' })
      key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
      const { url } = await submit(server)
      for (let done = 0; done < 100; ) {
        done = (await (await server.get(url, key)).json()).progress.done
        await Bun.sleep(5)
      }
      const pidFile = readFileSync(join(dataDir, 'database/cluster/postmaster.pid'), 'utf8')
      process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL')
      expect(await resultOf(server, url)).toContain('"backtest_result"')
      server.signal('SIGTERM')
      expect(await server.exited).toBe(0)
      removeDataDir(dataDir)
    },
    twoMinutes,
  )
})
