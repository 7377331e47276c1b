import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readCompare } from '../../../../src/features/pages/compare/query.ts'
import { type RealServer, realServer } from '../../../http/realServer.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { evaluation, type Member, memberWith } from '../../account/members.ts'
import { askApi, type Reader, seePage, signedOut } from '../compare.ts'

setDefaultTimeout(120_000)

let server: RealServer
let personal: Member
beforeAll(async () => {
  server = await realServer()
  personal = await memberWith(server, server.sql, { licence: 'personal' })
}, 180_000)
afterAll(() => server.stop(), 60_000)

interface Shown {
  readonly company: string
  readonly column: string
  readonly metric: string
  readonly value: number | null
  readonly text: string
  readonly end: string
  readonly path: string
}

/** The cells of each line's table. */
function cellsIn(html: string): Shown[] {
  const shown: Shown[] = []
  for (const [, metric = '', table = ''] of html.matchAll(
    /aria-labelledby="line-(\w+)"><table class="figures">([\s\S]*?)<\/table>/g,
  )) {
    const hasUnits = table.includes('<th scope="col">Currency</th>')
    const columns = [...table.matchAll(/<th scope="col">([^<]*)<\/th>/g)]
      .map(([, name = '']) => name)
      .slice(hasUnits ? 2 : 1)
    for (const [, company = '', body = ''] of table.matchAll(
      /<th scope="row">[^<]*<small>([^<]*)<\/small><\/th>(.*?)<\/tr>/g,
    )) {
      const cells = [...body.matchAll(/<td([^>]*)>(.*?)<\/td>/g)].slice(hasUnits ? 1 : 0)
      for (const [at, [, attributes = '', content = '']] of cells.entries()) {
        if (content === '') continue
        const value = /data-v="([^"]*)"/.exec(attributes)?.[1]
        shown.push({
          company,
          column: columns[at] ?? '',
          metric,
          value: value === undefined ? null : Number(value),
          text: /<a [^>]*>(.*?)<\/a>/.exec(content)?.[1] ?? '',
          end: /<small>([\d-]{10})/.exec(content)?.[1] ?? '',
          path: (/href="([^"]*)"/.exec(content)?.[1] ?? '').replaceAll('&amp;', '&'),
        })
      }
    }
  }
  return shown
}

interface Row {
  readonly m: string
  readonly fy: number
  readonly fp: string
  readonly end: string
  readonly v: number
  readonly u: string
}

async function rowsOf(reader: Pick<Reader, 'key'>, query: string): Promise<Row[]> {
  const answer = await askApi(server.url, `/api/v1/fundamentals?${query}`, reader)
  expect([query, answer.status]).toEqual([query, 200])
  return (await answer.json()).data
}

const see = (query: string, reader: Reader = personal) => seePage(server.url, `/compare${query}`, reader)

describe('a comparison shows what the API answers to the visitor', () => {
  for (const [who, reader] of [
    ['a visitor without a licence', () => signedOut],
    ['a member', () => personal],
  ] as const) {
    test(`${who}: years, quarters and trailing twelve months, today and on past days`, async () => {
      const periods = { years: 'FY', quarters: 'Q1,Q2,Q3,Q4', ttm: 'TTM' } as const
      const tickers = ['AAPL', 'GOOGL', 'SNOW', '2330.TW', 'E02367.JP']
      let compared = 0
      for (const show of ['years', 'quarters', 'ttm'] as const) {
        for (const day of ['', '2012-01-25', '2024-06-30']) {
          const open = day === '' || reader() !== signedOut ? tickers : ['AAPL', 'GOOGL']
          const asOf = day === '' ? '' : `&as_of=${day}`
          const { status, html } = await see(
            `?companies=${tickers.join(',')}&metric=revenue,net_margin&show=${show}${asOf}`,
            reader(),
          )
          expect([show, day, status]).toEqual([show, day, 200])
          const shown = cellsIn(html)
          const expected: string[] = []
          for (const ticker of open) {
            const rows = await rowsOf(
              reader(),
              `ticker=${ticker}&metric=revenue,net_margin&vintage=latest&fp=${periods[show]}${asOf}`,
            )
            for (const { m, end, v } of rows) expected.push(`${ticker} ${m} ${end} ${v}`)
          }
          const own = shown.map(({ company, metric, end, value }) => `${company} ${metric} ${end} ${value}`)
          const allowed = new Set(expected)
          expect(own.filter(one => !allowed.has(one))).toEqual([])
          // All but quarters beyond the 24 columns.
          if (show === 'years') expect(own.sort()).toEqual(expected.sort())
          compared += own.length
          for (const ticker of tickers.filter(id => !open.includes(id)))
            expect(html).toContain(`<strong>${ticker}</strong> is left out`)
        }
      }
      expect(compared).toBeGreaterThan(200)
    })
  }

  test('every cell leads to its figure on the company’s page, on the day', async () => {
    const { html } = await see('?companies=AAPL,GOOGL&as_of=2012-01-25')
    for (const { path, text, end } of nonEmpty(cellsIn(html))) {
      expect(path).toContain('as_of=2012-01-25')
      expect(path).toContain(`.${end}#figure`)
      const { html: page } = await seePage(server.url, path, signedOut)
      expect([path, page.includes('id="figure"'), page.includes(`>${text}<`)]).toEqual([path, true, true])
    }
  })

  // 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091.
  test('as known before and after an amendment', async () => {
    const revenue = async (day: string) =>
      cellsIn((await see(`?companies=AAPL,GOOGL&metric=revenue&as_of=${day}`)).html).find(
        ({ company, column }) => company === 'AAPL' && column === '2009',
      )?.text
    expect([await revenue('2010-01-24'), await revenue('2010-01-25')]).toEqual(['36,537', '42,905'])
  })
})

describe('growth and indexes', () => {
  /** Days between two dates. */
  const distance = (a: string, b: string) => (Date.parse(b) - Date.parse(a)) / 86_400_000

  test('growth follows from the figures of the API by a plain loop', async () => {
    let numbers = 0
    for (const [show, fp] of [
      ['years', 'FY'],
      ['quarters', 'Q1,Q2,Q3,Q4'],
      ['ttm', 'TTM'],
    ] as const) {
      const tickers = ['AAPL', 'SNOW', 'E02367.JP']
      const { html } = await see(
        `?companies=${tickers.join(',')}&metric=net_income,eps_diluted&view=growth&show=${show}`,
      )
      for (const ticker of tickers) {
        const rows = await rowsOf(
          personal,
          `ticker=${ticker}&metric=net_income,eps_diluted&vintage=latest&fp=${fp}&adjust=splits`,
        )
        for (const { metric, end, value, text } of cellsIn(html).filter(
          ({ company }) => company === ticker,
        )) {
          const own = rows.find(row => row.m === metric && row.end === end)
          if (own === undefined) throw new Error(`no ${metric} of ${ticker} on ${end}`)
          const before = rows.find(
            row => row.m === metric && row.fp === own.fp && Math.abs(distance(row.end, end) - 365) <= 15,
          )
          const about = [ticker, show, metric, end]
          if (before === undefined || Math.sign(before.v) !== Math.sign(own.v))
            expect([...about, text]).toEqual([...about, 'n/a'])
          else {
            expect(value).toBeCloseTo(((own.v - before.v) / Math.abs(before.v)) * 100, 8)
            numbers++
          }
        }
      }
    }
    expect(numbers).toBeGreaterThan(60)
  })

  test('the share count of a split does not look like growth', async () => {
    const { html } = await see('?companies=AAPL,GOOGL&metric=shares_outstanding&view=growth')
    const shown = cellsIn(html).filter(({ company, value }) => company === 'AAPL' && value !== null)
    // Apple split 7:1 in 2014 and 4:1 in 2020.
    for (const { value } of nonEmpty(shown)) expect(Math.abs(value ?? 0)).toBeLessThan(15)
  })

  test('an index is 100 in the first year in which all have a figure, and says so', async () => {
    const { html } = await see('?companies=AAPL,SNOW,2330.TW&metric=revenue&view=indexed')
    const shown = cellsIn(html)
    expect(html).toContain('of the year that ends in 2023 is 100')
    for (const { column, text } of shown.filter(({ column }) => column === '2023'))
      expect([column, text]).toEqual(['2023', '100.0'])
    expect(shown.some(({ column }) => column < '2023')).toBe(false)
    const rows = await rowsOf(personal, 'ticker=2330.TW&metric=revenue&vintage=latest&fp=FY')
    const [base, next] = ['2023-12-31', '2024-12-31'].map(end => rows.find(row => row.end === end)?.v ?? 0)
    const index = shown.find(({ company, column }) => company === '2330.TW' && column === '2024')
    expect(index?.value).toBeCloseTo((100 * next) / base, 8)
  })

  test('amounts in two currencies are never drawn beside each other', async () => {
    const { html } = await see('?companies=AAPL,2330.TW&metric=revenue,eps,net_margin')
    expect(html).toContain('The amounts are in TWD and USD, which cannot be compared with each other')
    const sections = html.split('<h2 id="line-').slice(1)
    expect(sections[0]).toContain('index, first common period = 100')
    const eps = sections.find(section => section.startsWith('eps"')) ?? ''
    expect(eps).not.toContain('bar-chart')
    const margins = sections.find(section => section.startsWith('net_margin"')) ?? ''
    expect(margins).toContain('aria-label="Net margin, percent"')
    const one = await see('?companies=AAPL,GOOGL&metric=revenue')
    expect(one.html).not.toContain('cannot be compared')
    expect(one.html).toContain('aria-label="Revenue, USD, millions"')
  })
})

describe('what is typed', () => {
  test('may be pasted with commas, spaces and lines', () => {
    const typed = encodeURIComponent(' aapl, msft;GOOGL\r\nIBM\tAAPL,,\n')
    expect(readCompare(`companies=${typed}`).companies).toEqual(['AAPL', 'MSFT', 'GOOGL', 'IBM'])
    expect(readCompare('companies=AAPL+MSFT&metric=revenue&metric=assets&metric=revenue').metrics).toEqual([
      'revenue',
      'assets',
    ])
  })

  test('if unknown is named with what was perhaps meant, and the others are shown', async () => {
    const { status, html } = await see('?companies=AAPL,AAPLE,snowflake,GOOGL')
    expect(status).toBe(200)
    expect(html).toContain('We know no company <strong>AAPLE</strong>')
    expect(html).toContain('<a href="/compare?companies=AAPL,AAPL,SNOWFLAKE,GOOGL">AAPL</a>')
    expect(html).toContain('<a href="/compare?companies=AAPL,AAPLE,SNOW,GOOGL">SNOW</a> (Snowflake Inc.)')
    expect(new Set(cellsIn(html).map(({ company }) => company))).toEqual(new Set(['AAPL', 'GOOGL']))
  })

  test('if all of it is unknown, the page is not found and keeps the form', async () => {
    const { status, html } = await see('?companies=NOTHING,NEITHER&metric=assets')
    expect(status).toBe(404)
    expect(html).toContain('>NOTHING,NEITHER</textarea>')
    expect(html).toContain('<option value="assets" selected>')
  })

  test('twice counts once, and more than eight are left out by name', async () => {
    const twice = await see('?companies=AAPL,320193,GOOGL')
    expect(twice.html).toContain('320193 is another ID of a company that is already compared')
    const rows = await server.sql<{ ticker: string }[]>`
      select ticker from entity where market = 'US' order by entity_id limit 10`
    const tickers = rows.map(({ ticker }) => ticker)
    const { html } = await see(`?companies=${tickers.join('+')}&metric=assets`)
    expect(html).toContain(
      `A comparison has at most 8 companies. ${tickers[8]} and ${tickers[9]} are left out.`,
    )
  })

  test('in one field with a mistake keeps all other fields', async () => {
    for (const [query, code] of [
      ['as_of=yesterday', 400],
      ['as_of=2999-01-01', 400],
      ['metric=nonsense', 400],
      ['show=weeks', 400],
    ] as const) {
      const { status, html } = await see(`?companies=AAPL,GOOGL&view=growth&${query}`)
      expect([query, status]).toEqual([query, code])
      expect([query, html.includes('>AAPL,GOOGL</textarea>')]).toEqual([query, true])
      expect(html).toContain('<option value="growth" selected>')
      expect(html).toContain('class="notice bad"')
    }
    expect((await see('?companies=AAPL,GOOGL&as_of=yesterday')).html).toContain('value="yesterday"')
  })

  test('is text, whatever it is', async () => {
    const attack = '<img/src=x/onerror=alert(1)>'
    const { html } = await see(`?companies=${encodeURIComponent(attack)}`)
    expect(html).not.toContain('<img')
    expect(html).not.toContain('<IMG')
  })
})

describe('an evaluation', () => {
  test('counts each compared company once, none for the blank page, and none beyond its cap', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    const seen = async () =>
      (await server.sql`select 1 from key_entity where key_id = ${member.keyId}`).length
    expect((await see('', member)).html).toContain('/compare?companies=AAPL,GOOGL')
    expect((await see('?companies=NOTHING', member)).status).toBe(404)
    expect(await seen()).toBe(0)
    await see('?companies=AAPL,SNOW', member)
    expect(await seen()).toBe(2)
    await see('?companies=SNOW,AAPL&view=growth&show=quarters', member)
    expect(await seen()).toBe(2)
    await server.sql`update key_grant set entity_cap = 3 where key_id = ${member.keyId}`
    const { status, html } = await see('?companies=AAPL,IBM,GOOGL', member)
    expect([status, await seen()]).toEqual([200, 3])
    expect(html).toContain('<strong>GOOGL</strong> is left out: your licence covers no more companies')
    expect(new Set(cellsIn(html).map(({ company }) => company))).toEqual(new Set(['AAPL', 'IBM']))
  })

  // 16:00 is another instant in New York than in Taipei, so the page is a mistake and shows nothing.
  test('counts no company for a comparison that is refused', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    expect((await see('?companies=AAPL,IBM,2330.TW&as_of=2025-01-24T16:00', member)).status).toBe(400)
    expect(await server.sql`select 1 from key_entity where key_id = ${member.keyId}`).toHaveLength(0)
  })

  test('is never served what another visitor sees', async () => {
    const query = '?companies=SNOW,2330.TW'
    const [inside, outside] = [await see(query, personal), await see(query, signedOut)]
    const years = (html: string) =>
      new Set(
        cellsIn(html)
          .filter(({ company }) => company === 'SNOW')
          .map(({ column }) => column),
      ).size
    expect(years(outside.html)).toBe(1)
    expect(years(inside.html)).toBeGreaterThan(4)
    expect(outside.html).toContain('Without a licence you see only the most recent fiscal year of')
  })
})
