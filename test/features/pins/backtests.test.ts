import { afterAll, beforeAll, expect, test } from 'bun:test'
import { advanceDataVersion } from '../../../src/postgres/dataVersion.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { testServer, testToday } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { take } from '../signals/fixtures.ts'

const closing: (() => Promise<unknown>)[] = []
let first: RealServer
let key: string
let freeKey: string
beforeAll(async () => {
  first = await realServer()
  closing.push(first.stop)
  key = await sellKey(first.sql, { licence: 'commercial', quant: true })
  freeKey = await sellKey(first.sql, { licence: 'free', quant: true })
}, 180_000)
afterAll(async () => {
  for (const close of closing.reverse()) await close()
}, 180_000)

/** A second process on the same database, with empty memory. */
async function freshServer() {
  const server = await testServer(first.sql, {
    today: () => testToday,
    dataVersion: first.resources.dataVersion,
  })
  closing.push(server.stop)
  return server
}

async function post(
  url: string,
  body: unknown,
  { path = '/api/v1/backtest', type = 'application/json', by = key } = {},
) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { Authorization: `Bearer ${by}`, 'Content-Type': type },
  })
  return { status: response.status, text: await response.text() }
}

const panel = [1, 2, 3, 4, 5, 6].flatMap(day =>
  ['A', 'B', 'C'].map((asset, place) => ({
    date: `2024-01-0${day + 1}`,
    asset,
    score: (place * day) % 4,
    forward_return: 0.01 * ((place + day) % 3) - 0.005,
  })),
)

const requests: [string, object][] = [
  ['the archive with defaults', {}],
  [
    'a market of the archive',
    { source: { market: 'US', horizon: '7d', from: '2014-01-02' }, config: { quantile: 0.2 } },
  ],
  [
    'ranked by a metric',
    { source: { market: 'US', score: 'roe' }, config: { quantile: 0.5 }, include: ['positions', 'ic'] },
  ],
  [
    'a sweep',
    { source: { market: 'US' }, sweep: { quantile: [0.1, 0.3], holdDays: [1, 5] }, include: ['curves'] },
  ],
  ['a sweep ranked by a metric', { source: { market: 'US', score: 'roe' }, sweep: { quantile: [0.4, 0.5] } }],
  [
    'evidence',
    {
      source: { market: 'US' },
      include: ['interval', 'spa', 'cpcv'],
      evidence: { seed: 7, bootstraps: 200 },
    },
  ],
]

async function changeSignalsAndFigures(round: number): Promise<void> {
  const { sql } = first
  const lines = ['AAPL', 'GOOG', 'MSFT'].map(
    ticker => `2015-0${(round % 9) + 1}-05,${ticker},US,1d,0.${round + 1},-0.${round + 1}`,
  )
  await take(sql, lines, { correct: true })
  await sql.begin(async transaction => {
    await transaction`update signal set predicted = -predicted where extract(day from date) = ${round + 1}`
    await transaction`delete from signal where extract(day from date) = ${20 + (round % 5)} and horizon = 7`
    await transaction`
      update fact set value = -value
      where metric_id = (select metric_id from metric where name = 'roe') and period_end > '2010-12-31'`
    await transaction`update entity_ticker set entity_id = entity_id + 1 where ticker = 'GOOG'`
    await advanceDataVersion(transaction, { source: 'us', entities: 1, factsAdded: 1 })
  })
}

test('a result is run again from its own echo, to the bit, ten imports later, on a server that has never seen it', async () => {
  const results = new Map<string, string>()
  for (const [name, body] of requests) {
    const { status, text } = await post(first.url, body)
    expect([name, status, status === 200 ? '' : text]).toEqual([name, 200, ''])
    results.set(name, text)
  }
  const { data_version: version } = JSON.parse(results.get('the archive with defaults') ?? '')
  const batch = {
    items: [{}, { source: { market: 'US', score: 'roe' }, config: { quantile: 0.5 } }],
    data_version: version,
  }
  const batchBefore = await post(first.url, batch, { path: '/api/v1/backtests/batch' })
  for (let round = 0; round < 10; round++) await changeSignalsAndFigures(round)
  for (let tries = 0; tries < 100 && first.resources.dataVersion() < version + 20; tries++)
    await Bun.sleep(50)

  const fresh = await freshServer()
  for (const [name, text] of nonEmpty(results)) {
    const { request } = JSON.parse(text)
    expect([name, request.data_version]).toEqual([name, version])
    for (const server of [fresh, first])
      expect([name, (await post(server.url, request)).text]).toEqual([name, text])
    const now = JSON.parse((await post(first.url, { ...request, data_version: undefined })).text)
    expect([name, now.data_version]).toEqual([name, version + 20])
    expect([
      name,
      JSON.stringify(now.equity_curve) !== JSON.stringify(JSON.parse(text).equity_curve),
    ]).toEqual([name, true])
  }
  const lines = (text: string) => text.trim().split('\n').toSorted()
  const batchNow = await post(fresh.url, batch, { path: '/api/v1/backtests/batch' })
  expect(lines(batchNow.text)).toEqual(lines(batchBefore.text))
  expect(lines(batchNow.text).length).toBe(3)
}, 180_000)

test('rows of the caller are the same at every version: the version is accepted and echoed', async () => {
  const plain = JSON.parse((await post(first.url, { panel })).text)
  const named = JSON.parse((await post(first.url, { panel, data_version: 3 })).text)
  expect(named.data_version).toBe(3)
  expect(named.request).toEqual({ data_version: 3 })
  expect({ ...named, request: plain.request, data_version: undefined }).toEqual({
    ...plain,
    data_version: undefined,
  })
  const csv = ['date,asset,score,forward_return', ...panel.map(row => Object.values(row).join(','))].join(
    '\n',
  )
  const query = { path: '/api/v1/backtest?data_version=3', type: 'text/csv' }
  expect(JSON.parse((await post(first.url, csv, query)).text)).toEqual(named)
  const ndjson = [{ data_version: 3 }, ...panel].map(row => JSON.stringify(row)).join('\n')
  expect(JSON.parse((await post(first.url, ndjson, { type: 'application/x-ndjson' })).text)).toEqual(named)
  expect((await post(first.url, { panel, data_version: 3 }, { by: freeKey })).status).toBe(200)
}, 180_000)

test('a version is refused where the key has no licence for it, where it is not there, and in the wrong place', async () => {
  const refused = await post(first.url, { data_version: 3 }, { by: freeKey })
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining('data_version for the archive requires'),
  ])
  expect((await post(first.url, {}, { by: freeKey })).status).toBe(200)
  const late = await post(first.url, { data_version: 99_999 })
  expect([late.status, late.text]).toEqual([
    400,
    expect.stringContaining('data_version=99999 cannot be read: the newest is'),
  ])
  const place = await post(first.url, {}, { path: '/api/v1/backtest?data_version=3' })
  expect([place.status, place.text]).toEqual([400, expect.stringContaining('Put it into the JSON body')])
  expect((await post(first.url, { data_version: 'last' })).status).toBe(400)
}, 180_000)
