import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { type RunningServer, startServer } from '../../../../src/boot/startServer.ts'
import { readConfig } from '../../../../src/config.ts'
import { registerFormats } from '../../../../src/dates.ts'
import {
  BacktestJob,
  BacktestJobList,
  BacktestJobSummary,
} from '../../../../src/features/backtests/submitted/schema.ts'
import examples from '../../../../src/http/docs/examples/backtests.json' with { type: 'json' }
import { shippedDatabase, type TestDatabase } from '../../../database.ts'
import { sellKey } from '../../../http/callers.ts'
import { asPanel, signals } from '../backtestBench.ts'
import { insertWaitingJobs } from './waitingJobs.ts'

const minute = 60_000
let db: TestDatabase
let server: RunningServer
/** Takes submissions and leaves them to others. */
let idle: RunningServer
let key = ''
let stranger = ''

beforeAll(async () => {
  registerFormats()
  db = await shippedDatabase()
  const settings = { DATABASE_URL: db.url, PORT: '0', COMPUTE_THREADS: '2', LOG_LEVEL: 'silent' }
  const start = (change: Record<string, string>) =>
    startServer(
      readConfig({ ...settings, ...change }),
      () => '2026-07-01',
      () => {},
    )
  server = await start({})
  idle = await start({ COMPUTE_THREADS: '1', JOB_CONCURRENCY: '0' })
  key = await newKey()
  stranger = await newKey()
}, minute)

afterAll(async () => {
  await server.stop()
  await idle.stop()
  await db.close()
}, minute)

/** The limits are not what is tested here. */
const newKey = () => sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })

const panel = asPanel(signals(60))
const single = JSON.stringify({ panel, config: { quantile: 0.2 } })
const sweep = JSON.stringify({ sweep: true, include: ['ic'], source: { market: 'US' } })
/** Takes seconds. */
const long = JSON.stringify({
  sweep: {
    quantile: Array.from({ length: 40 }, (_, i) => (i + 10) / 100),
    holdDays: Array.from({ length: 25 }, (_, i) => i + 1),
  },
  config: { drift: true },
})

interface Ask {
  on?: RunningServer
  as?: string
  method?: string
  body?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

function ask(path: string, { on = server, as = key, headers = {}, ...init }: Ask = {}): Promise<Response> {
  const sent = { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json', ...headers }
  return fetch(on.address + path, {
    method: init.body === undefined ? 'GET' : 'POST',
    headers: sent,
    ...init,
  })
}

const post = (body: string, more: Ask = {}) => ask('/api/v1/backtest', { body, ...more })
const submit = (body: string, more: Ask = {}) =>
  post(body, { ...more, headers: { Prefer: 'respond-async', ...more.headers } })
const codeOf = async (response: Response) => (await response.json()).error.code
const submitted = async (body: string, more: Ask = {}) => (await submit(body, more)).json()

async function ended(url: string) {
  for (let tries = 0; tries < 400; tries++) {
    const text = await (await ask(url)).text()
    const job = JSON.parse(text)
    if (job.finished_at !== null) return { text, job }
    await Bun.sleep(25)
  }
  throw new Error('The backtest did not end within 10 s.')
}

describe('Prefer: respond-async', () => {
  test('answers 202 with the place where the backtest is, and the preference applied', async () => {
    const response = await submit(single)
    expect(response.status).toBe(202)
    expect(response.headers.get('preference-applied')).toBe('respond-async')
    expect(response.headers.get('retry-after')).toBe('1')
    const job = await response.json()
    expect([...Value.Errors(BacktestJob, job)]).toEqual([])
    expect(job).toMatchObject({
      object: 'backtest',
      state: 'queued',
      progress: { done: 0, total: null },
      result: null,
    })
    expect(response.headers.get('location')).toBe(`/api/v1/backtests/${job.id}`)
    expect(job.url).toBe(`/api/v1/backtests/${job.id}`)
    await ended(job.url)
  })

  for (const [name, body] of Object.entries({
    'a backtest of a panel': single,
    'a sweep of the archive': sweep,
  })) {
    test(`leads ${name} to the very bytes of the synchronous result`, async () => {
      const { url } = await submitted(body)
      const { text, job } = await ended(url)
      expect(job.state).toBe('succeeded')
      expect([...Value.Errors(BacktestJob, job)]).toEqual([])
      expect(text.slice(text.indexOf('"result":') + 9, -1)).toBe(await (await post(body)).text())
    })
  }

  test('takes a CSV body as the synchronous request does', async () => {
    const csv =
      'date,asset,score,forward_return\n2024-01-02,A,1,0.1\n2024-01-02,B,2,0.2\n2024-01-03,A,2,0.1\n2024-01-03,B,1,0'
    const path = `/api/v1/backtest?config=${encodeURIComponent('{"quantile":0.5}')}`
    const headers = { 'Content-Type': 'text/csv' }
    const sync = await (await ask(path, { body: csv, headers })).text()
    const response = await ask(path, { body: csv, headers: { ...headers, Prefer: 'respond-async' } })
    const { text } = await ended((await response.json()).url)
    expect(text.slice(text.indexOf('"result":') + 9, -1)).toBe(sync)
  })

  test('tells a faulty request what the synchronous answer would have, under the id of its request', async () => {
    const body = JSON.stringify({ panel, config: { holdDays: 0 } })
    const headers = { 'X-Request-Id': 'my-request-7' }
    const { job } = await ended((await submitted(body, { headers })).url)
    const sync = await (await post(body, { headers })).json()
    expect(job).toMatchObject({ state: 'failed', result: null, error: sync.error })
  })

  test('is documented with the fields of real answers', async () => {
    const { job } = await ended((await submitted(single)).url)
    const { result: _, ...summary } = job
    for (const example of [examples.queued, examples.running, examples.cancelled, ...examples.list.data]) {
      expect(Object.keys(example)).toEqual(Object.keys(summary))
      expect([...Value.Errors(BacktestJobSummary, example)]).toEqual([])
    }
    expect([...Value.Errors(BacktestJobList, examples.list)]).toEqual([])
  })
})

describe('a submitted backtest', () => {
  test('answers 304 while nothing changed, and its result only to its key', async () => {
    const { url } = await submitted(single)
    await ended(url)
    const response = await ask(url)
    const again = await ask(url, { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
    for (const method of ['GET', 'DELETE']) {
      const refused = await ask(url, { as: stranger, method })
      expect([method, refused.status, await codeOf(refused)]).toEqual([method, 404, 'entity_unknown'])
    }
    expect((await ask(`${url}/events`, { as: stranger })).status).toBe(404)
    const listed = await (await ask('/api/v1/backtests?limit=100', { as: stranger })).json()
    expect(listed).toMatchObject({ object: 'backtest_list', count: 0, next: null, data: [] })
  })

  test('is a page to look at once its result is there: the one of the synchronous answer', async () => {
    const { url } = await submitted(single)
    await ended(url)
    const sync = await (await ask('/api/v1/backtest?format=html', { body: single })).text()
    for (const page of [
      await ask(`${url}?format=html`),
      await ask(url, { headers: { Accept: 'text/html' } }),
    ]) {
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(await page.text()).toBe(sync)
    }
  })

  test('is cancelled while it runs, promptly and for good', async () => {
    const { url, id } = await submitted(long)
    for (let tries = 0; tries < 400; tries++) {
      const job = await (await ask(url)).json()
      if (job.progress.done > 0) break
      await Bun.sleep(10)
    }
    const cancelled = await (await ask(url, { method: 'DELETE' })).json()
    expect([...Value.Errors(BacktestJobSummary, cancelled)]).toEqual([])
    expect(cancelled.state).toBe('cancelled')
    expect(cancelled.progress.done).toBeLessThan(cancelled.progress.total)
    const tasksLeft = async () => {
      const [{ tasks }] = await db.sql<[{ tasks: number }]>`
        select count(*)::int as tasks from asfiled_queue.jobs where starts_with(key, ${id})`
      return tasks
    }
    // A task that runs is told to stop and ends on its own.
    for (let tries = 0; tries < 500 && (await tasksLeft()) > 0; tries++) await Bun.sleep(10)
    expect(await tasksLeft()).toBe(0)
    expect((await ended(url)).job).toMatchObject({ state: 'cancelled', result: null })
    expect((await (await ask(url, { method: 'DELETE' })).json()).state).toBe('cancelled')
  }, 20_000)

  test('is listed newest first, page by page', async () => {
    const own = await newKey()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await submitted(single, { as: own, on: idle })).id)
    const seen: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const path: string = `/api/v1/backtests?limit=2${next && `&cursor=${next}`}`
      const list = await (await ask(path, { as: own })).json()
      expect([...Value.Errors(BacktestJobList, list)]).toEqual([])
      for (const job of list.data) seen.push(job.id)
      next = list.next
    }
    expect(seen).toEqual(ids.reverse())
  })

  test('is one of at most 16 that wait or run of a key; the next is refused with a Retry-After', async () => {
    const own = await newKey()
    await insertWaitingJobs(db.sql, own, 15)
    expect((await submit(single, { as: own })).status).toBe(202)
    const results = await Promise.all([1, 2, 3].map(() => submit(single, { as: own })))
    const refused = results.filter(response => response.status === 503)
    // The one that was let in may have ended by now; never are two too many let in.
    expect(refused.length).toBeGreaterThanOrEqual(2)
    expect(refused[0].headers.get('retry-after')).toBe('10')
    expect(await codeOf(refused[0])).toBe('compute_busy')
    await db.sql`delete from job where body_bytes = 1`
  })
})

describe('Idempotency-Key', () => {
  let keys = 0
  const named = () => ({ 'Idempotency-Key': `test-${++keys}` })

  async function untilClaimed(name: string): Promise<void> {
    for (;;) {
      const found = await db.sql`select from idempotency_claim where name = ${name}`
      if (found.length > 0) return
      await Bun.sleep(10)
    }
  }

  test('leads the same submission to the same backtest, on any server', async () => {
    const headers = named()
    const first = await submitted(single, { headers })
    await ended(first.url)
    const again = await submit(single, { headers, on: idle })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect(await again.json()).toMatchObject({ id: first.id, state: 'succeeded' })
    const own = await submit(single, { headers: named() })
    expect([own.status, own.headers.get('idempotency-replayed')]).toEqual([202, null])
    const other = await submit(sweep, { headers })
    expect([other.status, await codeOf(other)]).toEqual([422, 'idempotency_reused'])
  })

  test('is its key’s own', async () => {
    const headers = named()
    const first = await submitted(single, { headers })
    const strangers = await submitted(single, { headers, as: stranger })
    expect(strangers.id).not.toBe(first.id)
    await ended(first.url)
  })

  test('gives a synchronous request its answer again', async () => {
    const headers = named()
    const first = await post(single, { headers })
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const again = await post(single, { headers, on: idle })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
    const other = await post(sweep, { headers })
    expect([other.status, await codeOf(other)]).toEqual([422, 'idempotency_reused'])
  })

  test('refuses the same request while the first is under way, and takes it once that has failed', async () => {
    const headers = named()
    const left = new AbortController()
    const first = post(long, { headers, signal: left.signal }).catch(() => null)
    await untilClaimed(headers['Idempotency-Key'])
    const second = await post(long, { headers, on: idle })
    expect([second.status, await codeOf(second)]).toEqual([409, 'idempotency_in_flight'])
    expect(second.headers.get('retry-after')).toBe('1')
    left.abort()
    await first
    let status = 0
    for (let tries = 0; tries < 100 && status !== 202; tries++) {
      await Bun.sleep(25)
      status = (await submit(single, { headers })).status
    }
    expect(status).toBe(202)
  })

  test('has to be printable', async () => {
    const response = await post(single, { headers: { 'Idempotency-Key': 'with space' } })
    expect([response.status, await codeOf(response)]).toEqual([400, 'parameter_invalid'])
  })
})
