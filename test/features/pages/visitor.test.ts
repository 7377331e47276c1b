import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { rounds } from '../../rounds.ts'
import { memberWith } from '../account/members.ts'
import { type CellState, compareCompany, signedOut, type Tab, tabs } from './compare.ts'
import { readPage } from './readPage.ts'

setDefaultTimeout(120_000)

let server: RealServer
let companies: string[]
beforeAll(async () => {
  server = await realServer()
  const rows = await server.sql<{ ticker: string }[]>`select ticker from entity order by entity_id limit 200`
  companies = [
    ...new Set([...rows.map(({ ticker }) => ticker), 'AAPL', 'GOOGL', 'SNOW', '2330.TW', '005930.KS']),
  ]
})
afterAll(() => server.stop(), 60_000)

const compare = async (ticker: string, show: Tab, asOf: string | null): Promise<number> =>
  (await compareCompany(server.url, signedOut, { ticker, show, asOf })).figures

const columnEnds = (html: string): string[] =>
  [...(/<thead>(.*?)<\/thead>/.exec(html)?.[1] ?? '').matchAll(/<small>([\d-]+)</g)].map(([, end]) => end)

/** The cells of a page after company.js has moved the slider to a day. */
function cellsByScript(html: string, day: string): string[] {
  const text = /<script type="application\/json" id="states">(.*?)<\/script>/.exec(html)?.[1]
  if (text === undefined) return []
  const { days, rows }: { days: string[]; rows: CellState[][][] } = JSON.parse(text)
  const stop = days.findLastIndex(filed => filed <= day)
  const metrics = [...html.matchAll(/<tr data-m="(\w+)"/g)].map(([, metric]) => metric)
  const ends = columnEnds(html)
  return rows.flatMap((row, at) =>
    row.flatMap((states, column) => {
      const state = states.find(([from, until]) => from <= stop && stop < until)
      if (state === undefined) return []
      const [, , shown, former, title, value] = state
      return [[metrics[at], ends[column], value, former !== null, shown, title].join(' ')]
    }),
  )
}

describe('a page shows a visitor what the demo key gets, and nothing else', () => {
  test('of 200 companies, today', async () => {
    let figures = 0
    for (const ticker of companies) figures += await compare(ticker, 'years', null)
    expect(figures).toBeGreaterThan(2_000)
  })

  test('of companies of every market, quarters and trailing twelve months, and days of the past', async () => {
    for (const ticker of ['SNOW', '2330.TW', '005930.KS', 'E02367.JP', '483935326.FR', 'CC40675.NZ']) {
      for (const show of ['quarters', 'ttm'] as const) await compare(ticker, show, null)
      for (const day of ['2010-03-31', '2023-12-31']) expect(await compare(ticker, 'years', day)).toBe(0)
    }
  })

  // The 10-K/A was accepted at 16:27 in New York, where 16:30 is half a day later than in Tokyo.
  test('as of a local time is a page of its own in each time zone, and its tabs keep the zone', async () => {
    const revenue = async (tz: string) => {
      const { html } = await readPage(`${server.url}/companies/AAPL?as_of=2010-01-25T16:30&tz=${tz}`)
      const tab = `show=quarters&amp;as_of=2010-01-25T16%3A30&amp;tz=${encodeURIComponent(tz)}`
      expect([tz, html.includes(tab)]).toEqual([tz, true])
      return html.includes('>42,905<')
    }
    expect([await revenue('America/New_York'), await revenue('Asia/Tokyo')]).toEqual([true, false])
  })

  test('of the flagship companies, on many days', async () => {
    const filed = await server.sql<{ filed: string }[]>`
      select distinct f.filed::text as filed from filing f join entity e on e.entity_id = f.entity_id
      where e.ticker in ('AAPL', 'GOOGL') order by 1`
    const days = filed.map(row => row.filed).filter((_, place) => place % 8 === 0)
    expect(days.length).toBeGreaterThan(12)
    for (const day of ['2009-07-21', '2009-10-26', ...days]) {
      for (const ticker of ['AAPL', 'GOOGL']) {
        await compare(ticker, 'years', day)
        await compare(ticker, 'quarters', day)
      }
      await compare('AAPL', 'ttm', day)
    }
  })

  test('nor in the data from which a script shows other days', async () => {
    for (const ticker of ['SNOW', '2330.TW', companies[20] ?? ''])
      expect((await readPage(`${server.url}/companies/${ticker}`)).html).not.toContain('id="states"')
  })

  test('the states of the script are what the page of each day shows, on random days', async () => {
    const { cookie } = await memberWith(server, server.sql, { licence: 'personal' })
    const tickers = [
      'AAPL',
      'GOOGL',
      'SNOW',
      '2330.TW',
      '005930.KS',
      'E02367.JP',
      '483935326.FR',
      'CC40675.NZ',
      ...companies.slice(10, 14),
    ]
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tickers),
        fc.constantFrom(...tabs),
        fc.date({ min: new Date('2009-06-01'), max: new Date('2026-06-01'), noInvalidDate: true }),
        async (ticker, show, date) => {
          const day = date.toISOString().slice(0, 10)
          const path = `${server.url}/companies/${ticker}?show=${show}`
          const today = await readPage(path, { Cookie: cookie })
          const page = await readPage(`${path}&as_of=${day}`, { Cookie: cookie })
          expect([ticker, today.status, page.status]).toEqual([ticker, 200, 200])
          const byScript = cellsByScript(today.html, day)
          const ends = new Set(columnEnds(today.html).filter(end => columnEnds(page.html).includes(end)))
          // A long history has other columns on another day: the script then loads the page of that day.
          const inBoth = (cell: string) => ends.has(cell.split(' ')[1] ?? '')
          const byServer = page.cells.map(({ metric, end, value, text, title, isRestated }) =>
            [metric, end, value, isRestated, text, title].join(' '),
          )
          expect([ticker, show, day, ...byScript.filter(inBoth).sort()]).toEqual([
            ticker,
            show,
            day,
            ...byServer.filter(inBoth).sort(),
          ])
          compared += byServer.length
        },
      ),
      { numRuns: rounds(20, 60) },
    )
    expect(compared).toBeGreaterThan(rounds(200, 1_000))
  })

  test('a screen and a list of restatements show what the demo key gets, and other days are refused', async () => {
    for (const path of ['/screen?as_of=2010-03-31', '/restatements?as_of=2010-03-31'])
      expect((await readPage(server.url + path)).status).toBe(403)
    const { html } = await readPage(`${server.url}/screen?c1=revenue&c2=roe`)
    const response = await fetch(
      `${server.url}/api/v1/cross-section?metric=revenue,roe&market=US&limit=1000`,
      {
        headers: { Authorization: 'Bearer demo' },
      },
    )
    const { data } = (await response.json()) as { data: { ticker: string; revenue: number | null }[] }
    const allowed = new Set(
      data.flatMap(({ ticker, revenue }) => (revenue === null ? [] : `${ticker} ${revenue}`)),
    )
    const shown = [...html.matchAll(/href="\/companies\/([^"]+)">[^<]*<\/a><\/th><td data-v="([^"]*)"/g)]
    expect(shown.length).toBeGreaterThan(100)
    for (const [, ticker, value] of shown)
      expect([ticker, allowed.has(`${ticker} ${value}`)]).toEqual([ticker, true])
  })
})
