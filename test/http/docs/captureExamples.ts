import { resolve } from 'node:path'
import { ComputePool, type PoolSettings } from '../../../src/backtest/pool/computePool.ts'
import { openMarkets } from '../../../src/features/bulk/openMarkets.ts'
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { loadMarkets } from '../../../src/markets/markets.ts'
import { stopTestDatabase } from '../../database.ts'
import { build, makeBulkFolder } from '../../features/bulk/releases.ts'
import { type CallerName, callers } from '../callers.ts'
import { databaseError, interceptSql, statementTimeout } from '../interceptSql.ts'
import { type RealServer, realServer } from '../realServer.ts'
import { testServer } from '../testServer.ts'

/** The answers in src/http/docs/examples, which the documentation shows: `bun test/http/docs/captureExamples.ts` requests them
 * from the real service and writes the files; examples.test.ts requests them and compares. */

const fundamentals = '/api/v1/fundamentals'
const apple = `${fundamentals}?ticker=AAPL&metric=revenue&from=2009-09-26`
const frame = '/api/v1/frames?tag=us-gaap:Assets&period=CY2009Q2I&market=US&as_of=2009-08-31'
const crossSection = '/api/v1/cross-section?metric=roe&market=US'
const restatements = '/api/v1/restatements?metric=revenue&market=US'
const strategyValues = '/api/v1/strategies/accruals/values?market=US&as_of=2019-12-31&limit=1'
const universe = '/api/v1/universe?market=US&as_of=2010-03-31&limit=3'
const filings = '/api/v1/filings?ticker=AAPL&as_of=2010-02-01'
const backtest = '/api/v1/backtest'

interface Ask {
  caller: CallerName
  path: string
  method?: string
  body?: string
  type?: string
  idempotencyKey?: string
}

const answers: Record<string, Ask> = {
  fundamentals_before: { caller: 'personal', path: `${apple}&as_of=2009-12-31` },
  fundamentals_after: { caller: 'personal', path: `${apple}&as_of=2010-02-01` },
  fundamentals_csv: { caller: 'personal', path: `${apple}&as_of=2010-02-01&format=csv` },
  fundamentals_ndjson: { caller: 'personal', path: `${apple}&as_of=2010-02-01&format=ndjson` },
  fundamentals_several: {
    caller: 'personal',
    path: `${fundamentals}?ticker=AAPL,GOOGL&metric=revenue&view=latest&as_of=2016-06-30`,
  },
  fundamentals_first: { caller: 'personal', path: `${apple}&as_of=2010-02-01&vintage=first` },
  fundamentals_wide: {
    caller: 'personal',
    path: `${fundamentals}?ticker=AAPL&metric=revenue,net_income,eps&fp=FY&from=2008-09-27&as_of=2010-02-01&layout=wide`,
  },
  fundamentals_splits: {
    caller: 'personal',
    path: `${fundamentals}?ticker=AAPL&metric=eps_diluted&fp=FY&fy=2017..2018&vintage=latest&as_of=2020-12-31&adjust=splits`,
  },
  fundamentals_lines: {
    caller: 'personal',
    path: `${fundamentals}?ticker=AAPL&metric=revenue,cash&fp=Q3&fy=2009&as_of=2009-07-31&fields=accession,statement,line,label`,
  },
  frame: { caller: 'personal', path: `${frame}&limit=3` },
  frame_csv: { caller: 'personal', path: `${frame}&limit=2&format=csv` },
  frame_ndjson: { caller: 'personal', path: `${frame}&limit=2&format=ndjson` },
  cross_section: { caller: 'personal', path: `${crossSection}&as_of=2020-12-31&limit=2` },
  cross_section_csv: { caller: 'personal', path: `${crossSection}&as_of=2020-12-31&limit=2&format=csv` },
  cross_section_ndjson: {
    caller: 'personal',
    path: `${crossSection}&as_of=2020-12-31&limit=2&format=ndjson`,
  },
  cross_section_table: {
    caller: 'personal',
    path: '/api/v1/cross-section?metric=revenue,roe,shares_outstanding&market=US&as_of=2010-03-31&min_revenue=150000000000',
  },
  as_of: { caller: 'personal', path: '/api/v1/as-of', body: JSON.stringify(requests.as_of) },
  audit: { caller: 'personal', path: '/api/v1/audits', body: JSON.stringify(requests.audit) },
  audit_csv: {
    caller: 'personal',
    path: '/api/v1/audits?format=csv&columns={"revenue":{"metric":"revenue","fp":"FY","scale":1000000}}',
    body: requests.audit_csv,
    type: 'text/csv',
  },
  audit_ndjson: {
    caller: 'personal',
    path: '/api/v1/audits?format=ndjson&columns={"revenue":{"metric":"revenue","fp":"FY","scale":1000000}}',
    body: requests.audit_csv,
    type: 'text/csv',
  },
  as_of_csv: {
    caller: 'personal',
    path: '/api/v1/as-of?metrics=revenue,roe&format=csv',
    body: requests.as_of_csv,
    type: 'text/csv',
  },
  as_of_ndjson: {
    caller: 'personal',
    path: '/api/v1/as-of?metrics=revenue,roe&format=ndjson',
    body: requests.as_of_ndjson,
    type: 'application/x-ndjson',
  },
  restatements: { caller: 'personal', path: `${restatements}&from=2010-01-01&as_of=2010-06-30` },
  restatements_csv: {
    caller: 'personal',
    path: `${restatements}&from=2010-01-01&as_of=2010-06-30&format=csv`,
  },
  restatements_ndjson: {
    caller: 'personal',
    path: `${restatements}&from=2010-01-01&as_of=2010-06-30&format=ndjson`,
  },
  ...Object.fromEntries(
    Object.entries({
      statement: 'statements?ticker=AAPL&statement=income&fp=FY&as_of=2010-02-01',
      standard_statement: 'statements?ticker=AAPL&statement=income&view=standard&filings=1',
      reported: 'reported?ticker=AAPL&tag=us-gaap:NetIncomeLoss&as_of=2010-02-01&limit=4',
      segments: 'segments?ticker=AAPL&metric=revenue&axis=product',
    }).flatMap(([name, path]) => [
      [name, { caller: 'personal', path: `/api/v1/${path}` }],
      [`${name}_csv`, { caller: 'personal', path: `/api/v1/${path}&format=csv` }],
      [`${name}_ndjson`, { caller: 'personal', path: `/api/v1/${path}&format=ndjson` }],
    ]),
  ),
  company_names: { caller: 'personal', path: '/api/v1/companies?ticker=AAPL,0001652044,NOSUCH' },
  coverage_index: { caller: 'personal', path: `${fundamentals}?market=US&limit=2` },
  filings: { caller: 'personal', path: `${filings}&form=10-K,10-K/A` },
  filings_csv: { caller: 'personal', path: `${filings}&form=10-K,10-K/A&format=csv` },
  filings_ndjson: { caller: 'personal', path: `${filings}&form=10-K,10-K/A&format=ndjson` },
  strategies: { caller: 'demo', path: '/api/v1/strategies' },
  strategy: { caller: 'demo', path: '/api/v1/strategies/accruals' },
  strategy_values: { caller: 'personal', path: strategyValues },
  strategy_values_csv: { caller: 'personal', path: `${strategyValues}&format=csv` },
  strategy_values_ndjson: { caller: 'personal', path: `${strategyValues}&format=ndjson` },
  universe: { caller: 'personal', path: universe },
  universe_csv: { caller: 'personal', path: `${universe}&format=csv` },
  universe_ndjson: { caller: 'personal', path: `${universe}&format=ndjson` },
  metrics: { caller: 'demo', path: '/api/v1/metrics?market=NZ' },
  company: { caller: 'demo', path: '/api/v1/companies/AAPL' },
  check_coverage: { caller: 'demo', path: '/api/v1/coverage?market=US' },
  coverage_check: { caller: 'demo', path: '/api/v1/coverage/320193' },
  signals: { caller: 'demo', path: '/api/v1/signals?limit=2' },
  signals_ndjson: { caller: 'demo', path: '/api/v1/signals?limit=2&format=ndjson' },
  signals_csv: { caller: 'demo', path: '/api/v1/signals?limit=2&format=csv' },
  search: { caller: 'keyless', path: '/api/search?q=apple' },
  backtest: { caller: 'quant', path: backtest, body: JSON.stringify(requests.backtest_panel) },
  backtest_shipped: { caller: 'quant', path: backtest, body: JSON.stringify(requests.backtest_shipped) },
  backtest_evidence: {
    caller: 'quant',
    path: backtest,
    body: JSON.stringify(requests.backtest_evidence),
  },
  batch: { caller: 'quant', path: '/api/v1/backtests/batch', body: JSON.stringify(requests.batch_configs) },
  backtest_capacity: {
    caller: 'quant',
    path: backtest,
    body: JSON.stringify(requests.backtest_capacity),
  },
  changes: { caller: 'redistribution', path: '/api/v1/changes?since=0&limit=2' },
  changes_csv: { caller: 'redistribution', path: '/api/v1/changes?since=0&limit=2&format=csv' },
  changes_ndjson: { caller: 'redistribution', path: '/api/v1/changes?since=0&limit=2&format=ndjson' },
  bulk: { caller: 'redistribution', path: '/api/v1/bulk' },
  bulk_manifest: { caller: 'redistribution', path: '/api/v1/bulk/latest/manifest.json' },
  me: { caller: 'evaluation', path: '/api/v1/me' },
  health: { caller: 'keyless', path: '/health' },
  readiness: { caller: 'keyless', path: '/ready' },
}

const oneRow = { panel: [{ date: '2024-01-02', asset: 'A', score: 1, forward_return: 0.1 }] }
const panel = JSON.stringify(requests.backtest_panel)

const errors: Record<string, Ask> = {
  malformed_json: { caller: 'quant', path: backtest, body: '{"panel":[' },
  parameter_unknown: { caller: 'demo', path: `${fundamentals}?ticker=AAPL&asof=2010-02-01` },
  parameter_repeated: { caller: 'demo', path: `${fundamentals}?ticker=AAPL&ticker=GOOGL` },
  parameter_invalid: { caller: 'demo', path: `${fundamentals}?ticker=AAPL&as_of=2024-02-30` },
  body_invalid: { caller: 'quant', path: backtest, body: '[]' },
  key_missing: { caller: 'keyless', path: `${fundamentals}?ticker=AAPL` },
  key_malformed: { caller: 'malformed', path: `${fundamentals}?ticker=AAPL` },
  key_unknown: { caller: 'unknown', path: `${fundamentals}?ticker=AAPL` },
  key_revoked: { caller: 'revoked', path: `${fundamentals}?ticker=AAPL` },
  key_expired: { caller: 'expired', path: `${fundamentals}?ticker=AAPL` },
  licence_required: { caller: 'demo', path: `${fundamentals}?ticker=SNOW&as_of=2023-12-31` },
  quant_required: { caller: 'personal', path: backtest, body: panel },
  entity_cap_reached: { caller: 'evaluation', path: `${fundamentals}?ticker=AAPL` },
  form_refused: {
    caller: 'keyless',
    path: '/sign-in',
    body: 'email=ana%40fund.example',
    type: 'application/x-www-form-urlencoded',
  },
  route_unknown: { caller: 'demo', path: '/api/v1/fundamental' },
  entity_unknown: { caller: 'demo', path: `${fundamentals}?ticker=APPL` },
  method_not_allowed: { caller: 'demo', path: fundamentals, method: 'DELETE' },
  body_too_large: { caller: 'quant', path: backtest, body: ' '.repeat(65 * 1_024 * 1_024) },
  media_type_unsupported: { caller: 'quant', path: backtest, body: 'date,asset', type: 'text/plain' },
  backtest_impossible: { caller: 'quant', path: backtest, body: JSON.stringify({ ...oneRow, source: {} }) },
  conflict: { caller: 'quant', path: '/api/v1/panels', body: JSON.stringify(oneRow) },
  rate_limited_minute: { caller: 'oem', path: `${fundamentals}?ticker=AAPL` },
  rate_limited_day: { caller: 'free', path: `${fundamentals}?ticker=AAPL` },
}

/** Of a server whose parts fail. */
const failing: Record<string, Ask> = {
  compute_timeout: { caller: 'quant', path: backtest, body: panel },
  database_unavailable: { caller: 'demo', path: '/api/v1/coverage/1' },
  statement_timeout: { caller: 'demo', path: '/api/v1/coverage/2' },
  internal: { caller: 'demo', path: '/api/v1/coverage/3' },
}

type Keys = Record<CallerName, string | null>
let address = 0

async function ask(url: string, keys: Keys, wanted: Ask): Promise<unknown> {
  const { caller, path, method, body, type, idempotencyKey } = wanted
  const headers: Record<string, string> = {
    'X-Request-Id': 'example-1',
    'X-Forwarded-For': `10.30.0.${++address}`,
    ...(keys[caller] === null ? {} : { Authorization: keys[caller] }),
    ...(body === undefined ? {} : { 'Content-Type': type ?? 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  }
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const text = steady(await response.text())
  return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
}

/** What differs from run to run: prefixes of keys and times to wait. */
function steady(text: string): string {
  return text
    .replace(/asf_live_\w{8}\.\.\./g, 'asf_live_4fT9aB2x...')
    .replace(/"asf_live_\w{8}"/g, '"asf_live_4fT9aB2x"')
    .replace(/(Wait|in) \d+ s\b/g, '$1 42 s')
    .replace(/longer than \S+ s\b/g, 'longer than 60 s')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '5d0a3a44-6f0b-4a55-9d7e-2f1c80c1a9d3')
}

type Json = Record<string, unknown>

/** A list is shown by its first entries; what it says of itself (`count`) stays. */
function shorten(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const list: Json = { ...value }
  for (const [name, max] of Object.entries({ markets: 2, manifests: 1, metrics: 3 })) {
    if (Array.isArray(list[name])) list[name] = list[name].slice(0, max)
  }
  if (['coverage_check', 'check_coverage'].includes(String(list.object)) && Array.isArray(list.data))
    list.data = list.data.slice(0, 3)
  if (list.object === 'metric_list' && Array.isArray(list.data)) list.data = list.data.slice(0, 2)
  if (list.object === 'bulk_manifest') {
    for (const name of ['files', 'schema', 'licence', 'attribution'])
      if (Array.isArray(list[name])) list[name] = list[name].slice(0, 2)
    if (Array.isArray(list.reported))
      list.reported = list.reported.map((table: { files: unknown[]; schema: unknown[] }) => ({
        ...table,
        files: table.files.slice(0, 2),
        schema: table.schema.slice(0, 2),
      }))
  }
  if (list.object === 'company' && Array.isArray(list.metrics)) list.metrics = list.metrics.slice(0, 2)
  return list
}

export interface Captured {
  answers: Record<string, unknown>
  errors: Record<string, unknown>
}

export async function captureExamples(): Promise<Captured> {
  const { folder, remove } = makeBulkFolder()
  const server = await realServer({ settings: { BULK_DIR: folder } })
  await build(server.sql, folder, { manifests: openMarkets((await loadMarkets()).manifests, []) })
  const keys = await callers(server.sql)
  await tighten(server, keys)
  const broken = await failingServer(server, { timeLimitMs: 0.001 })
  const captured: Captured = { answers: {}, errors: {} }
  for (const [name, request] of Object.entries(answers)) {
    captured.answers[name] = shorten(await ask(server.url, keys, request))
  }
  for (const [name, request] of Object.entries(errors)) {
    if (name.startsWith('rate_limited')) await useUpLimit(server, keys, request.caller)
    captured.errors[name] = await ask(server.url, keys, request)
  }
  for (const [name, request] of Object.entries(failing)) {
    captured.errors[name] = await ask(broken.url, keys, request)
  }
  const lossy = await failingServer(server, {
    worker: new URL('../../backtest/pool/fixtures/misbehave.ts', import.meta.url),
  })
  captured.errors.compute_lost = await ask(lossy.url, keys, failing.compute_timeout)
  await lossy.stop()
  captured.errors.compute_busy = await busy(broken.url, keys)
  const sent = { caller: 'quant', path: backtest, body: panel, idempotencyKey: 'example' } as const
  await ask(server.url, keys, sent)
  captured.errors.idempotency_reused = await ask(server.url, keys, { ...sent, body: '{}' })
  await reopenClaim(server)
  captured.errors.idempotency_in_flight = await ask(server.url, keys, sent)
  await broken.stop()
  server.resources.draining.begin()
  captured.errors.shutting_down = await ask(server.url, keys, answers.readiness)
  await server.stop()
  remove()
  return captured
}

/** More backtests at once than the queue takes: some are turned away. */
async function busy(url: string, keys: Keys): Promise<unknown> {
  const many = Array.from({ length: 30 }, () => ask(url, keys, failing.compute_timeout))
  return (await Promise.all(many)).find(answer => JSON.stringify(answer).includes('compute_busy'))
}

/** Grants that are used up, so that the limits answer. */
async function tighten({ sql }: RealServer, keys: Keys): Promise<void> {
  const prefixOf = (caller: CallerName) => keys[caller]?.slice('Bearer '.length, 'Bearer '.length + 17) ?? ''
  const idOf = (caller: CallerName) => sql`(select key_id from api_key where prefix = ${prefixOf(caller)})`
  await sql`insert into key_entity (key_id, entity_id) select ${idOf('evaluation')}, -n from generate_series(1, 1000) n`
  await sql`
    insert into panel (key_id, content, row_count, date_count, asset_count, packed_bytes)
    select ${idOf('quant')}, sha256(n::text::bytea), 1, 1, 1, 1 from generate_series(1, 64) n`
}

/** Uses the limit of a caller up. The minute of a limit may be over a little later, so this comes right before its example. */
async function useUpLimit({ sql }: RealServer, keys: Keys, caller: CallerName): Promise<void> {
  const prefix = keys[caller]?.slice('Bearer '.length, 'Bearer '.length + 17) ?? ''
  await sql`
    insert into limit_counter (subject, minute, used, used_before, day, used_today, granted, at)
    select 'key:' || key_id, floor(extract(epoch from now()) / 60), 3000, 3000,
           floor(extract(epoch from now()) / 86400), ${caller === 'free' ? 5000 : 1}, 0, 0
    from api_key where prefix = ${prefix}`
}

/** As if the request were still under way, in a process that lives. */
async function reopenClaim({ sql }: RealServer): Promise<void> {
  const [{ id }] = await sql<{ id: string }[]>`
    update idempotency_claim set answer = null, process_id = gen_random_uuid() returning process_id as id`
  await sql`insert into job_process (process_id, locks) values (${id}, '{}')`
}

/** A server on the same database whose threads and whose coverage checks fail. */
async function failingServer({ sql, resources }: RealServer, change: Partial<PoolSettings>) {
  const pool = new ComputePool({ threads: 1, queue: 4, timeLimitMs: 20_000, ...change })
  const faults: Record<string, Error> = {
    1: databaseError('ECONNRESET'),
    2: databaseError(statementTimeout),
    3: new Error('a defect'),
  }
  const failing = interceptSql(sql, (text, [ids]) => {
    const fault = text.includes('with hit as') && Array.isArray(ids) ? faults[ids[0]] : undefined
    return fault && Promise.reject(fault)
  })
  const { log } = resources
  const server = await testServer(sql, { sql: failing, pool, log })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await pool.close()
    },
  }
}

if (import.meta.main) {
  const folder = resolve(import.meta.dir, '../../../src/http/docs/examples')
  const captured = await captureExamples()
  for (const [name, value] of Object.entries(captured)) {
    await Bun.write(resolve(folder, `${name}.json`), `${JSON.stringify(value, null, 2)}\n`)
  }
  await stopTestDatabase()
  process.exit(0)
}
