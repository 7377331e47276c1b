import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { addDays, dayNumber } from '../../../src/dates.ts'
import { registers } from '../../../src/ingest/allRegisters.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { memberWith } from '../account/members.ts'
import {
  appleSplits,
  capitalisationOn,
  generatePrices,
  importLines,
  type PriceLine,
  type SampleRow,
  sampleRows,
} from '../asOfJoins/generatedPrices.ts'
import { readPage } from '../pages/readPage.ts'

/* The reference reads the lines of the shipped sample and the generated closes by itself. The coefficients are those of
 * Altman (1968), as published. */

setDefaultTimeout(180_000)

const prices: Readonly<Record<string, PriceLine[]>> = {
  AAPL: generatePrices('AAPL', '2008-01-02', '2024-12-31', appleSplits),
  JCI: generatePrices('JCI', '2008-01-02', '2011-12-30'),
  LPA: generatePrices('LPA', '2022-01-03', '2025-06-30'),
  SNOW: generatePrices('SNOW', '2019-01-02', '2025-06-30'),
}
const tickers = Object.keys(prices)
const days = Array.from({ length: 300 }, (_, i) =>
  addDays('2009-09-01', Math.floor((Math.abs(Math.sin(i * 78.233)) * 1e5) % 5_700)),
)

let server: RealServer
let key: string
let free: string
let withoutSet: readonly { readonly status: number; readonly message: string }[]
const filed = new Map<string, SampleRow[]>()
const years = new Map<string, Year[]>()

beforeAll(async () => {
  server = await realServer()
  key = await sellKey(server.sql, { licence: 'personal', quant: true })
  free = await sellKey(server.sql, { licence: 'free' })
  withoutSet = [
    await refusalOf('strategies/altman_z/values?market=US&as_of=2019-12-31'),
    await refusalOf('as-of', { rows: { date: ['2019-12-31'], ticker: ['AAPL'] }, metrics: ['altman_z'] }),
    await refusalOf('backtest', { source: { market: 'US', score: 'altman_z' } }),
    await refusalOf('backtest', {
      panel: { date: ['2019-12-31'], asset: ['AAPL'], forward_return: [0.1] },
      score: { asOf: 'altman_z' },
    }),
  ]
  await importLines(server.sql, Object.values(prices).flat())
  for (const ticker of tickers) {
    filed.set(ticker, await sampleRows(ticker))
    years.set(ticker, await yearsOf(ticker))
  }
})
afterAll(() => server.stop())

const ask = (path: string, body?: object, caller = key) =>
  fetch(`${server.url}/api/v1/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${caller}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })

async function read(path: string, body?: object) {
  const response = await ask(path, body)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

async function refusalOf(path: string, body?: object, caller = key) {
  const response = await ask(path, body, caller)
  const { error } = await response.json()
  return { status: response.status, message: error.message as string, param: error.param as string }
}

interface Year {
  readonly metric: string
  readonly end: string
  readonly filed: string
  readonly value: number
  readonly order: number
  readonly sequence: string
}

const used = [
  'assets',
  'current_assets',
  'current_liabilities',
  'liabilities',
  'operating_income',
  'retained_earnings',
  'revenue',
]

/** The figures of fiscal years as they stand in the file, without periods that a filing states again in whole months. */
async function yearsOf(ticker: string): Promise<Year[]> {
  const text = gunzipSync(await Bun.file('sample/fundamentals.csv.gz').bytes()).toString()
  return text.split('\n').flatMap(line => {
    const [metric, , fp, end, day, v, , id, , , tag, accession, , accepted, , rounded] = line.split(',')
    if (id !== ticker || fp !== 'FY' || rounded === 'yes' || !used.includes(metric) || end > day) return []
    const tags = registers.get('US')?.concepts?.[metric]?.tagGroups.flat() ?? []
    const order = tags.indexOf(tag)
    return [{ metric, end, filed: day, value: Number(v), order, sequence: `${day} ${accepted} ${accession}` }]
  })
}

interface PlainZ {
  readonly z: number
  readonly end: string
  /** The day on which the last of the figures of the fiscal year was filed. */
  readonly filed: string
}

/** Z as the paper defines it, from what was filed up to and including a day; null if something is missing. */
function zOn(ticker: string, day: string): PlainZ | null {
  const known = (years.get(ticker) ?? []).filter(year => year.filed <= day)
  const end = known
    .filter(({ metric }) => metric === 'assets')
    .reduce((last, year) => (year.end > last ? year.end : last), '')
  const figures: Record<string, Year> = {}
  for (const metric of used) {
    const stated = known
      .filter(year => year.metric === metric && year.end === end)
      .toSorted((a, b) => a.order - b.order || (a.sequence < b.sequence ? 1 : -1))
    if (stated.length === 0) return null
    figures[metric] = stated[0]
  }
  const cap = capitalisationOn(filed.get(ticker) ?? [], prices[ticker], day)
  const priced = prices[ticker].findLast(({ date }) => date <= day)
  if (cap === null || priced === undefined || dayNumber(priced.date) - dayNumber(end) > 550) return null
  const [assets, current, due, debts, profit, retained, sales] = used.map(metric => figures[metric].value)
  const z =
    (1.2 * (current - due)) / assets +
    (1.4 * retained) / assets +
    (3.3 * profit) / assets +
    (0.6 * cap) / debts +
    (0.999 * sales) / assets
  const last = Object.values(figures).reduce((day, { filed }) => (filed > day ? filed : day), '')
  return { z, end, filed: last }
}

const near = (value: number | null, expected: number) =>
  value !== null && Math.abs(value - expected) <= 1e-12 * Math.max(1, Math.abs(expected))

test('without a set of prices every way to the score says how an operator imports one', () => {
  for (const { status, message } of withoutSet) {
    expect(status).toBe(400)
    expect(message).toContain('./asfiled prices import')
  }
})

test('joins answer minus Z of a plain loop over the file of the sample and the closes', async () => {
  const compared: Record<string, number> = {}
  for (const ticker of tickers) {
    compared[ticker] = 0
    for (const inclusive of [true, false]) {
      const rows = { date: days, ticker: days.map(() => ticker) }
      const body = { rows, metrics: ['altman_z', 'assets'], with: ['filed'], inclusive }
      const { columns, price_set } = await read('as-of', body)
      expect(price_set).toBe('made-up')
      for (const [i, day] of days.entries()) {
        const expected = zOn(ticker, inclusive ? day : addDays(day, -1))
        const found = columns.altman_z[i]
        if (expected === null) {
          expect([ticker, day, found]).toEqual([ticker, day, null])
          continue
        }
        expect([ticker, day, found, near(found, -expected.z)]).toEqual([ticker, day, found, true])
        expect(columns.altman_z_filed[i] >= expected.filed).toBe(true)
        expect(columns.altman_z_filed[i] < day || inclusive).toBe(true)
        compared[ticker]++
      }
    }
  }
  expect(compared.AAPL).toBeGreaterThan(400)
})

test('the values of a day are those of a join that includes it, to the bit, with every line', async () => {
  let compared = 0
  for (const day of ['2010-01-25', '2010-10-27', '2014-06-09', '2019-12-31', '2020-08-31', '2021-03-06']) {
    const list = await read(`strategies/altman_z/values?market=US&as_of=${day}&limit=2000`)
    expect(list.price_set).toBe('made-up')
    const rows = list.data.filter(({ ticker }: { ticker: string }) => tickers.includes(ticker))
    const named = rows.map(({ ticker }: { ticker: string }) => ticker)
    const { columns } = await read('as-of', {
      rows: { date: named.map(() => day), ticker: named },
      metrics: ['altman_z'],
      with: ['end', 'filed'],
      inclusive: true,
    })
    expect(rows.map(({ score }: { score: number }) => score)).toEqual(columns.altman_z)
    for (const [i, row] of rows.entries()) {
      if (row.value === null) {
        expect(row.missing.length).toBeGreaterThan(0)
        continue
      }
      const plain = zOn(row.ticker, day)
      expect(near(row.value, plain?.z ?? Number.NaN)).toBe(true)
      expect([row.end, row.filed, row.missing]).toEqual([plain?.end, columns.altman_z_filed[i], []])
      expect(row.x4).toBe(row.market_cap / row.liabilities)
      expect(
        row.filings.some((one: string) => one.startsWith(`market_cap:${columns.altman_z_end[i]}:`)),
      ).toBe(true)
      compared++
    }
    const unpriced = list.data.find(({ ticker }: { ticker: string }) => !tickers.includes(ticker))
    expect([unpriced.market_cap, unpriced.value]).toEqual([null, null])
    expect(unpriced.missing).toContain('market_cap')
  }
  expect(compared).toBeGreaterThan(5)
})

test('what is filed or traded later never changes an earlier score', async () => {
  const rows = { date: days, ticker: days.map(() => 'AAPL') }
  const before = await read('as-of', { rows, metrics: ['altman_z'] })
  const cut = '2016-03-01'
  const later = generatePrices('AAPL', '2008-01-02', '2024-12-31', appleSplits, 250)
  const lines = [...prices.AAPL.filter(({ date }) => date < cut), ...later.filter(({ date }) => date >= cut)]
  await importLines(server.sql, lines, { name: 'other' })
  const after = await read('as-of', { rows, metrics: ['altman_z'], prices: 'other' })
  let changed = 0
  for (const [i, day] of days.entries()) {
    const [old, now] = [before.columns.altman_z[i], after.columns.altman_z[i]]
    if (day <= cut) expect([day, now]).toEqual([day, old])
    else if (old !== now) changed++
  }
  expect(changed).toBeGreaterThan(50)
  // Each figure first counts for a row on the day after its filing.
  const first = zOn('AAPL', '2019-10-31')
  const around = ['2019-10-31', '2019-11-01']
  const { columns } = await read('as-of', {
    rows: { date: around, ticker: around.map(() => 'AAPL') },
    metrics: ['altman_z'],
    prices: 'made-up',
  })
  expect(first?.filed).toBe('2019-10-31')
  expect(near(columns.altman_z[1], -(first?.z ?? Number.NaN))).toBe(true)
  expect(near(columns.altman_z[0], -(first?.z ?? Number.NaN))).toBe(false)
  const message = (await refusalOf('as-of', { rows, metrics: ['altman_z'] })).message
  expect(message).toContain('made-up, other')
  await server.sql`delete from price_set where name = 'other'`
})

test('a backtest that ranks by the strategy equals one with the join as its scores', async () => {
  const dates = Array.from({ length: 24 }, (_, i) => addDays('2021-06-01', 30 * i))
  const rows = dates.flatMap(date => ['AAPL', 'SNOW'].map(asset => ({ date, asset })))
  const panel = {
    date: rows.map(({ date }) => date),
    asset: rows.map(({ asset }) => asset),
    forward_return: rows.map((_, i) => Math.sin(i * 12.9898) / 20),
  }
  const { columns } = await read('as-of', {
    rows: { date: panel.date, ticker: panel.asset },
    metrics: ['altman_z'],
    max_age_days: 550,
  })
  const result = await read('backtest', { panel, score: { asOf: 'altman_z', max_age_days: 550 } })
  const own = await read('backtest', { panel: { ...panel, score: columns.altman_z } })
  expect(result.score).toMatchObject({
    metric: 'altman_z',
    fiscal_period: 'FY',
    price_set: 'made-up',
    unit: 'pure',
  })
  expect(columns.altman_z.filter((score: number | null) => score !== null).length).toBeGreaterThan(20)
  for (const name of ['n_rows', 'n_dates', 'config', 'metrics', 'equity_curve', 'equity_dates', 'costs'])
    expect([name, result[name]]).toEqual([name, own[name]])
})

test('rows with times take the last close that had ended, and the figures that were public by then', async () => {
  const dates = ['2013-05-15', '2019-12-31', '2021-03-08']
  const ticker = dates.map(() => 'AAPL')
  const atTimes = dates.map(date => `${date}T12:00:00-05:00`)
  const timed = await read('as-of', { rows: { time: atTimes, ticker }, metrics: ['altman_z'] })
  const daily = await read('as-of', { rows: { date: dates, ticker }, metrics: ['altman_z'] })
  expect(timed.columns.altman_z).toEqual(daily.columns.altman_z)
  expect(timed.columns.altman_z.every((score: number | null) => score !== null)).toBe(true)
})

test('the page shows the value and the ranking to whoever may see the set, and to others why not', async () => {
  const buyer = await memberWith(server, server.sql, { licence: 'personal' })
  const stranger = await memberWith(server, server.sql, { licence: 'commercial' })
  await server.sql`update price_set set access = 'licence', licences = array['personal']`
  const path = `${server.url}/strategies/altman_z?market=US&as_of=2019-12-31&company=AAPL`
  const z = zOn('AAPL', '2019-12-31')?.z ?? Number.NaN
  const shown = String(Number(z.toPrecision(6)))
  const seen = await readPage(path, { Cookie: buyer.cookie })
  expect(seen.html).toContain(`value <strong>${shown}</strong>`)
  expect(seen.html).toContain('1 company has a value')
  expect(seen.html).toContain('price set made-up')
  const refused = await readPage(path, { Cookie: stranger.cookie })
  expect(refused.html).not.toContain(shown)
  expect(refused.html).toContain('there is no set of prices that your key may see')
  expect(refused.html).toContain('id="coverage"')
  const open = await readPage(path.replace('&company=AAPL', ''), {})
  expect(open.html).not.toContain('made-up')
  await server.sql`update price_set set access = 'private', licences = '{}'`
  expect((await readPage(path, { Cookie: buyer.cookie })).html).not.toContain(shown)
  await server.sql`update price_set set access = 'licence', licences = array['personal']`
})

test('rights, days and the name of the set are refused in words', async () => {
  const values = 'strategies/altman_z/values?market=US&as_of=2019-12-31'
  expect((await refusalOf(values, undefined, free)).message).toContain('licence')
  expect((await refusalOf(`${values}&prices=nothing`)).message).toContain(
    'prices=nothing is no set of prices',
  )
  expect((await refusalOf('strategies/accruals/values?market=US&prices=made-up')).message).toContain(
    'Omit prices',
  )
  const instant = 'strategies/altman_z/values?market=US&as_of=2019-12-31T12:00:00Z'
  expect((await refusalOf(instant)).param).toBe('as_of')
  const part = { rows: { date: ['2019-12-31'], ticker: ['AAPL'] }, metrics: ['altman_z.accounts'] }
  expect((await ask('as-of', part)).status).toBe(400)
  await server.sql`update price_set set access = 'private', licences = '{}'`
  expect((await refusalOf(values)).message).toContain('there is no set of prices that your key may see')
  const cached = await refusalOf(`${values}&limit=2000`)
  expect(cached.status).toBe(400)
  await server.sql`update price_set set access = 'licence', licences = array['personal']`
})

test('the coverage counts years for which filings state every other input', async () => {
  const { coverage, takes_prices, unavailable } = await read('strategies/altman_z')
  expect(takes_prices).toBe(true)
  expect(coverage.length).toBeGreaterThan(0)
  expect(unavailable.every(({ lacking }: { lacking: string[] }) => !lacking.includes('market_cap'))).toBe(
    true,
  )
})
