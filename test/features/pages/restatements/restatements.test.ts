import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  byYear,
  type Change,
  inOrder,
  percentOf,
} from '../../../../src/features/pages/restatements/change.ts'
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

const see = (query: string, reader: Reader = personal) => seePage(server.url, `/restatements${query}`, reader)
const ask = async (path: string, reader: Pick<Reader, 'key'> = personal) =>
  (await (await askApi(server.url, path, reader)).json()).data

interface Shown {
  readonly filed: string
  readonly period: string
  readonly before: number
  readonly after: number
  readonly percent: string
  readonly filedBefore: string
  readonly filingAfter: string
  readonly filingBefore: string
  readonly cell: string
}

function rowsIn(html: string): Shown[] {
  const table = /<table class="figures changes">([\s\S]*?)<\/table>/.exec(html)?.[1] ?? ''
  return [...table.matchAll(/<tr><th scope="row">.*?<\/th>(.*?)<\/tr>/g)].map(([, body = '']) => {
    const cells = [...body.matchAll(/<td([^>]*)>(.*?)<\/td>/g)].map(([, attributes = '', content = '']) => ({
      text: content.replace(/<small>.*<\/small>/, '').replace(/<[^>]*>/g, ''),
      link: (/href="([^"]*)"/.exec(content)?.[1] ?? '').replaceAll('&amp;', '&'),
      value: Number(/data-v="([^"]*)"/.exec(attributes)?.[1]),
    }))
    const [filed, period, before, after, , percent, , filedBefore] = cells
    return {
      filed: filed.text,
      period: period.text,
      before: before.value,
      after: after.value,
      percent: percent.text,
      filedBefore: filedBefore.text,
      filingAfter: filed.link,
      filingBefore: filedBefore.link,
      cell: period.link,
    }
  })
}

interface ApiRow {
  readonly ticker: string
  readonly fy: number
  readonly fp: string
  readonly end: string
  readonly filed: string
  readonly filed_before: string
  readonly value: number
  readonly value_before: number
  readonly unit: string
  readonly unit_before: string
}

const sizeOf = ({ value, value_before: before }: ApiRow): number | null =>
  before !== 0 && value / before > 0 ? (Math.abs(value - before) / Math.abs(before)) * 100 : null

const metrics = ['revenue', 'net_income', 'eps_diluted', 'assets'] as const

describe('the list', () => {
  test('has every change of the API, the latest first, or the largest first', async () => {
    let changes = 0
    for (const metric of metrics) {
      const rows: ApiRow[] = await ask(`/api/v1/restatements?metric=${metric}&market=US&limit=5000`)
      const key = ({ filed, value_before: before, value }: ApiRow) => `${filed} ${before} ${value}`
      const shownKey = ({ filed, before, after }: Shown) => `${filed} ${before} ${after}`
      const latest = rowsIn((await see(`?metric=${metric}&market=US`)).html)
      expect(latest.map(shownKey).sort()).toEqual(rows.map(key).sort())
      const days = latest.map(({ filed }) => filed)
      expect(days).toEqual([...days].sort().reverse())
      const byAmount = rowsIn((await see(`?metric=${metric}&market=US&sort=amount`)).html)
      const amounts = byAmount.map(({ before, after }) => Math.abs(after - before))
      expect(amounts).toEqual([...amounts].sort((a, b) => b - a))
      expect(amounts).toHaveLength(rows.length)
      const byPercent = rowsIn((await see(`?metric=${metric}&market=US&sort=percent`)).html)
      const sizes = rows.flatMap(row => sizeOf(row) ?? []).sort((a, b) => b - a)
      expect(
        byPercent.map(({ percent }) => Math.abs(Number.parseFloat(percent.replace(/[,+%]/g, '')))),
      ).toEqual(sizes.map(size => Number(size.toFixed(1))))
      changes += rows.length
    }
    expect(changes).toBeGreaterThan(20)
  })

  test('leads to both filings, and to the figure with its vintages', async () => {
    const { html } = await see('?metric=revenue&market=US')
    for (const { cell, before, after, filed, filedBefore, filingAfter, filingBefore } of nonEmpty(
      rowsIn(html),
    )) {
      const [, ticker = '', metric = '', fy = '', fp = '', end = ''] =
        /^\/companies\/([^?]+)\?.*cell=(\w+)\.(\d+)\.(\w+)\.([\d-]+)#figure$/.exec(cell) ?? []
      const rows: { end: string; v: number; filed: string; url: string }[] = await ask(
        `/api/v1/fundamentals?ticker=${ticker}&metric=${metric}&fy=${fy}&fp=${fp}&fields=url`,
      )
      const filing = (day: string, value: number) =>
        rows.find(row => row.end === end && row.filed === day && row.v === value)?.url
      expect([cell, filingAfter, filingBefore]).toEqual([
        cell,
        filing(filed, after) ?? 'no such vintage',
        filing(filedBefore, before) ?? 'no such vintage',
      ])
    }
    const [first] = rowsIn(html)
    const { html: company } = await seePage(server.url, first.cell, personal)
    expect(company).toContain('id="figure"')
    expect(company).toContain(first.filingBefore)
  })

  // Apple's 10-K/A 0001193125-10-012091 of 2010-01-25 against its 10-K 0001193125-09-214859 of 2009-10-27.
  test('has Apple’s amendment with both documents, for everybody', async () => {
    const { html } = await see('?metric=revenue&market=US', signedOut)
    const change = rowsIn(html).find(({ period, filed }) => period === 'FY 2009' && filed === '2010-01-25')
    expect(change).toEqual({
      filed: '2010-01-25',
      period: 'FY 2009',
      before: 36_537e6,
      after: 42_905e6,
      percent: '+17.4%',
      filedBefore: '2009-10-27',
      filingAfter:
        'https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm',
      filingBefore:
        'https://www.sec.gov/Archives/edgar/data/320193/000119312509214859/0001193125-09-214859-index.htm',
      cell: '/companies/AAPL?cell=revenue.2009.FY.2009-09-26#figure',
    })
  })

  test('as known on a day leads to companies on that day', async () => {
    const { html } = await see('?metric=net_income&market=US&as_of=2010-02-28')
    for (const { cell, filed } of nonEmpty(rowsIn(html))) {
      expect(cell).toContain('as_of=2010-02-28')
      expect(filed <= '2010-02-28').toBe(true)
    }
  })
})

describe('the charts', () => {
  test('count changes by year and state the median size, as a plain loop does', async () => {
    for (const metric of metrics) {
      const rows: ApiRow[] = await ask(`/api/v1/restatements?metric=${metric}&market=US&limit=5000`)
      const { html } = await see(`?metric=${metric}&market=US`)
      const section = /<h2 id="by-year">[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
      const shown = [
        ...section.matchAll(
          /<tr><th scope="row">(\d+)<\/th><td class="number">([^<]*)<\/td><td class="number">([^<]*)<\/td><td class="number">([^<]*)<\/td><\/tr>/g,
        ),
      ].map(([, ...cells]) => cells.join(' '))
      const years = rows.map(({ filed }) => Number(filed.slice(0, 4)))
      const expected: string[] = []
      for (let year = Math.min(...years); year <= Math.max(...years); year++) {
        const sizes: number[] = []
        let count = 0
        for (const row of rows) {
          if (Number(row.filed.slice(0, 4)) !== year) continue
          count++
          const size = sizeOf(row)
          if (size !== null) sizes.push(size)
        }
        sizes.sort((a, b) => a - b)
        const low = sizes[Math.ceil(sizes.length / 2) - 1]
        const high = sizes[Math.floor(sizes.length / 2)]
        const median = sizes.length === 0 ? 'n/a' : `${Number(((low + high) / 2).toFixed(1))}%`
        expected.push(`${year} ${count} ${sizes.length} ${median}`)
      }
      expect([metric, ...shown]).toEqual([metric, ...expected.slice(-15)])
    }
  })

  const change = (filed: string, before: number, after: number, units = ['USD', 'USD']): Change => ({
    ticker: 'X',
    issuer_id: '1',
    m: 'revenue',
    fy: 2009,
    fp: 'FY',
    end: '2009-12-31',
    filed_before: '2010-01-01',
    value_before: before,
    unit_before: units[0],
    filed,
    value: after,
    unit: units[1],
    source: 'here',
    filings: { before: { accession: 'a', url: null }, after: { accession: 'b', url: null } },
  })

  test('leave changes without a size out of the median, and years without a change in the picture', () => {
    const changes = [
      change('2010-05-01', 100, 110),
      change('2010-06-01', 100, 60),
      change('2010-07-01', -100, 50),
      change('2010-08-01', 0, 5),
      change('2010-09-01', 100, 300, ['USD', 'EUR']),
      change('2013-01-01', -50, -60),
    ]
    expect(changes.map(percentOf)).toEqual([10, -40, null, null, null, -20])
    expect(byYear(changes)).toEqual([
      { year: 2010, changes: 5, sized: 2, median: 25 },
      { year: 2011, changes: 0, sized: 0, median: null },
      { year: 2012, changes: 0, sized: 0, median: null },
      { year: 2013, changes: 1, sized: 1, median: 20 },
    ])
    expect(byYear([])).toEqual([])
  })

  test('and an order by amount has one unit only', () => {
    const changes = [
      change('2010-05-01', 100, 110),
      change('2010-06-01', 1e9, 2e9, ['JPY', 'JPY']),
      change('2010-07-01', 100, 50),
    ]
    const { changes: ordered, unranked } = inOrder(changes, 'amount', 'USD')
    expect([ordered.map(({ value }) => value), unranked]).toEqual([[50, 110], 1])
  })
})

describe('an evaluation', () => {
  test('opens with the changes of the companies that it has seen, and counts none', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    const seen = async () =>
      (await server.sql`select 1 from key_entity where key_id = ${member.keyId}`).length
    const blank = await see('', member)
    expect([blank.status, await seen(), rowsIn(blank.html).length]).toEqual([200, 0, 0])
    expect(blank.html).toContain('You have not seen any company yet')
    expect(blank.html).toContain('List changes of all companies of United States')
    await seePage(server.url, '/companies/AAPL', member)
    const opened = await see('', member)
    expect(await seen()).toBe(1)
    expect(opened.html).toContain('among the 1 company that you have already seen')
    const rows: ApiRow[] = await ask('/api/v1/restatements?ticker=AAPL&metric=revenue')
    expect(
      rowsIn(opened.html)
        .map(({ filed, after }) => `${filed} ${after}`)
        .sort(),
    ).toEqual(rows.map(({ filed, value }) => `${filed} ${value}`).sort())
    // Neither another order nor the link from the market's own page asks for other companies.
    const orders = [...opened.html.matchAll(/<th scope="col"[^>]*><a href="\/restatements([^"]*)"/g)]
    const paths = orders.map(([, path = '']) => path.replaceAll('&amp;', '&'))
    expect(paths).toHaveLength(3)
    for (const path of [...paths, '?market=US']) {
      expect([path, rowsIn((await see(path, member)).html).length]).toEqual([path, rows.length])
      expect([path, await seen()]).toEqual([path, 1])
    }
    await see('?metric=net_income&market=US', member)
    expect(await seen()).toBeGreaterThan(1)
  })
})

test('a mistake in one field keeps the form, and a program gets the error', async () => {
  for (const [query, status] of [
    ['from=yesterday', 400],
    ['as_of=2999-01-01', 400],
    ['metric=nonsense', 400],
    ['sort=size', 400],
    ['cursor=none', 400],
  ] as const) {
    const page = await see(`?market=JP&${query}`)
    expect([query, page.status]).toEqual([query, status])
    expect([query, page.html.includes('<option value="JP" selected>')]).toEqual([query, true])
    expect(page.html).toContain('class="notice bad"')
    expect(page.html).toContain('content="noindex"')
    const program = await fetch(`${server.url}/restatements?market=JP&${query}`)
    expect([query, program.status, (await program.json()).error.code]).toEqual([
      query,
      status,
      'parameter_invalid',
    ])
  }
  expect((await see('?from=yesterday')).html).toContain('value="yesterday"')
  expect((await see('?as_of=2010-01-25', signedOut)).status).toBe(403)
})
