import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RequestCounts } from '../src/metrics/requestCounts.ts'
import type { Figure } from './figure.ts'
import { measure, type Served, sellKey, startApp } from './http.ts'

/** What a request pays for the metrics: processor time of two servers on one database, one with METRICS_PORT and a scrape every five
 * seconds, one without, loaded at the same time; a third like the second shows how much two equal servers differ. Then the same for
 * requests that are all of a followed trace, each with a line in the log. */

const cached = '/api/v1/fundamentals?ticker=AAPL&view=latest'
const connections = 32
const warmUps = 2
/** Three times as often as `deploy/prometheus/prometheus.yaml`. */
const scrapeMs = 5_000

interface Share {
  /** Median of the rounds' ratios of processor time, less 1. */
  readonly share: number
  readonly spread: string
}

interface MetricsBench {
  readonly metrics: Share
  /** Of two servers that are alike. */
  readonly noise: Share
  readonly trace: Share
  readonly microsOff: number
  readonly nanosPerCount: number
}

const followed = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }

export async function benchMetrics(rounds = 25, roundMs = 1_000): Promise<MetricsBench> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-'))
  const children: Bun.Subprocess[] = []
  try {
    const env = {
      ...process.env,
      ...{
        DATA_DIR: join(folder, 'data'),
        DATABASE_URL: '',
        PORT: '0',
        METRICS_PORT: '',
        TRUSTED_PROXIES: '127.0.0.1',
      },
      ...{ LOG_REQUESTS: 'sampled', JOB_CONCURRENCY: '0' },
    }
    const off = await startApp(env, folder, children)
    const alike = await startApp(env, folder, children)
    const port = freePort()
    const on = await startApp({ ...env, METRICS_PORT: String(port) }, folder, children)
    const scraping = setInterval(
      () =>
        void fetch(`http://127.0.0.1:${port}/metrics`)
          .then(a => a.text())
          .catch(() => {}),
      scrapeMs,
    )
    const headers = { Authorization: `Bearer ${await sellKey(env)}`, 'Accept-Encoding': 'gzip' }
    const micros = async (served: Served, more: Record<string, string> = {}) => {
      const task = {
        connections,
        ms: roundMs,
        port: served.port,
        path: cached,
        headers: { ...headers, ...more },
      }
      const { micros } = await measure(served, task)
      if (micros === null) throw new Error('This system does not say what a process has used (Linux only).')
      return micros
    }
    const ratios = { metrics: [] as number[], noise: [] as number[], trace: [] as number[] }
    const offs: number[] = []
    for (let round = 1 - warmUps; round <= rounds; round++) {
      // All at once: what else the machine does meets each of them alike.
      const [plain, counted, same] = await Promise.all([micros(off), micros(on), micros(alike)])
      const [untraced, traced] = await Promise.all([micros(off), micros(alike, followed)])
      if (round <= 0) continue
      offs.push(plain)
      ratios.metrics.push(counted / plain - 1)
      ratios.noise.push(same / plain - 1)
      ratios.trace.push(traced / untraced - 1)
    }
    clearInterval(scraping)
    return {
      metrics: shareOf(ratios.metrics),
      noise: shareOf(ratios.noise),
      trace: shareOf(ratios.trace),
      microsOff: median(offs),
      nanosPerCount: nanosPerCount(),
    }
  } finally {
    for (const child of children.reverse()) {
      child.kill('SIGTERM')
      await child.exited
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

function shareOf(shares: readonly number[]): Share {
  const sorted = shares.toSorted((a, b) => a - b)
  const at = (part: number) => percent(sorted[Math.floor(part * (sorted.length - 1))])
  return { share: median(shares), spread: `${at(0.25)} .. ${at(0.75)}` }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

/** The counting alone, in this process: the median of 21 runs. */
function nanosPerCount(): number {
  const counts = new RequestCounts()
  const routes = Array.from({ length: 120 }, (_, n) => `/api/v1/route${n}`)
  for (const route of routes) counts.countRequest(route, 200, 1)
  const calls = 200_000
  return median(
    Array.from({ length: 21 }, () => {
      const start = process.cpuUsage()
      for (let i = 0; i < calls; i++) counts.countRequest(routes[i % 7], 200, (i % 50) / 10)
      return (process.cpuUsage(start).user / calls) * 1e3
    }),
  )
}

/** For budget.json: the counting against the request, which no neighbour on the machine changes. */
export const metricsFigures = ({ metrics, nanosPerCount, microsOff }: MetricsBench): Figure[] => [
  { name: 'metrics.cost', value: metrics.share, unit: 'times', spread: metrics.spread },
  { name: 'metrics.counting_in_request', value: nanosPerCount / 1_000 / microsOff, unit: 'times' },
]

if (import.meta.main) {
  const { metrics, noise, trace, microsOff, nanosPerCount } = await benchMetrics(
    Number(Bun.argv[2] ?? 15),
    Number(Bun.argv[3] ?? 2_000),
  )
  console.log(`a request without metrics: ${microsOff.toFixed(1)} us of processor time`)
  console.log(
    `counting one request: ${nanosPerCount.toFixed(0)} ns, ${percent(nanosPerCount / 1_000 / microsOff)} of it`,
  )
  for (const [name, { share, spread }] of Object.entries({
    metrics,
    'two servers alike': noise,
    'a followed trace': trace,
  }))
    console.log(`${name}: ${percent(share)} (${spread}) more`)
}
