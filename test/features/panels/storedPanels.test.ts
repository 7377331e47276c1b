import { afterAll, beforeAll, expect, test } from 'bun:test'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import type { BacktestPanelRow } from '../../../src/backtest/request.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { PanelCache } from '../../../src/features/panels/cache.ts'
import {
  deletePanel,
  listPanels,
  openPanel,
  type PanelDeps,
  readPanel,
  storePanel,
} from '../../../src/features/panels/panels.ts'
import { deleteUnusedPanels } from '../../../src/features/panels/queries.ts'
import { Semaphore } from '../../../src/semaphore.ts'
import { everyFormat } from '../../backtest/codec/encodeRequest.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { asPanel, openBench, signals } from '../backtests/backtestBench.ts'
import { closingRows } from '../backtests/closingRows.ts'

let database: TestDatabase
let pool: ComputePool
let keyId = 0
const bench = openBench()

beforeAll(async () => {
  database = await testDatabase()
  pool = new ComputePool({ threads: 2, queue: 100, timeLimitMs: 20_000 })
}, 180_000)
afterAll(async () => {
  await pool.close()
  await bench.close()
  await database.close()
}, 180_000)

/** A server of its own on the one database. */
const server = (): PanelDeps => ({
  sql: database.sql,
  pool,
  cache: new PanelCache(2 ** 30),
  reads: new Semaphore({ slots: 2 }),
})

async function newKey(): Promise<number> {
  const [row] = await database.sql<{ key_id: number }[]>`
    insert into api_key (digest, prefix, last_four, email)
    values (sha256(${`key ${++keyId}`}::bytea), 'asf_live_x', 'xxxx', 'a@b.example') returning key_id`
  return row.key_id
}

const ownedBy = (keyId: number, maxStoredBytes = 2 ** 32) => ({ keyId, maxStoredBytes })

const rows = asPanel(signals(80))
const few = (first: string): BacktestPanelRow[] => [
  { date: first, asset: 'A', score: 1, forward_return: 0.1 },
  { date: first, asset: 'B', score: 2, forward_return: null },
]
const json = (panel: unknown) => new TextEncoder().encode(JSON.stringify({ panel }))

async function failure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${error}`)
}

/** The answer of a server to a request of a key. */
async function ask(deps: PanelDeps, key: number, body: object): Promise<string> {
  const backtests = { ...bench.deps, panels: deps }
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const { bytes: answer } = await runBacktest(backtests, bytes, undefined, { caller: operator, keyId: key })
  // Only the echo of the request differs, because it names the panel.
  const named = new RegExp(`"request":{"panel":"${'panel' in body ? body.panel : ''}",?`)
  const text = new TextDecoder().decode(answer)
  expect(text).toMatch(named)
  return text.replace(named, '"request":{')
}

const requests = [
  { config: { quantile: 0.2, weighting: 'score', holdDays: 4, drift: true }, include: ['ic', 'positions'] },
  { config: { neutral: 'market', direction: 'long_only', costBps: 3 }, include: ['monthly', 'quantiles'] },
  { sweep: { quantile: [0.1, 0.3], holdDays: [1, 2] } },
]

test('a stored panel gives, to the bit, what the same rows give when they are sent', async () => {
  const key = await newKey()
  const first = server()
  const { panel } = await storePanel(first, ownedBy(key), json(rows), 'json')
  const second = server()
  for (const request of requests) {
    const sent = JSON.stringify(await bench.run({ ...request, panel: rows }))
    expect(await ask(first, key, { ...request, panel: panel.id })).toBe(sent)
    // Read from the database, by a server that has not seen the rows.
    expect(await ask(second, key, { ...request, panel: panel.id })).toBe(sent)
  }
  expect(first.cache.bytes).toBe(second.cache.bytes)
})

test('a stored panel of closes and borrow costs gives what its rows give, on a calendar and under limits', async () => {
  const key = await newKey()
  const closes = closingRows().map(({ beta: _, ...row }) => row)
  const first = server()
  const { panel } = await storePanel(first, ownedBy(key), json(closes), 'json')
  const trading = { maxTurnover: 0.3, targetVolatility: 0.1, volatilityPeriods: 10, impact: 1, capital: 1e6 }
  for (const request of [
    { config: { rebalance: 'weekly:FRI', trading } },
    { config: { horizons: [1, 5], neutral: 'group' } },
    { config: { trading }, sweep: { quantile: [0.1, 0.3] } },
  ]) {
    const sent = JSON.stringify(await bench.run({ ...request, panel: closes }))
    expect(sent).toContain('"returns":{"from":"close"')
    for (const deps of [first, server()])
      expect(await ask(deps, key, { ...request, panel: panel.id })).toBe(sent)
  }
})

test('a stored panel with volumes gives the capacity of its rows, and one without says what is missing', async () => {
  const key = await newKey()
  const volumes = rows.map((row, i) => ({ ...row, dollar_volume: i % 7 === 0 ? null : 1_000 * (i % 100) }))
  const first = server()
  const { panel } = await storePanel(first, ownedBy(key), json(volumes), 'json')
  for (const request of [{}, { sweep: { quantile: [0.1, 0.3], holdDays: [1, 2] } }]) {
    const wanted = { ...request, include: ['capacity'], evidence: { participation: 0.05 } }
    const sent = JSON.stringify(await bench.run({ ...wanted, panel: volumes }))
    expect(sent).toContain('"capacity":{"participation":0.05,"capital_median":')
    for (const deps of [first, server()])
      expect(await ask(deps, key, { ...wanted, panel: panel.id })).toBe(sent)
  }
  const bare = await storePanel(first, ownedBy(key), json(rows), 'json')
  expect(bare.panel.id).not.toBe(panel.id)
  const refused = await failure(ask(server(), key, { include: ['capacity'], panel: bare.panel.id }))
  expect([refused.code, refused.details.param]).toEqual(['backtest_impossible', 'include'])
  expect(refused.message).toContain('no row has one. Send a panel with the column dollar_volume')
  const archive = await failure(bench.run({ include: ['capacity'], sweep: true }))
  expect(archive.message).toBe(refused.message)
})

test('the same rows in any form and order are one panel', async () => {
  const key = await newKey()
  const deps = server()
  const reversed = [...rows].reverse()
  const stored = await Promise.all(
    [...everyFormat(rows), ...everyFormat(reversed)].map(({ bytes, format }) =>
      storePanel(deps, ownedBy(key), bytes, format),
    ),
  )
  expect(new Set(stored.map(({ panel }) => panel.id)).size).toBe(1)
  expect(stored.filter(({ created }) => created).length).toBe(1)
  expect(stored[0].panel).toMatchObject({
    object: 'panel',
    n_rows: rows.length,
    n_dates: 80,
    n_assets: 12,
  })
  const other = await storePanel(deps, ownedBy(await newKey()), json(rows), 'json')
  expect(other.created).toBe(true)
  expect(other.panel.id).not.toBe(stored[0].panel.id)
})

test('another key has no such panel, in any way of asking', async () => {
  const [owner, stranger] = [await newKey(), await newKey()]
  const deps = server()
  const { panel } = await storePanel(deps, ownedBy(owner), json(few('2024-01-02')), 'json')
  const attempts = [
    readPanel(deps.sql, stranger, panel.id),
    deletePanel(deps, stranger, panel.id),
    ask(deps, stranger, { panel: panel.id }),
  ]
  for (const refused of nonEmpty(await Promise.all(attempts.map(failure)))) {
    expect(refused.code).toBe('entity_unknown')
    expect(refused.message).toContain(`This key has no panel ${panel.id}`)
  }
  expect((await listPanels(deps.sql, stranger)).count).toBe(0)
  expect((await listPanels(deps.sql, owner)).data).toEqual([panel])
})

test('a deleted panel is gone on every server, also where its rows lie in memory', async () => {
  const key = await newKey()
  const [here, there] = [server(), server()]
  const { panel } = await storePanel(here, ownedBy(key), json(few('2024-01-02')), 'json')
  await ask(there, key, { panel: panel.id })
  await deletePanel(here, key, panel.id)
  for (const deps of [here, there]) {
    const refused = await failure(ask(deps, key, { panel: panel.id }))
    expect([refused.code, refused.details.param]).toEqual(['entity_unknown', 'panel'])
  }
  expect(here.cache.bytes).toBe(0)
  const [{ parts }] = await database.sql`
    select count(*)::int as parts from panel_part where panel_id = ${panel.id}`
  expect(parts).toBe(0)
})

test('a key has at most 64 panels, whatever comes at the same time on two servers; sent again, one counts once', async () => {
  const key = await newKey()
  const servers = [server(), server()]
  const day = (i: number) => new Date(86_400_000 * (19_000 + i)).toISOString().slice(0, 10)
  const stored = await Promise.allSettled(
    Array.from({ length: 70 }, (_, i) => storePanel(servers[i % 2], ownedBy(key), json(few(day(i))), 'json')),
  )
  expect(stored.filter(({ status }) => status === 'fulfilled').length).toBe(64)
  const { count, data } = await listPanels(database.sql, key)
  expect([count, data.length]).toEqual([64, 64])
  const oldest = data[63]
  await database.sql`update panel set used_at = used_at - interval '1 day' where panel_id = ${oldest.id}`
  const refused = await failure(storePanel(servers[0], ownedBy(key), json(few(day(99))), 'json'))
  expect(refused.code).toBe('conflict')
  expect(refused.message).toContain(`${oldest.id} is the least recently used`)
  const known = stored.findIndex(({ status }) => status === 'fulfilled')
  expect((await storePanel(servers[1], ownedBy(key), json(few(day(known))), 'json')).created).toBe(false)
  await deletePanel(servers[0], key, oldest.id)
  expect((await storePanel(servers[0], ownedBy(key), json(few(day(99))), 'json')).created).toBe(true)
}, 30_000)

test('a key stores panels up to its limit of bytes, and the same rows once', async () => {
  const deps = server()
  const key = await newKey()
  const { panel } = await storePanel(deps, ownedBy(key), json(few('2024-01-02')), 'json')
  // Room for one and a half of them.
  const owner = ownedBy(key, Math.floor(1.5 * panel.bytes))
  const refused = await failure(storePanel(deps, owner, json(few('2024-01-03')), 'json'))
  expect([refused.code, refused.message]).toEqual([
    'conflict',
    `The stored panels of this key have 0 MB, and with this one of 0 MB they would exceed the limit of 0 MB. Delete one with DELETE /api/v1/panels/{id}; ${panel.id} is the least recently used.`,
  ])
  expect((await storePanel(deps, owner, json(few('2024-01-02')), 'json')).created).toBe(false)
  await deletePanel(deps, key, panel.id)
  expect((await storePanel(deps, owner, json(few('2024-01-03')), 'json')).created).toBe(true)
})

test('a panel expires 30 days after its last use, and reading its description is no use', async () => {
  const key = await newKey()
  const deps = server()
  const { sql } = database
  const { panel } = await storePanel(deps, ownedBy(key), json(few('2024-01-02')), 'json')
  const lifeMs = Date.parse(panel.expires_at) - Date.parse(panel.created_at)
  expect(lifeMs).toBe(30 * 86_400_000)
  const age = (days: number) =>
    sql`update panel set used_at = now() - make_interval(days => ${days}) where panel_id = ${panel.id}`
  const daysLeft = async () => {
    const { expires_at } = await readPanel(sql, key, panel.id)
    return Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)
  }
  await age(29)
  expect(await daysLeft()).toBe(1)
  await deleteUnusedPanels(sql, 10)
  await ask(deps, key, { panel: panel.id })
  expect(await daysLeft()).toBe(30)
  await age(29)
  await storePanel(deps, ownedBy(key), json(few('2024-01-02')), 'json')
  expect(await daysLeft()).toBe(30)

  await age(30)
  expect((await failure(readPanel(sql, key, panel.id))).code).toBe('entity_unknown')
  expect((await failure(ask(deps, key, { panel: panel.id }))).code).toBe('entity_unknown')
  expect((await listPanels(sql, key)).count).toBe(0)
  const again = await storePanel(deps, ownedBy(key), json(few('2024-01-02')), 'json')
  expect([again.created, again.panel.id === panel.id]).toEqual([true, false])
  await sql`update panel set used_at = now() - interval '30 days' where panel_id = ${again.panel.id}`
  expect(await deleteUnusedPanels(sql, 10)).toBe(1)
})

test('a body that is no panel is refused before anything is stored', async () => {
  const key = await newKey()
  const deps = server()
  const store = (text: string, format: 'json' | 'csv' | 'ndjson') =>
    failure(storePanel(deps, ownedBy(key), new TextEncoder().encode(text), format))
  const row = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":0}'
  const cases: [string, 'json' | 'csv' | 'ndjson', string, string][] = [
    ['{}', 'json', 'parameter_invalid', 'panel is missing'],
    ['{"panel":[]}', 'json', 'backtest_impossible', 'panel has no rows'],
    [`{"panel":[${row}],"config":{}}`, 'json', 'parameter_unknown', 'config is unknown. Allowed here: panel'],
    [`{"panel":"${crypto.randomUUID()}"}`, 'json', 'parameter_invalid', 'is the id of a panel'],
    ['{"panel":"x"}', 'json', 'parameter_invalid', 'not the id of a stored panel'],
    [`{"panel":[${row},${row}]}`, 'json', 'body_invalid', 'panel[0] and panel[1] are both'],
    [`{"config":{}}\n${row}`, 'ndjson', 'parameter_unknown', 'belongs to a backtest'],
    ['date,asset,score,forward_return\n', 'csv', 'backtest_impossible', 'panel has no rows'],
    ['', 'json', 'malformed_json', 'The body is empty. Send {"panel": [...]}.'],
  ]
  for (const [text, format, code, message] of cases) {
    const refused = await store(text, format)
    expect([text, refused.code]).toEqual([text, code])
    expect(refused.message).toContain(message)
  }
  expect((await listPanels(deps.sql, key)).count).toBe(0)
})

test('a client that left before the rows were read stores nothing', async () => {
  const key = await newKey()
  const controller = new AbortController()
  const storing = storePanel(server(), ownedBy(key), json(rows), 'json', controller.signal)
  controller.abort(new Error('the client left'))
  await expect(storing).rejects.toThrow('the client left')
  expect((await listPanels(database.sql, key)).count).toBe(0)
})

test('a panel of many parts is stored whole, and read back by another server to the byte', async () => {
  const key = await newKey()
  const lines = ['date,asset,score,forward_return']
  for (let day = 0; day < 100; day++) {
    const date = new Date(86_400_000 * (19_000 + day)).toISOString().slice(0, 10)
    for (let i = 0; i < 1_500; i++) {
      lines.push(`${date},A${i},${Math.sin(i * 12.9898 + day * 78.233)},${Math.cos(i + day) / 50}`)
    }
  }
  const bytes = new TextEncoder().encode(lines.join('\n'))
  const [here, there] = [server(), server()]
  const { panel } = await storePanel(here, ownedBy(key), bytes, 'csv')
  expect([panel.n_rows, panel.n_dates, panel.n_assets]).toEqual([150_000, 100, 1_500])
  const [{ parts }] = await database.sql`
    select count(*)::int as parts from panel_part where panel_id = ${panel.id}`
  expect(parts).toBe(Math.ceil(panel.bytes / 2 ** 20))
  expect(parts).toBeGreaterThan(2)
  const [a, b] = [await openPanel(here, key, panel.id), await openPanel(there, key, panel.id)]
  expect(b).toEqual(a)
  expect(here.cache.bytes / panel.n_rows).toBeLessThan(40)
}, 20_000)
