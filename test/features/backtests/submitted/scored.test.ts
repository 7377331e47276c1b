import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createKey } from '../../../../src/access/keys.ts'
import { storedPage } from '../../../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../../src/backtest/pool/computePool.ts'
import type { BodyFormat, BodyQuery } from '../../../../src/backtest/request.ts'
import { startJobs } from '../../../../src/boot/jobs.ts'
import { makeBacktests, makeEvents } from '../../../../src/boot/resources.ts'
import { readConfig } from '../../../../src/config.ts'
import { isoDate } from '../../../../src/dates.ts'
import { type BacktestDeps, runBacktest } from '../../../../src/features/backtests/run.ts'
import { readJob } from '../../../../src/features/backtests/submitted/keyJobs.ts'
import { submitBacktest } from '../../../../src/features/backtests/submitted/kind.ts'
import { readResult } from '../../../../src/features/backtests/submitted/results.ts'
import { backtestTasks } from '../../../../src/features/backtests/submitted/tasks.ts'
import { JobNotifier } from '../../../../src/jobs/events.ts'
import { migrateQueue } from '../../../../src/jobs/queue.ts'
import { advanceDataVersion } from '../../../../src/postgres/dataVersion.ts'
import { explainDatabaseError } from '../../../../src/postgres/errors.ts'
import { StorageWatch } from '../../../../src/postgres/storage.ts'
import type { Licence } from '../../../../src/rights/licences.ts'
import { shippedDatabase, type TestDatabase } from '../../../database.ts'
import { pinsOf } from '../../../pins.ts'
import { markets } from '../../companies/fixtures.ts'

let db: TestDatabase
let deps: BacktestDeps
let pool: ComputePool
let pins: ReturnType<typeof pinsOf>
let stopJobs: () => Promise<void>

beforeAll(async () => {
  db = await shippedDatabase()
  const { sql } = db
  await migrateQueue(db.url)
  pool = new ComputePool({ threads: 2, queue: 50, timeLimitMs: 20_000 })
  pins = pinsOf(sql)
  const config = readConfig({})
  const events = makeEvents({ pool, config, markets })
  deps = makeBacktests({
    sql,
    pool,
    config,
    markets,
    pins,
    events,
    dataVersion: () => 2,
    today: () => '2026-07-01',
  })
  const processId = crypto.randomUUID()
  stopJobs = await startJobs(
    { url: db.url, concurrency: 2, drainTimeoutMs: 5_000 },
    {
      sql,
      tasks: backtestTasks({ sql, processId, backtests: deps }),
      processId,
      explain: explainDatabaseError,
      storage: new StorageWatch(sql, null),
      report: () => {},
      notifier: new JobNotifier(),
    },
  )
}, 180_000)

afterAll(async () => {
  await stopJobs()
  await pins.close()
  await pool.close()
  await db.close()
}, 180_000)

const body = (sweep: object | boolean) =>
  new TextEncoder().encode(JSON.stringify({ source: { market: 'US', score: 'roe', maxAgeDays: 600 }, sweep }))

async function newKey(licence: Exclude<Licence, 'demo'>): Promise<number> {
  const email = `scored-${licence}@fund.example`
  const order = { email, licence, quant: true, environment: 'test' } as const
  const { prefix } = await createKey({ sql: db.sql, today: () => '2026-01-01' }, order)
  const [row] = await db.sql<{ key_id: number }[]>`select key_id from api_key where prefix = ${prefix}`
  return row.key_id
}

async function ended(
  keyId: number,
  sent: Uint8Array<ArrayBuffer>,
  { format = 'json', query = {} }: { readonly format?: BodyFormat; readonly query?: BodyQuery } = {},
) {
  const {
    job: { id },
  } = await submitBacktest(
    {
      sql: db.sql,
      processId: crypto.randomUUID(),
      newId: () => Bun.randomUUIDv7(),
      dataVersion: () => 2,
    },
    { keyId, requestId: 'test', body: sent, format, query, idempotencyKey: null },
  )
  for (let tries = 0; tries < 600; tries++) {
    const job = await readJob(db.sql, keyId, id)
    if (job.finishedAt !== null) return job
    await Bun.sleep(25)
  }
  throw new Error('The job did not end within 15 s.')
}

test('a submitted backtest by a figure is the one that is answered at once, alone and as a sweep', async () => {
  const keyId = await newKey('personal')
  for (const sweep of [false, { quantile: [0.1, 0.5], holdDays: [1, 5, 10] }]) {
    const job = await ended(keyId, body(sweep))
    expect([job.state, job.errorMessage]).toEqual(['succeeded', null])
    const { bytes } = await runBacktest(deps, body(sweep), undefined, { caller: operator, keyId })
    const answer = new TextDecoder().decode(bytes)
    expect(await readResult(db.sql, job.id)).toBe(answer)
    expect(JSON.parse(answer).score).toMatchObject({ metric: 'roe', max_age_days: 600, n_assets: 2 })
  }
}, 120_000)

test('a submitted backtest of own rows by a figure is the one that is answered at once, alone and as a sweep', async () => {
  const keyId = await newKey('commercial')
  const panel = Array.from({ length: 40 }, (_, i) => ({
    ...{
      date: isoDate(15_000 + 7 * (i >> 1)),
      asset: i % 2 === 0 ? 'AAPL' : 'GE',
      forward_return: i / 1_000,
    },
  }))
  for (const sweep of [false, { quantile: [0.1, 0.5], holdDays: [5, 10] }]) {
    const config = { returnDays: 5 }
    const sent = () =>
      new TextEncoder().encode(JSON.stringify({ panel, score: { asOf: 'revenue' }, config, sweep }))
    const job = await ended(keyId, sent())
    expect([job.state, job.errorMessage]).toEqual(['succeeded', null])
    const { bytes } = await runBacktest(deps, sent(), undefined, { caller: operator, keyId })
    const answer = new TextDecoder().decode(bytes)
    expect(await readResult(db.sql, job.id)).toBe(answer)
    expect(JSON.parse(answer).score).toMatchObject({ metric: 'revenue', unit: 'USD', n_names: 2 })
  }
}, 120_000)

test('submitted scores of own columns, neutralised for the groups of the server, are those answered at once', async () => {
  const keyId = await newKey('oem')
  const assets = ['AAPL', 'GE']
  const panel = Array.from({ length: 80 }, (_, i) => ({
    date: isoDate(14_500 + 7 * (i >> 1)),
    asset: assets[i % 2],
    forward_return: Math.sin(i) / 50,
    mine: Math.cos(i),
    other: Math.sin(3 * i),
  }))
  const requests = [
    { panel, scores: ['mine', 'other'], config: { returnDays: 5 } },
    {
      panel: panel.map(({ other: _, ...row }) => row),
      score: { asOf: 'revenue', group: 'sicDivision' },
      config: { returnDays: 5, rankBy: { columns: ['mine'] }, neutralise: { demean: ['group'] } },
      include: ['by_group'],
    },
  ]
  const answers = []
  for (const request of requests) {
    const sent = () => new TextEncoder().encode(JSON.stringify(request))
    const job = await ended(keyId, sent())
    expect([job.state, job.errorMessage]).toEqual(['succeeded', null])
    const { bytes } = await runBacktest(deps, sent(), undefined, { caller: operator, keyId })
    const answer = new TextDecoder().decode(bytes)
    expect(await readResult(db.sql, job.id)).toBe(answer)
    answers.push(JSON.parse(answer))
  }
  expect(answers[0].trials.length).toBe(4)
  // Both companies are manufacturers: demeaned within it, of two names one is above and one below.
  expect(answers[1].by_group.map(({ group }: { group: string }) => group)).toEqual(['D'])
  expect(answers[1].neutralised.definition).toContain('of the same group')
}, 120_000)

test('a submitted comparison of vintages is the one that is answered at once, and its page shows it', async () => {
  const keyId = await newKey('redistribution')
  const lines = Array.from({ length: 80 }, (_, i) => {
    const row = { date: isoDate(14_500 + 7 * (i >> 1)), asset: i % 2 === 0 ? 'AAPL' : 'GE' }
    return `${row.date},${row.asset},${Math.sin(i) / 50}`
  })
  const sent = () => new TextEncoder().encode(`date,asset,forward_return\n${lines.join('\n')}\n`)
  const query = { score: '{"asOf":"roe"}', compare: 'first_filed,final', config: '{"returnDays":5}' }
  const job = await ended(keyId, sent(), { format: 'csv', query })
  expect([job.state, job.errorMessage]).toEqual(['succeeded', null])
  const options = { caller: operator, keyId, format: 'csv', query } as const
  const { bytes } = await runBacktest(deps, sent(), undefined, options)
  const answer = new TextDecoder().decode(bytes)
  expect(await readResult(db.sql, job.id)).toBe(answer)
  expect(JSON.parse(answer).compare.variants.map(({ vintages }: { vintages: string }) => vintages)).toEqual([
    'first_filed',
    'final',
  ])
  const page = new TextDecoder().decode(storedPage(`${answer}\n{}`).bytes)
  expect(page).toContain('What restatements and early dating would have been worth')
}, 120_000)

test('a submitted backtest by a figure fails where the licence does not open it', async () => {
  const job = await ended(await newKey('free'), body(false))
  expect([job.state, job.errorCode, job.errorParam]).toEqual(['failed', 'licence_required', 'source.score'])
}, 30_000)

test('a submitted backtest of an earlier data version is the one that was answered then, alone and as a sweep', async () => {
  const keyId = await newKey('commercial')
  for (const sweep of [false, { quantile: [0.1, 0.5], holdDays: [1, 5, 10] }]) {
    const { bytes } = await runBacktest(deps, body(sweep), undefined, { caller: operator, keyId })
    const before = new TextDecoder().decode(bytes)
    await db.sql.begin(async transaction => {
      await transaction`update signal set predicted = -predicted`
      await transaction`update fact set value = -value where entity_id % 2 = 0`
      await advanceDataVersion(transaction, { source: 'us', entities: 0, factsAdded: 0 })
    })
    const again = new TextEncoder().encode(JSON.stringify(JSON.parse(before).request))
    const job = await ended(keyId, again)
    expect([job.state, job.errorMessage]).toEqual(['succeeded', null])
    expect(await readResult(db.sql, job.id)).toBe(before)
    expect(job.dataVersion).toBe(JSON.parse(before).data_version)
  }
}, 120_000)
