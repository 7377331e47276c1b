import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { type ServerProcess, startServerProcess, startWorkerProcess } from '../boot/serverProcess.ts'
import { emptyServerDatabase, type TestDatabase } from '../database.ts'
import { insertCompanies } from '../features/companies/fixtures.ts'
import { sellKey } from '../http/callers.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { metricsAddress, scrape } from './metricsProcess.ts'

setDefaultTimeout(90_000)

let db: TestDatabase
let server: ServerProcess
let key = ''
let settings: Record<string, string>

beforeAll(async () => {
  db = await emptyServerDatabase()
  await insertCompanies(db.sql)
  key = await sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
  settings = { DATABASE_URL: db.url, COMPUTE_THREADS: '1', LOG_LEVEL: 'error', METRICS_PORT: '0' }
  server = await startServerProcess('', settings)
})
afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  await db.close()
})

const figures = '/api/v1/fundamentals?ticker=AAPL&view=latest'
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(server.address + path, { method, headers }).then(async response => {
    await response.arrayBuffer()
    return response.status
  })

/** The series once they are as expected, and after 20 s whatever they are. */
async function scrapeUntil(isThere: (series: Map<string, number>) => boolean): Promise<Map<string, number>> {
  for (let tries = 0; tries < 200; tries++) {
    const series = await scrape(server)
    if (isThere(series)) return series
    await Bun.sleep(100)
  }
  return scrape(server)
}

describe('metrics', () => {
  test('count requests by template and status, errors by code, refusals by limit and answers from memory', async () => {
    const headers = { Authorization: `Bearer ${key}` }
    const before = await scrape(server)
    for (let i = 0; i < 3; i++) expect(await get(figures, headers)).toBe(200)
    expect(await get('/api/v1/fundamentals?ticker=AAPL')).toBe(401)
    const poor = await sellKey(db.sql, { licence: 'oem', perMinute: 2 })
    for (let i = 0; i < 5; i++) await get(figures, { Authorization: `Bearer ${poor}` })
    const route = 'route="/api/v1/fundamentals"'
    const refused = `asfiled_requests_total{${route},status="429"}`
    const after = await scrapeUntil(series => (series.get(refused) ?? 0) > (before.get(refused) ?? 0) + 2)
    const grown = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0)
    expect(grown(`asfiled_requests_total{${route},status="200"}`)).toBe(5)
    expect(grown(`asfiled_requests_total{${route},status="401"}`)).toBe(1)
    expect(grown(refused)).toBe(3)
    expect(grown('asfiled_errors_total{code="key_missing"}')).toBe(1)
    expect(grown('asfiled_refused_total{limit="minute"}')).toBe(3)
    expect(grown('asfiled_answer_cache_lookups_total{result="miss"}')).toBe(1)
    expect(grown('asfiled_answer_cache_lookups_total{result="hit"}')).toBe(4)
    expect(grown(`asfiled_request_duration_seconds_count{${route},status="2xx"}`)).toBe(5)
    expect(grown(`asfiled_request_duration_seconds_bucket{le="+Inf",${route},status="4xx"}`)).toBe(4)
    expect(grown(`asfiled_request_duration_seconds_sum{${route},status="2xx"}`)).toBeGreaterThan(0)
  })

  test('count requests that name a client and come from no trusted proxy', async () => {
    const of = (series: Map<string, number>) =>
      series.get('asfiled_unlisted_proxy_requests_total') ?? Number.NaN
    const before = of(await scrape(server))
    await get('/health')
    for (let i = 0; i < 4; i++) await get('/health', { 'X-Forwarded-For': `203.0.113.${i}` })
    expect(of(await scrapeUntil(series => of(series) >= before + 4)) - before).toBe(4)
  })

  test('have the same number of series however many paths, keys, headers and methods are sent, and nothing of those in them', async () => {
    const random = () => Math.random().toString(36).slice(2)
    const flood = async (count: number) => {
      const statuses = new Set<number>()
      for (let i = 0; i < count; i += 20)
        await Promise.all(
          Array.from({ length: 20 }, async () => {
            const secret = `asf_live_${random()}SECRET`
            const odd = {
              Authorization: `Bearer ${secret}`,
              traceparent: `00-${crypto.randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-01`,
              'X-Request-Id': `SECRET${random()}`,
              'User-Agent': `SECRET${random()}`,
              'X-Forwarded-For': `10.${(Math.random() * 255) | 0}.0.1`,
            }
            statuses.add(await get(`/SECRET${random()}/${random()}?x=${random()}`, odd))
            statuses.add(await get(`/api/v1/fundamentals?ticker=SECRET${random()}`, odd))
            statuses.add(await get(`/api/v1/backtests/SECRET${random()}`, odd))
            statuses.add(await get(`/company/SECRET${random()}`, odd))
            statuses.add(
              await get(`/${random()}`, odd, ['DELETE', 'PATCH', 'PROPFIND'][(Math.random() * 3) | 0]),
            )
          }),
        )
      return statuses
    }
    await flood(200)
    await Bun.sleep(1_100)
    const before = await scrape(server)
    const statuses = await flood(1_000)
    await Bun.sleep(1_100)
    const after = await scrape(server)
    expect(statuses.size).toBeGreaterThan(1)
    const requests = (series: Map<string, number>) =>
      [...series].reduce(
        (sum, [name, value]) => sum + (name.startsWith('asfiled_requests_total') ? value : 0),
        0,
      )
    expect(requests(after) - requests(before)).toBe(5_000)
    expect(nonEmpty(after.keys()).filter(name => !before.has(name))).toEqual([])
    expect(after.size).toBe(before.size)
    expect(nonEmpty(after.keys()).filter(name => /SECRET|asf_|Bearer|127\.0|10\.\d|\?/.test(name))).toEqual(
      [],
    )
  })

  test('are on their own port alone: the service does not know them, and the port knows nothing else', async () => {
    const { origin, pathname } = new URL(metricsAddress(server.said()))
    expect(pathname).toBe('/metrics')
    expect(origin).not.toBe(server.address)
    for (const path of ['/metrics', '/metrics/', '//metrics', '/api/metrics', '/metrics?x=1'])
      expect(await get(path)).toBe(404)
    for (const path of ['/', '/health', figures, '/metrics/', '/docs'])
      expect((await fetch(origin + path)).status).toBe(404)
    const posted = await fetch(`${origin}/metrics`, { method: 'POST', body: 'x' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await fetch(`${origin}/metrics`, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(413)
    const answer = await fetch(`${origin}/metrics`)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('are off without METRICS_PORT, and METRICS_PORT may not be the port of the service', async () => {
    const { METRICS_PORT: _, ...off } = settings
    const plain = await startServerProcess('', off)
    expect(plain.said()).not.toContain('metrics')
    plain.signal('SIGTERM')
    expect(await plain.exited).toBe(0)
    const child = Bun.spawn(['bun', 'src/main.ts'], {
      env: { ...process.env, ...settings, PORT: '39999', METRICS_PORT: '39999' },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    expect(await new Response(child.stderr).text()).toContain('METRICS_PORT=39999 is the port of the service')
    expect(await child.exited).toBe(1)
  })

  test('a process whose port is taken says which setting to change', async () => {
    const { port } = new URL(metricsAddress(server.said()))
    const child = Bun.spawn(['bun', 'src/cli.ts', 'worker'], {
      env: { ...process.env, ...settings, METRICS_PORT: port },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    expect(said).toContain(`Could not listen on 127.0.0.1:${port} for metrics.`)
    expect(said).toContain('Set METRICS_PORT to a free port')
    expect(await child.exited).not.toBe(0)
  })

  test('come from a worker, too, with its threads and connections, and without requests', async () => {
    const worker = await startWorkerProcess({ ...settings, JOB_CONCURRENCY: '1' })
    try {
      const series = await scrape(worker)
      expect([...series.keys()].find(name => name.startsWith('asfiled_info'))).toContain('role="worker"')
      expect(series.get('asfiled_compute_threads')).toBe(1)
      expect(series.get('asfiled_pool_connections_max{pool="main"}')).toBe(10)
      expect(series.get('asfiled_database_up')).toBe(1)
      expect(nonEmpty(series.keys()).filter(name => name.startsWith('asfiled_request'))).toEqual([])
    } finally {
      worker.signal('SIGTERM')
      expect(await worker.exited).toBe(0)
    }
  })

  test('say what the database knows of markets, jobs and syncs', async () => {
    await db.sql`
      insert into sync_run (market, is_scheduled, is_partial, started_at, ended_at, outcome, documents, facts) values
        ('US', true, false, '2026-11-20T10:00Z', '2026-11-20T11:00Z', 'done', 5, 7),
        ('US', true, false, '2026-11-21T10:00Z', '2026-11-21T10:30Z', 'failed', 1, 0)`
    await db.sql`insert into sync_due (market, due_at, try_at, attempts) values ('US', now(), now() + interval '1 hour', 3)`
    const [{ newest }] = await db.sql`
      select extract(epoch from max(filed))::float8 as newest from filing
      where filing_market(accession) = 'US' and filed <= current_date`
    const failed = 'asfiled_sync_failed_attempts{market="US"}'
    const series = await scrapeUntil(found => found.get(failed) === 3)
    expect(series.get('asfiled_sync_last_success_timestamp_seconds{market="US"}')).toBe(
      Date.parse('2026-11-20T11:00Z') / 1_000,
    )
    expect(series.get('asfiled_sync_last_failure_timestamp_seconds{market="US"}')).toBe(
      Date.parse('2026-11-21T10:30Z') / 1_000,
    )
    expect(series.get(failed)).toBe(3)
    expect(series.get('asfiled_market_newest_filed_timestamp_seconds{market="US"}')).toBe(newest)
    expect(series.get('asfiled_jobs{kind="backtest",state="queued"}')).toBe(0)
    expect(series.get('asfiled_job_processes')).toBe(1)
    expect(series.get('asfiled_event_loop_delay_seconds{stat="max"}')).toBeGreaterThan(0)
  })

  test('a client that sends half a request, and many that ask at once, do not keep a scrape from its answer', async () => {
    const { hostname, port, href } = new URL(metricsAddress(server.said()))
    const slow = Array.from({ length: 100 }, () => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => {})
      socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n')
      return socket
    })
    const texts = await Promise.all(
      Array.from({ length: 50 }, () => fetch(href).then(answer => answer.text())),
    )
    expect(nonEmpty(texts).every(text => text.includes('asfiled_info'))).toBe(true)
    for (const socket of slow) socket.destroy()
  })

  test('a statement that locks what a scrape reads makes the database unknown, not the process', async () => {
    const locked = Promise.withResolvers<void>()
    const lock = db.sql.begin(async transaction => {
      await transaction`lock table data_version in access exclusive mode`
      await locked.promise
    })
    const series = await scrapeUntil(found => found.get('asfiled_database_up') === 0)
    expect(series.get('asfiled_database_up')).toBe(0)
    expect(series.get('asfiled_compute_threads')).toBe(1)
    expect(series.has('asfiled_database_size_bytes')).toBe(false)
    locked.resolve()
    await lock
    const free = await scrapeUntil(found => found.get('asfiled_database_up') === 1)
    expect(free.get('asfiled_database_up')).toBe(1)
  })
})
