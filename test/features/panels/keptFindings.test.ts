import { afterAll, beforeAll, expect, test } from 'bun:test'
import { operator } from '../../../src/backtest/pool/caller.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { PanelCache } from '../../../src/features/panels/cache.ts'
import { type PanelDeps, storePanel } from '../../../src/features/panels/panels.ts'
import { Semaphore } from '../../../src/semaphore.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { asPanel, openBench, signals } from '../backtests/backtestBench.ts'

/** A thread keeps the warnings about the rows of stored panels and of the archive. Expected are the results of the same rows
 * sent with the request, for which nothing is kept. */

let database: TestDatabase
const bench = openBench()
let panels: PanelDeps
let keyId = 0

beforeAll(async () => {
  database = await testDatabase()
  panels = {
    sql: database.sql,
    pool: bench.deps.pool,
    cache: new PanelCache(2 ** 30),
    reads: new Semaphore({ slots: 2 }),
  }
  const [row] = await database.sql<{ key_id: number }[]>`
    insert into api_key (digest, prefix, last_four, email)
    values (sha256('key'::bytea), 'asf_live_x', 'xxxx', 'a@b.example') returning key_id`
  keyId = row.key_id
}, 180_000)
afterAll(async () => {
  await bench.close()
  await database.close()
}, 180_000)

const rows = asPanel(signals(80, 30))
type Rows = typeof rows

/** Panels that are warned of for different reasons, and one that is not. */
const suspicious: Readonly<Record<string, Rows>> = {
  plain: rows,
  percent: rows.map(row => ({ ...row, forward_return: Math.abs(100 * row.forward_return) })),
  copied: rows.map(row => ({ ...row, score: row.forward_return })),
  overlapping: rows.map((row, i) => ({ ...row, forward_return: (i % 30) / 1_000 - Math.sin(i) / 1e5 })),
  withoutMarket: rows.map((row, i) => (i % 2 === 0 ? { ...row, market: '' } : row)),
}

const settings = [
  {},
  { config: { returnDays: 1 } },
  { config: { returnDays: 5 } },
  { config: { neutral: 'market' } },
  { config: { returnDays: 5, quantile: 0.3 } },
  { sweep: { quantile: [0.1, 0.3] } },
]

const asBytes = (body: object) => new TextEncoder().encode(JSON.stringify(body))
const withoutMarketName = ({ market, ...row }: Rows[number]) => (market === '' ? row : { ...row, market })

async function ask(body: object): Promise<BacktestResult> {
  const deps = { ...bench.deps, panels }
  const { bytes: answer } = await runBacktest(deps, asBytes(body), undefined, { caller: operator, keyId })
  return JSON.parse(new TextDecoder().decode(answer))
}

const withoutEcho = (result: BacktestResult) => JSON.stringify({ ...result, request: undefined })

test('what is found about a panel is never said of another one, or of other settings', async () => {
  const stored: { id: string; sent: object[] }[] = []
  for (const panel of Object.values(suspicious)) {
    const sent = panel.map(withoutMarketName)
    const bytes = asBytes({ panel: sent })
    const owner = { keyId, maxStoredBytes: 2 ** 32 }
    stored.push({ id: (await storePanel(panels, owner, bytes, 'json')).panel.id, sent })
  }
  const found = new Set<string>()
  // Each is asked three times in turn, so that both threads have kept findings of every panel and setting.
  for (let round = 0; round < 3; round++)
    for (const setting of settings)
      for (const { id, sent } of stored) {
        const expected = await bench.run({ ...setting, panel: sent })
        for (const { code } of expected.warnings) found.add(code)
        const answers = await Promise.all([1, 2].map(() => ask({ ...setting, panel: id })))
        for (const answer of answers) expect(withoutEcho(answer)).toBe(withoutEcho(expected))
      }
  const wanted = ['returns_like_percent', 'score_is_return', 'overlapping_returns', 'neutral_without_market']
  expect([...found]).toEqual(expect.arrayContaining(wanted))
}, 180_000)

test('a panel ranked by another column is warned of for that column', async () => {
  const columns = rows.map(row => ({ ...row, momentum: row.score, leak: row.forward_return }))
  /** A request may not send columns that it does not use. */
  const only = (column: string) =>
    columns.map(({ momentum, leak, ...row }) => ({
      ...row,
      ...(column === 'momentum' ? { momentum } : column === 'leak' ? { leak } : {}),
    }))
  const sent = asBytes({ panel: columns })
  const owner = { keyId, maxStoredBytes: 2 ** 32 }
  const { panel } = await storePanel(panels, owner, sent, 'json', undefined, ['momentum', 'leak'])
  for (let round = 0; round < 2; round++)
    for (const column of ['momentum', 'leak', 'score'])
      for (const neutralise of [undefined, { demean: ['market'] }]) {
        const config = { rankBy: { columns: [column] }, neutralise }
        const expected = await bench.run({ config, panel: only(column) })
        expect(withoutEcho(await ask({ config, panel: panel.id }))).toBe(withoutEcho(expected))
      }
}, 180_000)

test('a fault of a request is reported before a panel that is missing', async () => {
  const { panel } = await storePanel(
    panels,
    { keyId, maxStoredBytes: 2 ** 32 },
    asBytes({ panel: rows }),
    'json',
  )
  const missing = '0b5a8f9e-3c1d-4e2f-9a7b-6d5c4b3a2f10'
  for (const id of [panel.id, missing])
    await expect(ask({ panel: id, config: { quantile: 7 } })).rejects.toMatchObject({
      details: { param: 'config.quantile' },
    })
  await expect(ask({ panel: missing })).rejects.toMatchObject({ code: 'entity_unknown' })
  await expect(ask({ panel: panel.id, sources: missing })).rejects.toMatchObject({
    code: 'parameter_unknown',
  })
})

test('what is found about the archive is forgotten with its rows', async () => {
  let version = 1
  const archive = openBench({
    pool: bench.deps.pool,
    dataVersion: () => version,
    loadArchive: async function* () {
      yield signals(80, 30).map(row => (version === 2 ? { ...row, predicted: row.actual } : row))
    },
  })
  const codes = async (source: object) =>
    (await archive.run({ source, config: { returnDays: 1 } })).warnings.map(({ code }) => code)
  const whole = {}
  const early = { to: '2024-02-01' }
  const before = { whole: await codes(whole), early: await codes(early) }
  for (let i = 0; i < 4; i++) expect({ whole: await codes(whole), early: await codes(early) }).toEqual(before)
  expect(before.whole).not.toContain('score_is_return')
  version = 2
  for (let i = 0; i < 4; i++) expect(await codes(whole)).toContain('score_is_return')
}, 180_000)
