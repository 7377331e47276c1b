import { readConfig } from '../src/config.ts'
import { loadSample } from '../src/ingest/sample/loadSample.ts'
import { migrateQueue } from '../src/jobs/queue.ts'
import { DatabaseFigures } from '../src/telemetry/databaseFigures.ts'
import { EventLoopDelay } from '../src/telemetry/processFigures.ts'
import { makeRegistry } from '../src/telemetry/registry.ts'
import { RequestCounts } from '../src/telemetry/requestCounts.ts'
import { sellKey } from '../test/http/callers.ts'
import { type TestServer, testServer } from '../test/http/testServer.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'

/** Measures how much the metrics add to the cost of a request. Two apps in this process answer `view=latest` from memory,
 * with authentication and limits; one has metrics and the other does not. They take turns of a few milliseconds, so that
 * other work on the machine affects both equally. There is no socket, which makes a request cheaper and so the added share
 * larger. A third app, also without metrics, shows how accurate the measurement is, and a fourth receives requests with a
 * trace. Finally, one scrape and the counting alone are timed. */

const path = '/api/v1/fundamentals?ticker=AAPL&view=latest'
const concurrent = 64
const warmUps = 100
const followed = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' }

interface Share {
  /** The median over all turns of the ratio of the processor times, minus 1. */
  readonly share: number
  /** The 95% interval of `share`, from resampling the turns. */
  readonly interval: readonly [number, number]
}

interface MetricsBench {
  readonly microsOff: number
  readonly metrics: Share
  readonly alike: Share
  readonly traced: Share
  readonly nanosPerCount: number
  readonly scrapeMs: number
  readonly series: number
}

export const benchMetrics = (turns = 1_500): Promise<MetricsBench> =>
  scratchDatabase(async (sql, url) => {
    await migrateQueue(url)
    await loadSample(sql)
    const settings = { LOG_LEVEL: 'info', FLAGSHIP_TICKERS: 'AAPL', TRUSTED_PROXIES: '' }
    const off = await testServer(sql, {}, settings)
    const alike = await testServer(sql, {}, settings)
    const on = await testServer(sql, {}, { ...settings, METRICS_PORT: '0' })
    const eventLoop = new EventLoopDelay()
    try {
      const key = await sellKey(sql, { licence: 'oem', perMinute: 900_000_000 })
      const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'gzip' }
      const micros = (server: TestServer, more: Record<string, string> = {}) =>
        microsOf(server, { ...headers, ...more })
      const off_: number[] = []
      const metrics: number[] = []
      const same: number[] = []
      const traced: number[] = []
      for (let turn = 1 - warmUps; turn <= turns; turn++) {
        const runs = [() => micros(off), () => micros(on), () => micros(alike), () => micros(alike, followed)]
        const found = [0, 0, 0, 0]
        for (let i = 0; i < runs.length; i++) {
          const place = (i + turn + warmUps) % runs.length
          found[place] = await runs[place]()
        }
        if (turn <= 0) continue
        off_.push(found[0])
        metrics.push(found[1] / found[0] - 1)
        same.push(found[2] / found[0] - 1)
        traced.push(found[3] / found[2] - 1)
      }
      const counts = on.resources.requestCounter
      if (counts === null) throw new Error('The server with metrics counts nothing.')
      return {
        microsOff: median(off_),
        metrics: shareOf(metrics),
        alike: shareOf(same),
        traced: shareOf(traced),
        nanosPerCount: nanosPerCount(),
        ...(await timeScrape(sql, counts, eventLoop)),
      }
    } finally {
      eventLoop.close()
      for (const server of [off, alike, on]) await server.stop()
    }
  })

/** Processor time of this process for one request. */
async function microsOf({ app }: TestServer, headers: Record<string, string>): Promise<number> {
  const before = process.cpuUsage()
  const answers = await Promise.all(
    Array.from({ length: concurrent }, () =>
      app.handle(new Request(`http://127.0.0.1:3000${path}`, { headers })),
    ),
  )
  const { user, system } = process.cpuUsage(before)
  if (answers.some(({ status }) => status !== 200)) throw new Error('A request was not answered.')
  return (user + system) / concurrent
}

/** Times a scrape of a server on which every route has answered with three classes of status. */
async function timeScrape(
  sql: Parameters<typeof sellKey>[0],
  counts: RequestCounts,
  eventLoop: EventLoopDelay,
): Promise<{ scrapeMs: number; series: number }> {
  for (let route = 0; route < 120; route++)
    for (const status of [200, 404, 500]) counts.countRequest(`/api/v1/route${route}`, status, 1)
  const { dataDir } = readConfig({})
  const times: number[] = []
  let series = 0
  for (let run = 0; run < 31; run++) {
    const registry = makeRegistry({
      requests: counts,
      service: {
        pools: () => ({ main: [sql] }),
        threads: () => ({ threads: 2, running: 0, waiting: 0, busySeconds: 0 }),
        answers: () => ({ hits: 1, misses: 1 }),
        dataVersion: () => 1,
      },
      process: { version: '0', role: 'server', dataDir, eventLoop, startedMs: 0 },
      database: new DatabaseFigures(sql, ['US', 'JP', 'KR', 'TW', 'FR', 'BE', 'DK', 'NZ'], () =>
        performance.now(),
      ),
    })
    const before = process.cpuUsage()
    const text = await registry.metrics()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
    series = text.split('\n').filter(line => line !== '' && !line.startsWith('#')).length
  }
  return { scrapeMs: median(times), series }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const resamples = 1_000

function shareOf(shares: readonly number[]): Share {
  const medians = Array.from({ length: resamples }, () =>
    median(shares.map(() => shares[Math.floor(Math.random() * shares.length)])),
  ).sort((a, b) => a - b)
  const at = (part: number) => medians[Math.floor(part * (resamples - 1))]
  return { share: median(shares), interval: [at(0.025), at(0.975)] }
}

/** Times the counting alone, in this process. Returns the median of 21 runs. */
function nanosPerCount(): number {
  const counts = new RequestCounts()
  const routes = Array.from({ length: 120 }, (_, n) => `/api/v1/route${n}`)
  for (const route of routes) counts.countRequest(route, 200, 1)
  const calls = 1_000_000
  return median(
    Array.from({ length: 21 }, () => {
      const start = process.cpuUsage()
      for (let i = 0; i < calls; i++) counts.countRequest(routes[i % 7], 200, (i % 50) / 10)
      const { user, system } = process.cpuUsage(start)
      return ((user + system) / calls) * 1_000
    }),
  )
}

/** Figures for budget.json: the cost of counting relative to that of a request. The pairs are too noisy for a bound on
 * a busy machine. */
export const metricsFigures = ({ metrics, nanosPerCount, microsOff, scrapeMs }: MetricsBench): Figure[] => [
  {
    name: 'metrics.cost_in_request',
    value: metrics.share,
    unit: 'times',
    spread: metrics.interval.map(percent).join(' .. '),
  },
  { name: 'metrics.counting_in_request', value: nanosPerCount / 1_000 / microsOff, unit: 'times' },
  { name: 'metrics.scrape', value: scrapeMs, unit: 'ms' },
]

const percent = (share: number) => `${(share * 100).toFixed(2)}%`

if (import.meta.main) {
  const found = await benchMetrics(Number(Bun.argv[2] ?? 1_500))
  const { microsOff, nanosPerCount, scrapeMs, series } = found
  console.log(`a request without metrics: ${microsOff.toFixed(1)} us of processor time, without its socket`)
  for (const name of ['metrics', 'alike', 'traced'] as const) {
    const { share, interval } = found[name]
    console.log(`${name}: ${percent(share)} more (95%: ${interval.map(percent).join(' .. ')})`)
  }
  console.log(`counting alone: ${nanosPerCount.toFixed(0)} ns`)
  console.log(`a scrape of ${series} series: ${scrapeMs.toFixed(1)} ms`)
  process.exit(0)
}
