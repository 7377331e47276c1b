import { afterAll, beforeAll, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import panelExamples from '../../../src/http/docs/examples/panels.json' with { type: 'json' }
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { callers, sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

let server: RealServer
let quant = ''
let stranger = ''

beforeAll(async () => {
  server = await realServer()
  quant = (await callers(server.sql)).quant ?? ''
  stranger = `Bearer ${await sellKey(server.sql, { quant: true })}`
}, 180_000)
afterAll(() => server.stop(), 60_000)

interface PanelRequest {
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly type?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

async function ask({ method, path = '', key = quant, type, body, headers = {} }: PanelRequest) {
  const response = await fetch(`${server.url}${path.startsWith('/api') ? path : `/api/v1/panels${path}`}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { Authorization: key, ...(type ? { 'Content-Type': type } : {}), ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

const json = 'application/json'
const documented = JSON.stringify({ panel: requests.backtest_panel.panel })
const store = (key = quant) => ask({ type: json, body: documented, key })
const backtest = (panel: unknown, key = quant) =>
  ask({
    path: '/api/v1/backtest',
    type: json,
    key,
    body: JSON.stringify({ config: requests.backtest_panel.config, panel }),
  })

test('a panel is stored, found, listed, backtested like its rows, and deleted', async () => {
  const stored = await store()
  expect(stored.status).toBe(201)
  const { id, created_at, expires_at } = stored.body
  expect(stored.body).toEqual({ ...panelExamples.panel, id, created_at, expires_at })
  expect(stored.headers.get('location')).toBe(`/api/v1/panels/${id}`)

  const again = await ask({ type: 'text/csv', body: requests.backtest_csv })
  expect([again.status, again.body.id, again.headers.get('location')]).toEqual([200, id, null])

  const found = await ask({ path: `/${id}` })
  expect([found.status, found.body.id]).toEqual([200, id])
  const tag = found.headers.get('etag') ?? ''
  expect((await ask({ path: `/${id}`, headers: { 'If-None-Match': tag } })).status).toBe(304)
  const list = await ask({})
  expect([list.status, list.body.object, list.body.count, list.body.data[0].id]).toEqual([
    200,
    'panel_list',
    1,
    id,
  ])

  const named = await backtest(id)
  const sent = await backtest(requests.backtest_panel.panel)
  expect(named.status).toBe(200)
  const { panel: echoed, ...request } = named.body.request
  expect(echoed).toBe(id)
  expect({ ...named.body, request }).toEqual(sent.body)

  const deleted = await ask({ path: `/${id}`, method: 'DELETE' })
  expect([deleted.status, deleted.body]).toEqual([200, { object: 'panel', id, deleted: true }])
  for (const gone of [
    await ask({ path: `/${id}` }),
    await ask({ path: `/${id}`, method: 'DELETE' }),
    await backtest(id),
  ]) {
    expect([gone.status, gone.body.error.code]).toEqual([404, 'entity_unknown'])
  }
})

test('another key sees nothing of it', async () => {
  const { id } = (await store()).body
  for (const answer of [
    await ask({ path: `/${id}`, key: stranger }),
    await ask({ path: `/${id}`, method: 'DELETE', key: stranger }),
    await backtest(id, stranger),
  ]) {
    expect([answer.status, answer.body.error.code]).toEqual([404, 'entity_unknown'])
  }
  expect((await ask({ key: stranger })).body.count).toBe(0)
  expect((await ask({ path: `/${id}` })).status).toBe(200)
})

const faults: [string, PanelRequest, number, string, string | null][] = [
  [
    'no Content-Type',
    { method: 'POST', body: documented, type: '' },
    415,
    'media_type_unsupported',
    'Content-Type',
  ],
  [
    'a query',
    { path: '?config={}', type: 'text/csv', body: requests.backtest_csv },
    400,
    'parameter_unknown',
    'config',
  ],
  ['config in the body', { type: json, body: '{"config":{}}' }, 400, 'parameter_unknown', 'config'],
  ['no rows', { type: json, body: '{"panel":[]}' }, 422, 'backtest_impossible', 'panel'],
  [
    'a broken line',
    { type: 'text/csv', body: 'date,asset,score,forward_return\n1,2' },
    400,
    'body_invalid',
    'line 2',
  ],
  ['an id that is none', { path: '/abc' }, 400, 'parameter_invalid', 'id'],
  ['a method it has not', { path: '', method: 'PUT' }, 405, 'method_not_allowed', null],
  ['a body of spaces', { type: json, body: ' '.repeat(65 * 2 ** 20) }, 400, 'malformed_json', null],
]
for (const [what, request, status, code, param] of faults) {
  test(`${what}: ${status} ${code}`, async () => {
    const answer = await ask(request)
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param])
  })
}

/** A file of test/commands/fixtures, which pandas and Polars wrote of the same rows. */
const fixture = (name: string) => Bun.file(resolve(import.meta.dir, '../../commands/fixtures', name)).bytes()

test('the same rows as Parquet, under each name of its media type, are the panel that they are as CSV', async () => {
  const csv = await ask({ type: 'text/csv', body: await fixture('panel.csv') })
  expect(csv.status).toBe(201)
  const parquet = await fixture('pandas-zstd-v2.parquet')
  for (const type of [
    'application/vnd.apache.parquet',
    'application/parquet',
    'application/x-parquet',
    'application/octet-stream',
  ]) {
    const stored = await ask({ type, body: parquet })
    expect([type, stored.status, stored.body.id]).toEqual([type, 200, csv.body.id])
  }
  await ask({ path: `/${csv.body.id}`, method: 'DELETE' })
})

test('a Parquet file that is none, or has other columns, is refused with the reason', async () => {
  const type = 'application/vnd.apache.parquet'
  const broken = await ask({ type, body: 'date,asset,score,forward_return\n' })
  expect([broken.status, broken.body.error.code]).toEqual([400, 'body_invalid'])
  expect(broken.body.error.message).toStartWith('It cannot be read as Parquet')
  const other = new Uint8Array(
    parquetWriteBuffer({ columnData: [{ name: 'date', data: ['2024-01-02'], type: 'STRING' }] }),
  )
  const refused = await ask({ type, body: other })
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    'The column asset is missing. Required columns: date, asset, score, forward_return. Optional: market, dollar_volume, group, close, borrow_bps.',
  ])
})
