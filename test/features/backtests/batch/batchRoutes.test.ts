import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { makePanel } from '../../../../bench/backtest/makePanel.ts'
import { buildRankedDataset } from '../../../../src/backtest/pipeline/archiveDataset.ts'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../../src/backtest/pool/computePool.ts'
import { registerFormats } from '../../../../src/dates.ts'
import { BatchLine } from '../../../../src/features/backtests/batch/schema.ts'
import { shippedDatabase, type TestDatabase } from '../../../database.ts'
import { sellKey } from '../../../http/callers.ts'
import { type TestServer, testServer } from '../../../http/testServer.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { asPanel, signals } from '../backtestBench.ts'
import { linesOf, resultText } from './batchBench.ts'

registerFormats()
const lineCheck = TypeCompiler.Compile(BatchLine)
const pool = new ComputePool({ threads: 2, queue: 2, timeLimitMs: 20_000 })
let database: TestDatabase
let server: TestServer
let quant = ''
let other = ''

beforeAll(async () => {
  database = await shippedDatabase()
  const { sql } = database
  server = await testServer(sql, { pool }, { BODY_LIMIT_MB: '64', COMPUTE_THREADS: '2', COMPUTE_QUEUE: '2' })
  quant = await sellKey(sql, { quant: true })
  other = await sellKey(sql, { quant: true })
}, 180_000)
afterAll(async () => {
  await server.stop()
  await pool.close()
  await database.close()
}, 180_000)

const post = (
  path: string,
  body: unknown,
  { key = quant, signal = null as AbortSignal | null, type = 'application/json' } = {},
) =>
  fetch(`${server.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
    body: JSON.stringify(body),
    signal,
  })

const rows = asPanel(signals(80))
const configs = Array.from({ length: 20 }, (_, i) => ({ quantile: (i + 1) / 50, holdDays: 1 + (i % 5) }))

async function store(panel: unknown, key = quant): Promise<string> {
  const response = await post('panels', { panel }, { key })
  const { id }: { id: string } = await response.json()
  return id
}

/** The verdict of a line counts the other configurations of its batch: test/features/backtests/batch/batch.test.ts. */
function withoutVerdict(text: string): string {
  const { verdict, ...rest } = JSON.parse(text)
  expect(verdict.level).toBeString()
  return JSON.stringify(rest)
}

test('every line fits the documented schema, and results have the bytes of single requests, by id and in the body', async () => {
  const id = await store(rows)
  for (const panel of [rows, id]) {
    const response = await post('backtests/batch', { panel, configs })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const lines = linesOf(await response.text())
    for (const { text } of lines) expect(lineCheck.Errors(JSON.parse(text)).First()).toBeUndefined()
    expect(lines.length).toBe(configs.length + 1)
    for (const line of nonEmpty(lines.slice(0, 3))) {
      const single = await post('backtest', { panel, config: configs[line.index] })
      expect(withoutVerdict(resultText(line))).toBe(withoutVerdict(await single.text()))
    }
  }
})

test('a batch is one hit of the rate limit', async () => {
  const left = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'))
  const before = await post('backtests/batch', { panel: rows, configs })
  await before.text()
  const after = await post('backtests/batch', { panel: rows, configs })
  await after.text()
  expect(left(before) - left(after)).toBe(1)
})

test('items name panels and the archive side by side', async () => {
  const [a, b] = [await store(rows), await store(rows.slice(0, 300))]
  const items = [
    { panel: a, config: { quantile: 0.2 } },
    { panel: b, include: ['ic'] },
    { source: { market: 'US' }, config: { quantile: 0.2 } },
    { panel: a },
    {},
  ]
  const lines = linesOf(await (await post('backtests/batch', { items })).text())
  expect(lines.at(-1)).toMatchObject({ object: 'batch_summary', count: 5, failed: 0 })
  for (const line of nonEmpty(lines.slice(0, -1)))
    expect(withoutVerdict(resultText(line))).toBe(
      withoutVerdict(await (await post('backtest', items[line.index])).text()),
    )
})

const faults: [string, () => unknown, number, string, string][] = [
  [
    'a panel of another key',
    () => ({ items: [{}, {}, { panel: foreign }] }),
    404,
    'items[2].panel',
    'This key has no panel',
  ],
  [
    'an unknown shared panel',
    () => ({ configs: [{}], panel: foreign }),
    404,
    'panel',
    'This key has no panel',
  ],
  [
    'a shared source that the archive lacks',
    () => ({ configs: [{}], source: { market: 'ZZ' } }),
    422,
    'source.market',
    'ZZ',
  ],
  [
    'the archive by more scores than are held in memory',
    () => ({
      items: Array.from({ length: 9 }, (_, i) => ({
        source: { market: 'US', score: 'roe', maxAgeDays: 400 + i },
        config: {},
      })),
    }),
    422,
    'items[8].source.score',
    'the limit of a batch is 8',
  ],
  [
    'a shared metric without a licence',
    () => ({ configs: [{}], source: { market: 'US', score: 'reo' } }),
    400,
    'source.score',
    'roe',
  ],
]
let foreign = ''
for (const [what, body, status, param, message] of faults) {
  test(`${what} refuses the batch before its first line`, async () => {
    foreign = await store(rows.slice(0, 200), other)
    const response = await post('backtests/batch', body())
    const { error } = await response.json()
    expect([response.status, error.param]).toEqual([status, param])
    expect(error.message).toContain(message)
  })
}

test('only JSON is read, queries are unknown, and a key needs the quant plan', async () => {
  const csv = await post('backtests/batch', {}, { type: 'text/csv' })
  expect([csv.status, (await csv.json()).error.message]).toEqual([
    415,
    expect.stringContaining('POST /api/v1/panels'),
  ])
  expect((await post('backtests/batch?format=html', {})).status).toBe(400)
  expect((await post('backtests/batch', {}, { key: await sellKey(database.sql) })).status).toBe(403)
})

/** A panel whose batch takes seconds, written past the upload to save the time to send it. */
async function largePanel(): Promise<string> {
  const data = buildRankedDataset(makePanel(1_000, 400))
  const columns = {
    date: [] as string[],
    asset: [] as string[],
    score: [] as number[],
    forward_return: [] as number[],
  }
  const { days, offsets, asset, score, forwardReturn } = data
  for (let d = 0; d < days.length; d++)
    for (let row = offsets[d]; row < offsets[d + 1]; row++) {
      columns.date.push(new Date(days[d] * 86_400_000).toISOString().slice(0, 10))
      columns.asset.push(`A${asset[row]}`)
      columns.score.push(score[row])
      columns.forward_return.push(forwardReturn[row])
    }
  return store(columns)
}

const many = Array.from({ length: 500 }, (_, i) => ({
  quantile: ((i % 50) + 1) / 100,
  holdDays: 1 + (i % 9),
  returnDays: 1,
}))

test('a client who hangs up frees the pool at once, and their place', async () => {
  const panel = await largePanel()
  const data = buildRankedDataset(makePanel(2, 2))
  const run = spyOn(pool.tasks, 'runBatchItems')
  for (let round = 0; round < 3; round++) {
    const left = new AbortController()
    const response = await post('backtests/batch', { panel, configs: many }, { signal: left.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    left.abort()
    await Bun.sleep(150)
    const sent = run.mock.calls.length
    await Promise.all([1, 2].map(() => pool.tasks.listAssetNames({ data }, { caller: operator })))
    await Bun.sleep(200)
    expect(sent).toBeGreaterThan(0)
    expect(run.mock.calls.length).toBe(sent)
  }
  run.mockRestore()
}, 180_000)

test('a batch has one place of its key until its last line; past its share a key is refused', async () => {
  const panel = await largePanel()
  const left = new AbortController()
  const open = () => post('backtests/batch', { panel, configs: many }, { signal: left.signal })
  // 2 threads and a queue of 2: half of them is this key's.
  const first = [await open(), await open()]
  expect(first.map(({ status }) => status)).toEqual([200, 200])
  const third = await open()
  expect(third.status).toBe(503)
  expect((await third.json()).error).toMatchObject({
    code: 'compute_busy',
    message: expect.stringContaining('of this key'),
  })
  const others = await post('backtest', { panel: rows }, { key: other })
  expect(others.status).toBe(200)
  left.abort()
  const free = async () => {
    const response = await post('backtests/batch', { panel: rows, configs })
    await response.text()
    return response.status
  }
  let status = 0
  for (let tries = 0; tries < 50 && status !== 200; tries++) {
    await Bun.sleep(20)
    status = await free()
  }
  expect(status).toBe(200)
}, 180_000)

test('a client who does not read stops its batch; one who reads slowly gets it whole', async () => {
  const panel = await largePanel()
  const run = spyOn(pool.tasks, 'runBatchItems')
  const sent = () => run.mock.calls.reduce((sum, [input]) => sum + input.entries.length, 0)
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const body = JSON.stringify({ panel, configs: many })
  const pieces: Buffer[] = []
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: {
      open(socket) {
        socket.pause()
        const head = `POST /api/v1/backtests/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${quant}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
        socket.write(head + body)
      },
      data: (_, chunk) => void pieces.push(Buffer.from(chunk)),
      close: () => end(),
    },
  })
  for (let before = -1; before < sent() || sent() === 0; await Bun.sleep(700)) before = sent()
  // 35 KB each: the system's own buffers for a connection take some megabytes, ours little more than one.
  expect(sent()).toBeLessThan(350)
  for (let i = 0; i < 20; i++) {
    socket.resume()
    await Bun.sleep(20)
    socket.pause()
    await Bun.sleep(50)
  }
  socket.resume()
  await over
  const text = Buffer.concat(pieces).toString()
  expect(text.match(/"object":"batch_result"/g)?.length).toBe(500)
  expect(text).toContain('"object":"batch_summary","batch_size":500,"count":500,"failed":0')
  run.mockRestore()
}, 180_000)
