import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import { changeAccess } from '../../../src/features/prices/setQueries.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import { findPriceSet } from '../../../src/prices/priceQueries.ts'
import type { RealServer } from '../../http/realServer.ts'
import type { TestBrowser } from '../account/browser.ts'
import { type Member, memberWith } from '../account/members.ts'
import { insertEntity } from '../companies/fixtures.ts'
import { runningServer } from './runningServer.ts'

setDefaultTimeout(180_000)

let server: RealServer
let reader: Member
let stranger: Member
const markets = await loadMarkets()

/** Weekdays over the first months of the shipped archive of forecasts. */
const tradingDays: string[] = []
for (let day = dayNumber('2012-11-01'); tradingDays.length < 120; day++)
  if ((day + 3) % 7 < 5) tradingDays.push(isoDate(day))
const own = Array.from({ length: 10 }, (_, at) => `OWN${at}`)
const closeOf = (name: number, day: number) => 50 + name + ((day * (name + 3)) % 11)

/** The close of each name on each day. */
const closes = (names: readonly string[]) =>
  `date,symbol,close\n${names.flatMap((name, at) => tradingDays.map((day, index) => `${day},${name},${closeOf(at, index)}`)).join('\n')}\n`

beforeAll(async () => {
  server = await runningServer()
  const { sql } = server
  const archive = await sql<{ ticker: string }[]>`
    select distinct s.ticker from signal s join entity e on e.ticker = s.ticker order by 1 limit 20`
  for (const [at, ticker] of own.entries())
    await insertEntity(sql, { market: 'US', issuerId: String(8_100_000_001 + at), ticker, name: ticker })
  for (const [name, names] of [
    ['daily', [...own, ...archive.map(({ ticker }) => ticker)]],
    ['unshown', own],
  ] as const)
    await importPrices(
      sql,
      { name: 'prices.csv', body: new TextEncoder().encode(closes(names)) },
      {
        name,
        currency: 'USD',
        basis: 'raw',
        known: 'date',
        adjustedOn: null,
        markets,
        now: () => new Date('2026-07-01T12:00:00Z'),
      },
    )
  reader = await memberWith(server, sql, { licence: 'personal', quant: true })
  stranger = await memberWith(server, sql, { licence: 'commercial', quant: true })
  const set = await findPriceSet(sql, 'daily')
  if (set === null) throw new Error('The set is missing.')
  await changeAccess(sql, set, { licences: ['personal'], allowed: [], denied: [] })
})
afterAll(() => server.stop(), 60_000)

function post(browser: TestBrowser, fields: Record<string, string>, file?: string): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ do: 'run', ...fields })) form.set(name, value)
  form.set('file', new File(file === undefined ? [] : [file], 'rows.csv'))
  return fetch(`${server.url}/backtest`, {
    method: 'POST',
    redirect: 'manual',
    body: form,
    headers: {
      Accept: 'text/html',
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': browser.network,
      Cookie: [...browser.cookies].map(pair => pair.join('=')).join('; '),
    },
  })
}

/** Runs a form to its end and returns the address of the run. */
async function run(browser: TestBrowser, fields: Record<string, string>, file?: string): Promise<string> {
  const response = await post(browser, fields, file)
  const path = response.headers.get('location') ?? ''
  expect([response.status, path]).toEqual([303, expect.stringContaining('/backtest/runs/')])
  for (let attempt = 0; attempt < 240; attempt++) {
    const text = await browser.page(path)
    if (!/data-state="(queued|running)"/.test(text)) {
      expect(text).toContain('data-state="succeeded"')
      return path
    }
    await Bun.sleep(250)
  }
  throw new Error('It does not end.')
}

const api = async (body: unknown) => {
  const response = await fetch(`${server.url}/api/v1/backtest`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { Authorization: `Bearer ${reader.key}`, 'Content-Type': 'application/json' },
  })
  return response.json()
}

const scoreOf = (name: number, day: number) => (day * 7 + name * 3) % 10
const rows = tradingDays.flatMap((date, day) =>
  own.map((asset, at) => ({ date, asset, score: scoreOf(at, day) })),
)
const csv = `date,asset,score\n${rows.map(({ date, asset, score }) => `${date},${asset},${score}`).join('\n')}\n`

describe('the returns of a price set on the page', () => {
  test('are offered to those who may see a set, and to nobody else', async () => {
    const theirs = await reader.browser.page('/backtest')
    expect(theirs).toContain('<option value="daily">the prices of daily, USD</option>')
    expect(theirs).not.toContain('unshown')
    const others = await stranger.browser.page('/backtest')
    expect([others.includes('name="priceSet"'), others.includes('daily, USD')]).toEqual([false, false])
  })

  test('replace those of a file, which needs none, by the plain loop', async () => {
    const path = await run(
      reader.browser,
      { rows: 'file', priceSet: 'daily', priceHorizon: '3', entryLag: '2', known: '2024-12-31', folds: '2' },
      csv,
    )
    const json = await (await reader.browser.get(`${path}/result`)).json()
    expect(json.prices).toMatchObject({ set: 'daily', horizon: 3, entry_lag: 2, known: '2024-12-31' })
    const withReturns = rows.flatMap(row => {
      const [name, day] = [own.indexOf(row.asset), tradingDays.indexOf(row.date)]
      if (day + 5 >= tradingDays.length) return []
      return [{ ...row, forward_return: closeOf(name, day + 5) / closeOf(name, day + 2) - 1 }]
    })
    expect(json.prices.rows).toMatchObject({ used: withReturns.length, not_ended: 50 })
    const plain = await api({ panel: withReturns, config: { returnDays: 3, folds: 2 } })
    expect(json.equity_curve).toHaveLength(plain.equity_curve.length)
    for (const [at, value] of plain.equity_curve.entries())
      expect(json.equity_curve[at]).toBeCloseTo(value, 10)
    const report = await (await reader.browser.get(`${path}/report`)).text()
    expect(report).toContain('Prices: the set daily')
    const page = await reader.browser.page(path)
    // Whoever asks is refused, so nobody is offered it.
    expect(page).toContain('This report uses the price set daily')
    expect(page).not.toContain('Make a public address')
    expect(page).toContain('prices=')
    expect(page).toContain('columns = [*[&quot;date&quot;, &quot;asset&quot;, &quot;score&quot;]')
  })

  test('replace those of the archive, and the curl line gives the same numbers', async () => {
    const path = await run(reader.browser, {
      rows: 'archive',
      horizon: '1d',
      to: '2013-03-29',
      priceSet: 'daily',
      entryLag: '0',
      priceDelisting: '-0.5',
    })
    const json = await (await reader.browser.get(`${path}/result`)).json()
    expect(json.prices).toMatchObject({ set: 'daily', horizon: 1, entry_lag: 0, delisting: -0.5 })
    expect(json.prices.rows.with_return).toBeGreaterThan(1_000)
    const text = await reader.browser.page(path)
    const request = /-d &#39;(.*?)&#39;\n?<\/code>/s.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? ''
    expect(JSON.parse(request).prices.set).toBe('daily')
    const again = await api(JSON.parse(request))
    expect([again.metrics, again.prices]).toEqual([json.metrics, json.prices])
  })

  test('fail in the form for a set that the key may not see, as for none, and name their field', async () => {
    const [{ before }] = await server.sql<{ before: number }[]>`select count(*)::int as before from job`
    const refused: [Member, Record<string, string>, string, string][] = [
      [stranger, { priceSet: 'daily' }, 'There is no price set daily', 'priceSet'],
      [reader, { priceSet: 'unshown' }, 'There is no price set unshown', 'priceSet'],
      [reader, { priceSet: 'nosuch' }, 'There is no price set nosuch', 'priceSet'],
      [reader, { priceSet: 'Not a name' }, 'There is no price set', 'priceSet'],
      [
        reader,
        { priceSet: 'daily', known: '2999-01-01' },
        'known is 2999-01-01, which is in the future',
        'known',
      ],
      [reader, { priceSet: 'daily', known: '2024-02-30' }, 'known', 'known'],
      [reader, { priceSet: 'daily', priceHorizon: '0' }, 'horizon is 0', 'priceHorizon'],
      [reader, { priceSet: 'daily', priceDelisting: '-3' }, 'delisting is -3', 'priceDelisting'],
      [reader, { priceHorizon: '5' }, 'belong to a price set', 'priceHorizon'],
      [reader, { priceSet: 'daily', priceHorizon: '5', returnDays: '3' }, 'its horizon', 'returnDays'],
    ]
    for (const [who, fields, words, field] of refused)
      for (const [kind, file] of [
        ['archive', undefined],
        ['file', csv],
      ] as const) {
        const response = await post(who.browser, { rows: kind, ...fields }, file)
        const text = await response.text()
        expect([fields, kind, response.status >= 400 && response.status < 500]).toEqual([fields, kind, true])
        const shown = text.replace(/<[^>]*>/g, '')
        expect(shown).toContain(words)
        if (who === reader) expect([fields, text.includes(`data-field="${field}"`)]).toEqual([fields, true])
      }
    const [{ after }] = await server.sql<{ after: number }[]>`select count(*)::int as after from job`
    expect(after).toBe(before)
  })

  test('a file is checked with them: its own returns are not used', async () => {
    const response = await post(
      reader.browser,
      { rows: 'file', do: 'check', priceSet: 'daily' },
      csv.replace('score\n', 'score,forward_return\n').replaceAll(/(\d)\n(?=\d|$)/g, '$1,0\n'),
    )
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain('not used: returns come from daily')
  })
})
