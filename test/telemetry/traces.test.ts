import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  type RunningProcess,
  type ServerProcess,
  startServerProcess,
  startWorkerProcess,
} from '../boot/serverProcess.ts'
import { emptyServerDatabase, type TestDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { sellKey } from '../http/callers.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(180_000)

let db: TestDatabase
let server: ServerProcess
let worker: RunningProcess
let key = ''

beforeAll(async () => {
  db = await emptyServerDatabase()
  await insertCompanies(db.sql)
  key = await sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
  const settings = {
    DATABASE_URL: db.url,
    COMPUTE_THREADS: '1',
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: '127.0.0.1',
  }
  server = await startServerProcess('', { ...settings, JOB_CONCURRENCY: '0' })
  // The first of a hundred requests is the one that the log samples.
  await server.get('/docs')
  worker = await startWorkerProcess({ ...settings, JOB_CONCURRENCY: '1' })
})
afterAll(async () => {
  for (const one of [server, worker]) one.signal('SIGTERM')
  expect(await Promise.all([server.exited, worker.exited])).toEqual([0, 0])
  await db.close()
})

const newTrace = () => crypto.randomUUID().replaceAll('-', '')
const parentId = '00f067aa0ba902b7'
const figures = '/api/v1/fundamentals?ticker=AAPL&view=latest'

const send = (path: string, traceparent: string | null, init: RequestInit = {}) =>
  fetch(server.address + path, {
    ...init,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(traceparent === null ? {} : { traceparent }),
      ...Object.fromEntries(new Headers(init.headers)),
    },
  })

/** The lines of a log that name a trace, once there are that many. */
async function linesOf(process: RunningProcess, traceId: string, count: number) {
  const found = () =>
    process
      .logged()
      .split('\n')
      .filter(line => line.includes(traceId))
      .map(line => JSON.parse(line))
  for (let tries = 0; tries < 300 && found().length < count; tries++) await Bun.sleep(50)
  return found()
}

const namesOfConnections = async () =>
  (
    await db.sql`select application_name as name from pg_stat_activity where datname = current_database()`
  ).map(({ name }) => String(name))

/** Submits a job under a trace, and waits for its line in the log of the worker. */
async function submitCsv(path: string, traceId: string, rows: readonly string[]) {
  const answer = await send(path, `00-${traceId}-${parentId}-01`, {
    method: 'POST',
    body: rows.join('\n'),
    headers: { 'Content-Type': 'text/csv', Prefer: 'respond-async' },
  })
  expect(answer.status).toBe(202)
  const { id } = await answer.json()
  const [line] = await linesOf(worker, traceId, 1)
  return { id, requestId: answer.headers.get('x-request-id'), line }
}

describe('a trace that a trusted proxy follows', () => {
  test('is in the line of its request, and its statements run under its id in pg_stat_activity', async () => {
    const traceId = newTrace()
    const answer = await send(figures, `00-${traceId}-${parentId}-01`)
    expect(answer.status).toBe(200)
    // Answers say nothing of it: the standard defines no header for that.
    expect(
      nonEmpty(answer.headers).some(([name, value]) => /trace/i.test(name) || value.includes(traceId)),
    ).toBe(false)
    const names = await namesOfConnections()
    expect(names.filter(name => name.endsWith(traceId)).length).toBeGreaterThan(0)
    expect(
      nonEmpty(names.filter(name => name.startsWith('asfiled-admission'))).every(
        name => name === 'asfiled-admission',
      ),
    ).toBe(true)
    const [line] = await linesOf(server, traceId, 1)
    expect(line).toMatchObject({
      msg: 'request',
      route: '/api/v1/fundamentals',
      status: 200,
      traceId,
      parentId,
    })
  })

  test('is in the log of the worker that runs its submitted backtest, and in the statements of that', async () => {
    const traceId = newTrace()
    await db.sql`create table seen_name (name text)`
    await db.sql`
      create function note_name() returns trigger language plpgsql as $$
      begin insert into seen_name values (current_setting('application_name')); return null; end $$`
    await db.sql`
      create trigger name_noted after update on job for each statement execute function note_name()`
    const rows = ['date,asset,score,forward_return']
    for (let date = 1; date <= 28; date++)
      for (let asset = 0; asset < 20; asset++)
        rows.push(
          `2020-01-${String(date).padStart(2, '0')},A${asset},${(asset * 7 + date * 3) % 11},${((asset + date) % 5) / 100}`,
        )
    const { id, requestId, line } = await submitCsv('/api/v1/backtest', traceId, rows)
    expect(line).toMatchObject({
      msg: 'task',
      jobId: id,
      task: 'backtest_start',
      attempt: 1,
      traceId,
      parentId,
    })
    expect(line.requestId).toBe(requestId)
    const names = (await db.sql`select distinct name from seen_name`).map(({ name }) => name)
    expect(names).toEqual([`asfiled ${traceId}`])
    const [request] = await linesOf(server, traceId, 1)
    expect(request).toMatchObject({ status: 202, requestId: line.requestId })
    const [{ trace }] = await db.sql`select trace from job where job_id = ${id}`
    expect(trace).toBe(`00-${traceId}-${parentId}-01`)
  })

  test('is in the log of the worker that runs its submitted as-of join', async () => {
    const traceId = newTrace()
    const rows = ['date,ticker', '2020-01-15,AAPL']
    const { id, line } = await submitCsv('/api/v1/as-of?metrics=revenue', traceId, rows)
    expect(line).toMatchObject({
      msg: 'task',
      jobId: id,
      task: 'as_of_run',
      outcome: 'done',
      traceId,
      parentId,
    })
  })

  test('that its caller does not record is in lines that are written anyway, and costs no statement', async () => {
    const traceId = newTrace()
    expect(
      (await send('/api/v1/fundamentals?ticker=NOSUCHCOMPANY', `00-${traceId}-${parentId}-00`)).status,
    ).toBe(404)
    expect((await send(`${figures}&as_of=2015-03-03`, `00-${traceId}-${parentId}-00`)).status).toBe(200)
    expect(nonEmpty(await namesOfConnections()).filter(name => name.includes(traceId))).toEqual([])
    expect(await linesOf(server, traceId, 1)).toMatchObject([{ status: 404, traceId, parentId }])
  })

  test('with an invalid traceparent is none: the request is answered, and the log has nothing of it', async () => {
    for (const sent of [
      '00-zz-1-01',
      `00-${'0'.repeat(32)}-${parentId}-01`,
      '","level":60,"x":"',
      `ff-${newTrace()}-${parentId}-01`,
    ])
      expect((await send('/api/v1/fundamentals?ticker=NOSUCHCOMPANY', sent)).status).toBe(404)
    await Bun.sleep(1_200)
    const lines = server
      .logged()
      .split('\n')
      .filter(line => line.includes('entity_unknown'))
      .map(line => JSON.parse(line))
    expect(lines.length).toBeGreaterThanOrEqual(4)
    expect(nonEmpty(lines.slice(-4)).filter(line => 'traceId' in line)).toEqual([])
  })
})

test('a stranger who claims to follow a trace gets neither a line of its own nor its id on statements', async () => {
  const open = await startServerProcess('', {
    DATABASE_URL: db.url,
    LOG_LEVEL: 'info',
    COMPUTE_THREADS: '1',
    JOB_CONCURRENCY: '0',
  })
  try {
    await open.get('/docs')
    const traceId = newTrace()
    const headers = { Authorization: `Bearer ${key}`, traceparent: `00-${traceId}-${parentId}-01` }
    expect((await fetch(open.address + figures, { headers })).status).toBe(200)
    expect(
      (await fetch(`${open.address}/api/v1/fundamentals?ticker=NOSUCHCOMPANY`, { headers })).status,
    ).toBe(404)
    expect(nonEmpty(await namesOfConnections()).filter(name => name.includes(traceId))).toEqual([])
    expect(await linesOf(open, traceId, 1)).toMatchObject([{ status: 404 }])
  } finally {
    open.signal('SIGTERM')
    await open.exited
  }
})
