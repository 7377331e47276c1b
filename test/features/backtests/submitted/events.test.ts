import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningServer, startServer } from '../../../../src/boot/startServer.ts'
import { readConfig } from '../../../../src/config.ts'
import { jobSummary } from '../../../../src/features/backtests/submitted/schema.ts'
import { type EventPace, jobEvents } from '../../../../src/jobs/events.ts'
import type { Job } from '../../../../src/jobs/job.ts'
import { shippedDatabase, type TestDatabase } from '../../../database.ts'
import { sellKey } from '../../../http/callers.ts'
import { insertWaitingJobs } from './waitingJobs.ts'

const minute = 60_000
let db: TestDatabase
let server: RunningServer
let key = ''

beforeAll(async () => {
  db = await shippedDatabase()
  const config = readConfig({
    DATABASE_URL: db.url,
    PORT: '0',
    COMPUTE_THREADS: '2',
    LOG_LEVEL: 'silent',
  })
  server = await startServer(
    config,
    () => '2026-07-01',
    () => {},
  )
  key = await sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
}, minute)
afterAll(async () => {
  await server.stop()
  await db.close()
}, minute)

interface Heard {
  event: string
  data: { state: string; progress: { done: number; total: number | null } }
}

function parse(text: string): Heard[] {
  return text
    .split('\n\n')
    .filter(block => block.startsWith('event:'))
    .map(block => {
      const [event = '', data = ''] = block.split('\n')
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) }
    })
}

const headers = () => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' })
const get = (path: string, more: RequestInit = {}) =>
  fetch(server.address + path, { headers: headers(), ...more })

async function submit(body: object): Promise<{ id: string; url: string; events_url: string }> {
  const response = await fetch(`${server.address}/api/v1/backtest`, {
    method: 'POST',
    headers: { ...headers(), Prefer: 'respond-async' },
    body: JSON.stringify(body),
  })
  return response.json()
}

async function waiting(): Promise<string> {
  const [id] = await insertWaitingJobs(db.sql, key, 1)
  return id
}

describe('the events of a backtest', () => {
  test('tell how it gets on, trial by trial, and end with its last state', async () => {
    const { events_url } = await submit({ sweep: true })
    const response = await get(events_url)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const heard = parse(await response.text())
    expect(heard.at(-1)).toMatchObject({ event: 'succeeded', data: { progress: { done: 48, total: 48 } } })
    expect(heard.slice(0, -1).every(({ event }) => event === 'progress')).toBe(true)
    const done = heard.map(({ data }) => data.progress.done)
    expect(done).toEqual(done.toSorted((a, b) => a - b))
    expect(JSON.stringify(heard)).not.toContain('equity_curve')
  })

  test('are what the backtest itself answers where events are accepted', async () => {
    const { url } = await submit({ config: { quantile: 7 } })
    const response = await get(url, { headers: { ...headers(), Accept: 'text/event-stream' } })
    expect(parse(await response.text()).at(-1)).toMatchObject({
      event: 'failed',
      data: { error: { code: 'parameter_invalid', param: 'config.quantile' } },
    })
  })

  test('hear of a cancellation', async () => {
    const id = await waiting()
    const response = await get(`/api/v1/backtests/${id}/events`)
    await get(`/api/v1/backtests/${id}`, { method: 'DELETE' })
    expect(parse(await response.text()).at(-1)?.event).toBe('cancelled')
  })

  test('go to 8 listeners of a key at a time; one that leaves makes room', async () => {
    const path = `/api/v1/backtests/${await waiting()}/events`
    const leaving = Array.from({ length: 8 }, () => new AbortController())
    const open = await Promise.all(leaving.map(({ signal }) => get(path, { signal })))
    expect(open.map(response => response.status)).toEqual(Array(8).fill(200))
    const refused = await get(path)
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'compute_busy'])
    leaving[0].abort()
    let status = 503
    for (let tries = 0; tries < 100 && status !== 200; tries++) {
      await Bun.sleep(20)
      const controller = new AbortController()
      status = (await get(path, { signal: controller.signal })).status
      controller.abort()
    }
    expect(status).toBe(200)
    for (const controller of leaving) controller.abort()
  })

  test('do not hold up the end of a server', async () => {
    const config = readConfig({ DATABASE_URL: db.url, PORT: '0', COMPUTE_THREADS: '1', LOG_LEVEL: 'silent' })
    const second = await startServer(
      config,
      () => '2026-07-01',
      () => {},
    )
    const path = `/api/v1/backtests/${await waiting()}/events`
    const response = await fetch(second.address + path, { headers: headers() })
    const began = performance.now()
    const text = response.text()
    await Bun.sleep(50)
    await second.stop()
    expect(await text).toContain(': reconnect')
    expect(performance.now() - began).toBeLessThan(config.drainTimeoutMs)
  })
})

describe('a stream of events', () => {
  const pace: EventPace = { heartbeatMs: 20, pollMs: 10, minIntervalMs: 1, maxDurationMs: 200 }
  const job: Job = {
    id: 'x',
    kind: 'backtest',
    keyId: 1,
    state: 'running',
    requestId: 'r',
    bodyFormat: 'json',
    bodyQuery: {},
    bodyBytes: 1,
    submittedDataVersion: 1,
    dataVersion: 1,
    fingerprint: null,
    round: 0,
    done: 1,
    total: 9,
    errorCode: null,
    errorMessage: null,
    errorParam: null,
    createdAt: new Date(0),
    startedAt: null,
    finishedAt: null,
    sharedUntil: null,
  }
  const stream = (read: () => Promise<Job>, onEnd = () => {}) =>
    jobEvents(
      {
        read,
        watch: () => () => {},
        elapsedMs: () => performance.now(),
        summarize: job => jobSummary(job, ''),
        onEnd,
      },
      pace,
    )

  test('says one thing once, breaks a silence, and ends after its time', async () => {
    let ends = 0
    const text = await new Response(
      stream(
        async () => job,
        () => ends++,
      ),
    ).text()
    expect(parse(text)).toHaveLength(1)
    expect(text.split(': heartbeat').length - 1).toBeWithin(3, 12)
    expect(text.endsWith(': reconnect\n\n')).toBe(true)
    expect(ends).toBe(1)
  })

  test('outlasts a database that is away for a moment', async () => {
    let reads = 0
    const read = async (): Promise<Job> => {
      reads++
      if (reads < 4) throw new Error('away')
      return { ...job, state: 'succeeded', finishedAt: new Date(1) }
    }
    expect(parse(await new Response(stream(read)).text()).map(({ event }) => event)).toEqual(['succeeded'])
  })
})
