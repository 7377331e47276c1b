import { pino } from 'pino'
import { KnownKeys } from '../../src/access/authenticate.ts'
import type { Principal } from '../../src/access/licences.ts'
import { findKey, watchAccess } from '../../src/access/queries.ts'
import { createApp } from '../../src/boot/app.ts'
import { makeJobs } from '../../src/boot/makeServices.ts'
import { Failure } from '../../src/errors.ts'
import type { FundamentalsList, FundamentalsQuery } from '../../src/features/fundamentals/schema.ts'
import type { DataFormat } from '../../src/formats/columns.ts'
import type { Services } from '../../src/http/services.ts'
import { LimitGate } from '../../src/limits/gate.ts'
import { takeHits } from '../../src/limits/queries.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { explainDatabaseError } from '../../src/postgres/errors.ts'
import { madeResult } from '../backtest/report/fixtures.ts'

export interface TestServer {
  readonly url: string
  readonly services: Services
  readonly port: number
  readonly app: ReturnType<typeof createApp>
  readonly logged: Record<string, unknown>[]
  stop(): Promise<void>
}

/** Long enough for compression to be worth it. */
const padding = 'x'.repeat(3_000)

/** The answer of a verb that is not under test. */
function fakeList(query: FundamentalsQuery): FundamentalsList {
  return {
    object: 'fundamentals_list',
    ticker: query.ticker ?? '',
    issuer_id: '1',
    name: padding,
    market: 'US',
    as_of: query.as_of ?? '2026-07-01',
    view: query.view ?? 'history',
    data_version: 1,
    attribution: [],
    count: 0,
    data: [],
  }
}

async function planFundamentals(principal: Principal, query: FundamentalsQuery) {
  if (query.ticker === 'NONE')
    throw new Failure('entity_unknown', 'No such entity.', { near: ['ONE', 'N', 'E', 'X'] })
  if (query.ticker === 'BROKEN') throw new Error('secret detail of a defect')
  return {
    cacheKey: JSON.stringify([principal.licence, query.ticker, query.as_of, query.view]),
    make: async (format: DataFormat) => ({
      content: format === 'json' ? JSON.stringify(fakeList(query)) : `m\r\n${query.ticker}\r\n`,
    }),
  }
}

const encode = (text: string) => new TextEncoder().encode(text)

const bytes = (text: string) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(text))
      controller.close()
    },
  })

const unasked = () => Promise.reject(new Error('no test asks for it'))
const noPanels = { store: unasked, list: unasked, read: unasked, delete: unasked }

/** The real app on a real port, with real keys and limits on `sql`, and verbs that answer something of their own
 * unless `change` says otherwise. The address of a client is what X-Forwarded-For says. */
export async function testServer(sql: Sql, change: Partial<Services> = {}): Promise<TestServer> {
  const logged: Record<string, unknown>[] = []
  const known = new KnownKeys()
  const gate = new LimitGate({
    takeHits: hits => takeHits(sql, hits),
    elapsedMs: () => performance.now(),
    timeoutMs: 5_000,
  })
  const services: Services = {
    settings: {
      baseUrl: 'http://localhost:3000',
      version: '0.0.0',
      bodyLimitMb: 1,
      trustedProxies: ['127.0.0.0/8'],
    },
    log: pino({ level: 'info' }, { write: line => logged.push(JSON.parse(line)) }),
    elapsedMs: () => performance.now(),
    today: () => '2026-07-01',
    access: { findKey: digest => findKey(sql, digest), known, gate, epochMs: () => Date.now() },
    dataVersion: () => 1,
    explain: explainDatabaseError,
    readiness: async () => [],
    planFundamentals,
    planRestatements: (principal, query) => ({
      cacheKey: JSON.stringify([principal.licence, query]),
      make: async () => ({ content: padding, next: 'abc' }),
    }),
    planCrossSection: (principal, query) => ({
      cacheKey: JSON.stringify([principal.licence, query]),
      make: async () => ({ content: padding, next: 'abc' }),
    }),
    coverageIndex: async () => ({
      object: 'coverage',
      data_version: 1,
      markets: [],
      manifests: [],
      metrics: [],
      tickers: { count: 0, data: [], next: null },
    }),
    checkCoverage: async (_, id) => ({
      object: 'coverage_check',
      id,
      ticker: id,
      issuer_id: id,
      name: null,
      market: 'US',
      aliases: [],
      data_version: 1,
      first_filed: null,
      last_filed: null,
      count: 0,
      data: [],
    }),
    planSignals: (principal, query) => ({
      cacheKey: JSON.stringify([principal.quant, query]),
      open: async () => ({ next: 'abc', body: bytes(`{"object":"signal_list","pad":"${padding}"}`) }),
    }),
    runBacktest: async (_keyId, { bytes }, form) => {
      const result = madeResult([0.01], { n_rows: bytes.length })
      return encode(form === 'html' ? `<p>${result.n_rows} rows ${padding}` : JSON.stringify(result))
    },
    tearSheet: {
      policy: "default-src 'none'",
      write: async result => encode(`<p>${JSON.parse(result).n_rows} rows ${padding}`),
    },
    jobs: makeJobs(sql, () => 1).services,
    panels: noPanels,
    search: async q => [{ ticker: q.slice(0, 9), name: null, market: 'US' }],
    ...change,
  }
  const unwatch = await watchAccess(sql, () => known.forget())
  const app = createApp(services).listen({ hostname: '127.0.0.1', port: 0 })
  const port = app.server?.port ?? 0
  return {
    services,
    url: `http://127.0.0.1:${port}`,
    port,
    app,
    logged,
    stop: async () => {
      await app.server?.stop(true)
      await unwatch()
    },
  }
}
