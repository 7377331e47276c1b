import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { tableFromArrays, tableToIPC } from '@uwdata/flechette'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { build, makeBulkFolder } from '../../features/bulk/releases.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sellKey } from '../callers.ts'
import { type RealServer, realServer } from '../realServer.ts'

/** Asks each route of /openapi.json for each media type that it declares, and sends it a body in each that it declares. */

setDefaultTimeout(120_000)

interface Operation {
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly example?: unknown }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> }>
  >
}

const { folder, remove } = makeBulkFolder()
let server: RealServer
let key: string
let operations: { readonly method: string; readonly path: string; readonly operation: Operation }[]
/** The id that a path names, by the path's beginning. */
const ids: Record<string, string> = {}

const send = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, {
    ...init,
    redirect: 'manual',
    headers: { Authorization: `Bearer ${key}`, ...Object(init.headers) },
  })

const json = { 'Content-Type': 'application/json' }

async function submit(path: string, body: unknown): Promise<string> {
  const headers = { ...json, Prefer: 'respond-async' }
  const { id } = await (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  return id
}

beforeAll(async () => {
  server = await realServer({ settings: { BULK_DIR: folder, JOB_CONCURRENCY: '1' } })
  await migrateQueue(server.databaseUrl)
  await build(server.sql, folder)
  key = await sellKey(server.sql, { licence: 'oem', quant: true, bulk: true, perMinute: 100_000 })
  const { paths } = await (await send('/openapi.json')).json()
  operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const { panel } = requests.backtest_panel
  ids['/api/v1/panels'] = (
    await (
      await send('/api/v1/panels', { method: 'POST', headers: json, body: JSON.stringify({ panel }) })
    ).json()
  ).id
  ids['/api/v1/backtests'] = await submit('/api/v1/backtest', { panel })
  ids['/api/v1/as-of'] = await submit('/api/v1/as-of', requests.as_of)
  ids['/api/v1/audits'] = await submit('/api/v1/audits', requests.audit)
})
afterAll(async () => {
  await server.stop()
  remove()
})

const essenceOf = (response: Response) => response.headers.get('content-type')?.split(';')[0] ?? null

/** Of a bulk release the file decides the media type, and of a submitted join the request that submitted it. */
const files: Readonly<Record<string, string>> = {
  'application/json': 'manifest.json',
  'text/plain': 'SHA256SUMS',
}

async function pathFor(path: string, type: string): Promise<string> {
  if (path.includes('{file}')) {
    const manifest = await (await send('/api/v1/bulk')).json()
    const [{ data_version: version }] = manifest.releases
    const whole = await (await send(`/api/v1/bulk/${version}/manifest.json`)).json()
    return `/api/v1/bulk/${version}/${files[type] ?? whole.files[0].path}`
  }
  const parent = path.replace(/\/\{id\}.*/, '')
  const id = ids[parent] ?? (parent.endsWith('coverage') ? '320193' : 'AAPL')
  return path.replace('{id}', id).replace('{name}', 'accruals')
}

test('each GET answers each media type of its 200, where Accept names it', async () => {
  const asked: string[] = []
  for (const { method, path, operation } of nonEmpty(operations)) {
    // The jobs of this server do not run: the result of a join, and that of a backtest as a page, are those of the synchronous request.
    // This server has no prices, whose formats test/features/prices/priceRoutes.test.ts reads.
    if (method !== 'get' || path.endsWith('/result') || path.includes('{set}')) continue
    const query = operation.parameters.filter(
      ({ in: place, example }) => place === 'query' && example !== undefined,
    )
    const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)])).toString()
    for (const type of Object.keys(operation.responses[200]?.content ?? {})) {
      if (path === '/api/v1/backtests/{id}' && type === 'text/html') continue
      const response = await send(`${await pathFor(path, type)}${search === '' ? '' : `?${search}`}`, {
        headers: { Accept: type },
      })
      expect([path, response.status, essenceOf(response)]).toEqual([path, 200, type])
      await response.body?.cancel()
      asked.push(type)
    }
  }
  expect(asked.length).toBeGreaterThan(35)
})

/** The text of a body of rows as Parquet. */
function asParquet(csv: string): Uint8Array<ArrayBuffer> {
  const [names = [], ...rows] = csv
    .trim()
    .split('\n')
    .map(line => line.split(','))
  const columnData = names.map((name, n) => {
    const cells = rows.map(row => row[n] ?? '')
    const isNumber = cells.every(cell => cell !== '' && !Number.isNaN(Number(cell)))
    return {
      name,
      data: isNumber ? cells.map(Number) : cells,
      type: isNumber ? ('DOUBLE' as const) : ('STRING' as const),
    }
  })
  return new Uint8Array(parquetWriteBuffer({ columnData }))
}

/** The same rows as an Arrow stream. */
async function asArrow(csv: string): Promise<Uint8Array<ArrayBuffer>> {
  const rows = await parquetReadObjects({ file: asParquet(csv).buffer })
  const names = Object.keys(rows[0] ?? {})
  const columns = Object.fromEntries(names.map(name => [name, rows.map(row => row[name])]))
  return new Uint8Array(tableToIPC(tableFromArrays(columns), { format: 'stream' }) ?? [])
}

interface Sent {
  readonly json: object
  readonly csv: string
  readonly ndjson: string
  /** The settings of a body that has only rows. */
  readonly query: string
}

const { panel } = requests.backtest_panel
const rows = requests.backtest_ndjson.slice(requests.backtest_ndjson.indexOf('\n') + 1)
const auditNdjson = requests.audit.rows.date
  .map((date, i) =>
    JSON.stringify({ date, ticker: requests.audit.rows.ticker[i], revenue: requests.audit.rows.revenue[i] }),
  )
  .join('\n')
const bodies: Readonly<Record<string, Sent>> = {
  '/api/v1/as-of': {
    json: requests.as_of,
    csv: requests.as_of_csv,
    ndjson: requests.as_of_ndjson,
    query: '?metrics=revenue',
  },
  '/api/v1/audits': { json: requests.audit, csv: requests.audit_csv, ndjson: auditNdjson, query: '' },
  '/api/v1/backtest': {
    json: requests.backtest_panel,
    csv: requests.backtest_csv,
    ndjson: requests.backtest_ndjson,
    query: '',
  },
  '/api/v1/backtests/batch': { json: requests.batch_configs, csv: '', ndjson: '', query: '' },
  '/api/v1/panels': { json: { panel }, csv: requests.backtest_csv, ndjson: rows, query: '' },
}

async function contentOf(type: string, sent: Sent): Promise<string | Uint8Array<ArrayBuffer>> {
  if (type === 'application/json') return JSON.stringify(sent.json)
  if (type === 'text/csv') return sent.csv
  if (type.includes('arrow')) return asArrow(sent.csv)
  return type === 'application/x-ndjson' ? sent.ndjson : asParquet(sent.csv)
}

test('each POST takes each media type of its body, and answers each of its 200 and 202', async () => {
  for (const { method, path, operation } of nonEmpty(operations)) {
    // A report is shared without a body: test/features/sharedReports.
    // Nor does this server have prices: test/features/prices.
    if (method !== 'post' || operation.requestBody === undefined || path.includes('{set}')) continue
    const sent = bodies[path]
    expect([path, sent === undefined]).toEqual([path, false])
    if (sent === undefined) continue
    for (const type of Object.keys(operation.requestBody?.content ?? {}))
      for (const accept of Object.keys(operation.responses[200]?.content ?? {})) {
        const response = await send(`${path}${type === 'application/json' ? '' : sent.query}`, {
          method: 'POST',
          headers: { 'Content-Type': type, Accept: accept },
          body: await contentOf(type, sent),
        })
        const found = [path, type, response.status, essenceOf(response)]
        expect(found).toEqual([path, type, path.endsWith('panels') ? expect.any(Number) : 200, accept])
        expect(response.ok).toBe(true)
        await response.body?.cancel()
      }
    if (operation.responses[202] === undefined) continue
    const later = await send(path, {
      method: 'POST',
      headers: { ...json, Prefer: 'respond-async' },
      body: JSON.stringify(sent.json),
    })
    expect([path, later.status, essenceOf(later)]).toEqual([path, 202, 'application/json'])
  }
})

test('a file of a release answers 206, 302, 304 and 416 as it declares', async () => {
  const path = await pathFor('/api/v1/bulk/{version}/{file}', 'application/vnd.apache.parquet')
  const whole = await send(path, { method: 'HEAD' })
  const tag = whole.headers.get('etag') ?? ''
  const statuses = [
    await send(path, { headers: { Range: 'bytes=0-9', 'If-Range': tag } }),
    await send(path, { headers: { Range: 'bytes=999999999-' } }),
    await send(path, { headers: { 'If-None-Match': tag } }),
    await send('/api/v1/bulk/latest/SHA256SUMS'),
    // Always whole: half of one manifest and half of a newer one would be neither.
    await send(path.replace(/[^/]+$/, 'manifest.json'), { headers: { Range: 'bytes=0-9' } }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([206, 416, 304, 302, 200])
})
