import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { StrategyDetail, StrategyList, StrategyValues } from '../../../src/features/strategies/schema.ts'
import { strategies } from '../../../src/markets/strategies/strategies.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
let server: TestServer
let paid: string
let free: string
let evaluation: string

beforeAll(async () => {
  database = await sampleDatabase()
  const { sql } = database
  server = await testServer(sql)
  paid = await sellKey(sql, { licence: 'personal', quant: true })
  free = await sellKey(sql, { licence: 'free' })
  evaluation = await sellKey(sql, { licence: 'evaluation' })
  await sql`update key_grant set entity_cap = 1000, expires_at = null where licence = 'evaluation'`
  await sql`update key_grant set per_minute = 100000, per_day = null`
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

const ask = (path: string, key = paid, init: RequestInit = {}) =>
  fetch(`${server.url}/api/v1/${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, ...Object(init.headers) },
  })

const post = (path: string, body: object) =>
  ask(path, paid, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

async function failureOf(path: string, key = paid) {
  const response = await ask(path, key)
  const { error } = await response.json()
  return { status: response.status, code: error.code, message: error.message, param: error.param }
}

interface ValueRow {
  readonly ticker: string
  readonly end: string
  readonly filed: string
  readonly score: number | null
  readonly value: number | null
}

interface Lag {
  readonly months: number
  readonly hidden: number
  readonly hidden_days: number
  readonly look_ahead: number
}

/** Days from a day to the one that is some months after the end of a period. */
function daysBefore(day: string, end: string, months: number): number {
  const [year, month, date] = end.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  const until = Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth))
  return (until - Date.parse(day)) / 86_400_000
}

async function valuesOn(name: string, day: string): Promise<ValueRow[]> {
  const found: ValueRow[] = []
  for (let cursor = ''; ; ) {
    const answer = await (
      await ask(`strategies/${name}/values?market=US&as_of=${day}&limit=200${cursor}`)
    ).json()
    found.push(...answer.data)
    if (answer.next === null) return found
    cursor = `&cursor=${answer.next}`
  }
}

describe('/api/v1/strategies', () => {
  test('lists every strategy with its formula, and each has an address of its own', async () => {
    const list = await (await ask('strategies', free)).json()
    expect(Value.Check(StrategyList, list)).toBe(true)
    expect(list.data.map(({ name }: { name: string }) => name)).toEqual([...strategies.keys()])
    const detail = await (await ask('strategies/asset_growth', free)).json()
    expect(Value.Check(StrategyDetail, detail)).toBe(true)
  })

  test('the lags of a year are those that joins on every day show', async () => {
    const companies = (await valuesOn('asset_growth', '2011-12-31')).map(({ ticker }) => ticker)
    const first = dayNumber('2009-01-01')
    const days = Array.from({ length: dayNumber('2011-12-31') - first + 1 }, (_, i) => isoDate(first + i))
    // The first day on which a join shows a value of a period that ended in 2009.
    const known = new Map<string, { end: string; day: string }>()
    for (let at = 0; at < companies.length; at += 30) {
      const some = companies.slice(at, at + 30)
      const rows = { date: days.flatMap(day => some.map(() => day)), ticker: days.flatMap(() => some) }
      const join = { rows, metrics: ['asset_growth'], inclusive: true, with: ['end'], max_age_days: 3_660 }
      const { columns, error } = await (await post('as-of', join)).json()
      expect(error).toBeUndefined()
      for (const [i, ticker] of rows.ticker.entries()) {
        const end: string | null = columns.asset_growth_end[i]
        const isNew = !known.has(`${ticker} ${end}`)
        if (columns.asset_growth[i] !== null && end?.startsWith('2009') && isNew)
          known.set(`${ticker} ${end}`, { end, day: rows.date[i] })
      }
    }
    const { coverage } = await (await ask('strategies/asset_growth', free)).json()
    const year = coverage.find(
      (row: { market: string; year: number }) => row.market === 'US' && row.year === 2009,
    )
    expect(known.size).toBeGreaterThan(200)
    expect(year.values).toBe(known.size)
    for (const { months, hidden, hidden_days: days, look_ahead: ahead } of nonEmpty<Lag>(year.lags)) {
      const early = [...known.values()].map(({ end, day }) => daysBefore(day, end, months))
      const late = early.filter(days => days > 0)
      expect(hidden).toBeCloseTo(late.length / known.size, 12)
      expect(days).toBeCloseTo(late.reduce((sum, one) => sum + one, 0) / late.length, 9)
      expect(ahead).toBeCloseTo(early.filter(days => days < 0).length / known.size, 12)
    }
  })

  test('the scores of a page are those of a join on that day', async () => {
    const day = '2010-04-01'
    for (const name of ['asset_growth', 'accruals', 'return_on_equity']) {
      const rows = await valuesOn(name, day)
      expect(rows.length).toBeGreaterThan(200)
      for (const { filed } of rows) expect(filed <= day).toBe(true)
      const tickers = rows.map(({ ticker }) => ticker)
      const join = await post('as-of', {
        rows: { date: tickers.map(() => day), ticker: tickers },
        metrics: [name],
        inclusive: true,
        max_age_days: 3_660,
      })
      const { columns } = await join.json()
      expect(columns[name]).toEqual(rows.map(({ score }) => score))
    }
  })

  test('every format has the same rows', async () => {
    const path = 'strategies/asset_growth/values?market=US&as_of=2010-04-01&limit=20'
    const answer = await (await ask(path)).json()
    expect(Value.Check(StrategyValues, answer)).toBe(true)
    const lines = (await (await ask(`${path}&format=ndjson`)).text()).trim().split('\n')
    expect(lines.map(line => JSON.parse(line).score)).toEqual(answer.data.map(({ score }: ValueRow) => score))
    const [head, ...csv] = (await (await ask(`${path}&format=csv`)).text()).trim().split('\r\n')
    const at = head.split(',').indexOf('ticker')
    expect(csv.map(line => line.split(',')[at])).toEqual(answer.data.map(({ ticker }: ValueRow) => ticker))
  })

  test('ranks the rows of a backtest', async () => {
    const rows = await valuesOn('asset_growth', '2010-04-01')
    const names = rows.slice(0, 60).map(({ ticker }) => ticker)
    const dates = ['2010-04-01', '2010-05-03', '2010-06-01', '2010-07-01', '2010-08-02', '2010-09-01']
    const panel = dates.flatMap(date =>
      names.map((asset, i) => ({ date, asset, forward_return: ((i * 7) % 11) / 1_000 - 0.005 })),
    )
    const answer = await post('backtest', { panel, score: { asOf: 'asset_growth' } })
    const result = await answer.json()
    expect([answer.status, result.error]).toEqual([200, undefined])
    expect(result.score.metric).toBe('asset_growth')
  })

  test('an evaluation counts each company of a page, and a free key sees no values', async () => {
    const used = async () => (await (await ask('me', evaluation)).json()).entities.used
    const before = await used()
    const { count } = await (
      await ask('strategies/asset_growth/values?market=US&as_of=2010-04-01&limit=10', evaluation)
    ).json()
    expect(count).toBe(10)
    expect((await used()) - before).toBe(10)
    expect(await failureOf('strategies/asset_growth/values?market=US', free)).toMatchObject({
      status: 403,
      code: 'licence_required',
    })
  })

  test('says what is wrong with a name, a market or a period', async () => {
    const unknown = await failureOf('strategies/acruals')
    expect(unknown).toMatchObject({ status: 404, code: 'entity_unknown' })
    expect(unknown.message).toContain('Did you mean accruals?')
    expect(await failureOf('strategies/Accruals')).toMatchObject({ status: 400, param: 'name' })
    expect(await failureOf('strategies/accruals/values?market=TW')).toMatchObject({
      status: 400,
      param: 'market',
    })
    const join = await post('as-of', {
      rows: { date: ['2010-04-01'], ticker: ['AAPL'] },
      metrics: ['accruals'],
      fp: 'TTM',
    })
    const { error } = await join.json()
    expect([join.status, error.param]).toEqual([400, 'fp'])
    expect(error.message).toContain('accruals')
  })
})
