import { isoDate } from '../../src/dates.ts'
import { formattedBodies } from '../backtest/bodies.ts'
import { makePanel } from '../backtest/makePanel.ts'

/** One kind of request that callers with a paid key send at a modest rate. */
export interface Innocent {
  readonly name: string
  /** Time between two requests. */
  readonly everyMs: number
  readonly request: (sent: number) => InnocentRequest
}

interface InnocentRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** If present, the request is a POST. */
  readonly body?: string | Uint8Array<ArrayBuffer>
}

export interface InnocentTimes {
  /** Milliseconds from when each request was due, in no particular order. */
  readonly times: number[]
  readonly errors: string[]
}

const tickers = ['AAPL', 'GOOGL', 'SNOW', 'IBM', 'JPM', 'XOM', 'ABT', 'HPQ']
const metrics = ['revenue', 'net_income', 'assets', 'roe']
const queries = ['apple', 'international business', 'exxon', 'GOOGL', '0000320193', 'jpmorgan', 'hp']
const json = { 'Content-Type': 'application/json' }
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]
/** Each request asks for a different day, so that not every answer comes from a cache. */
const dayOf = (sent: number) => isoDate(15_000 + ((sent * 37) % 2_000))

/** @param key with the quant plan and limits that are never reached */
export function innocents(key: string): Innocent[] {
  const asPaid = { Authorization: `Bearer ${key}` }
  const join = JSON.stringify({
    rows: {
      date: Array.from({ length: 10_000 }, (_, i) => isoDate(14_613 + (i % 3_650))),
      ticker: Array.from({ length: 10_000 }, (_, i) => pick(tickers, i)),
    },
    metrics: ['revenue', 'net_income', 'roe'],
  })
  const panel = formattedBodies(makePanel(200, 500))[2]
  const tool = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_latest_fundamentals', arguments: { tickers: ['IBM'], metrics: ['revenue'] } },
  })
  return [
    {
      name: 'latest figures',
      everyMs: 250,
      request: n => ({
        path: `/api/v1/fundamentals?ticker=${pick(tickers, n)}&view=latest`,
        headers: asPaid,
      }),
    },
    {
      name: 'history',
      everyMs: 500,
      request: n => ({
        path: `/api/v1/fundamentals?ticker=${pick(tickers, n)}&as_of=${dayOf(n)}`,
        headers: asPaid,
      }),
    },
    {
      name: 'cross-section',
      everyMs: 1_000,
      request: n => ({
        path: `/api/v1/cross-section?market=US&metric=${pick(metrics, n)}&limit=200&as_of=${dayOf(n)}`,
        headers: asPaid,
      }),
    },
    {
      name: 'search',
      everyMs: 1_000,
      request: n => ({ path: `/api/search?q=${encodeURIComponent(pick(queries, n))}` }),
    },
    {
      name: 'join of 10,000 rows',
      everyMs: 1_000,
      request: () => ({ path: '/api/v1/as-of', headers: { ...asPaid, ...json }, body: join }),
    },
    {
      name: 'backtest of 100,000 rows',
      everyMs: 1_000,
      request: () => ({
        path: `/api/v1/backtest${panel.query}`,
        headers: { ...asPaid, 'Content-Type': panel.type },
        body: panel.bytes,
      }),
    },
    {
      name: 'tool call',
      everyMs: 1_000,
      request: () => ({
        path: '/mcp',
        headers: { ...asPaid, ...json, Accept: 'application/json, text/event-stream' },
        body: tool,
      }),
    },
    { name: 'page of a company', everyMs: 1_000, request: n => ({ path: `/companies/${pick(tickers, n)}` }) },
    { name: 'sign-in page', everyMs: 1_000, request: () => ({ path: '/sign-in' }) },
  ]
}

/** An answer that takes longer is an error. */
const timeoutMs = 30_000

/** Sends the requests of all innocents when they are due, whether or not earlier ones have been answered. Each time counts
 * from when the request was due. A client that waited for its answers would send the fewest requests while the server is
 * slowest. */
export async function runInnocents(
  port: number,
  people: readonly Innocent[],
  ms: number,
): Promise<Record<string, InnocentTimes>> {
  const startedMs = performance.now()
  const runOne = async ({ name, everyMs, request }: Innocent, place: number) => {
    const outcome: InnocentTimes = { times: [], errors: [] }
    const sent: Promise<void>[] = []
    // Spreads the first requests over time, so that they do not all arrive at once.
    const firstMs = startedMs + (place * everyMs) / people.length
    for (let n = 0; ; n++) {
      const dueMs = firstMs + n * everyMs
      if (dueMs >= startedMs + ms) break
      await Bun.sleep(Math.max(0, dueMs - performance.now()))
      sent.push(sendOne(port, request(n), dueMs, outcome))
    }
    await Promise.all(sent)
    return [name, outcome] as const
  }
  return Object.fromEntries(await Promise.all(people.map(runOne)))
}

async function sendOne(
  port: number,
  { path, headers = {}, body }: InnocentRequest,
  dueMs: number,
  { times, errors }: InnocentTimes,
): Promise<void> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (!response.ok) errors.push(`${response.status} ${text.slice(0, 200)}`)
    // A tool call is answered with status 200 even if it failed.
    else if (path === '/mcp' && text.includes('"isError":true')) errors.push(text.slice(0, 200))
  } catch (error) {
    errors.push(`${error}`)
  }
  times.push(performance.now() - dueMs)
}
