import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../../src/dates.ts'
import { Failure } from '../../../../src/errors.ts'
import { rankScores } from '../../../../src/features/strategies/ranking.ts'
import { strategies } from '../../../../src/markets/strategies/strategies.ts'
import { sampleDatabase, type TestDatabase } from '../../../database.ts'
import { type TestServer, testServer } from '../../../http/testServer.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { evaluation, type Member, memberWith } from '../../account/members.ts'
import { readPage } from '../readPage.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
let server: TestServer
let personal: Member
beforeAll(async () => {
  database = await sampleDatabase()
  server = await testServer(database.sql)
  personal = await memberWith(server, database.sql, { licence: 'personal' })
}, 180_000)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 60_000)

const see = (path: string, member?: Member) =>
  readPage(server.url + path, member === undefined ? {} : { Cookie: member.cookie })

interface ValueRow {
  readonly ticker: string
  readonly end: string
  readonly filed: string
  readonly value: number | null
  readonly score: number | null
  readonly unit: string
  readonly [name: string]: unknown
}

async function valuesOn(name: string, day: string): Promise<ValueRow[]> {
  const rows: ValueRow[] = []
  for (let cursor = ''; ; ) {
    const path = `/api/v1/strategies/${name}/values?market=US&as_of=${day}&limit=200${cursor}`
    const answer = await (
      await fetch(server.url + path, { headers: { Authorization: `Bearer ${personal.key}` } })
    ).json()
    rows.push(...answer.data)
    if (answer.next === null) return rows
    cursor = `&cursor=${answer.next}`
  }
}

const section = (html: string, id: string) =>
  new RegExp(`<section><h2 id="${id}">([\\s\\S]*?)</section>`).exec(html)?.[1] ?? ''
const cellsOf = (row: string) =>
  [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text = '']) => text.replaceAll(/<[^>]*>/g, ''))
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/g)].map(([, row = '']) => cellsOf(row))
/** As the page shows a value: six significant digits, and amounts in full. */
const shown = (value: number) =>
  Number.isInteger(value) ? value.toLocaleString('en-US') : String(Number(value.toPrecision(6)))

describe('/strategies', () => {
  test('lists every strategy with its paper, its t value, its sign and its coverage', async () => {
    const { html } = await see('/strategies')
    const rows = [...html.matchAll(/<tr>(<th scope="row"><a href="\/strategies\/.*?)<\/tr>/g)]
    expect(rows).toHaveLength(strategies.size)
    for (const [index, { name, title, paper, published, sign }] of [...strategies.values()].entries()) {
      const [, row = ''] = rows[index] ?? []
      expect(row).toContain(`<a href="/strategies/${name}">${title}</a>`)
      expect(row).toContain(`${paper.authors} (${paper.year})`)
      const [, , buys, t] = cellsOf(row)
      expect(buys).toBe(sign === 1 ? 'high' : 'low')
      expect(t).toBe(published?.t_value == null ? 'none stated' : published.t_value.toFixed(2))
      expect(row).toContain('class="spark"')
    }
  })

  test('each has a page with its formula, whose names lead to their definitions', async () => {
    for (const { name, lines, inputs, title } of strategies.values()) {
      const { status, html } = await see(`/strategies/${name}`)
      expect([name, status]).toEqual([name, 200])
      expect(html).toContain(`<h1>${title}</h1>`)
      const formula = section(html, 'formula')
      for (const line of lines) {
        expect(formula).toContain(`id="line-${line.name}"`)
        expect(
          formula
            .replaceAll(/<[^>]*>/g, '')
            .replaceAll('&lt;', '<')
            .replaceAll('&gt;', '>'),
        ).toContain(line.formula)
      }
      for (const input of inputs) expect(formula).toContain(`<a href="/docs/metrics#${input}">`)
    }
  })

  test('the files have the list and the coverage', async () => {
    const list = await (await fetch(`${server.url}/strategies/download`)).text()
    expect(
      list
        .trim()
        .split('\r\n')
        .filter(line => !line.startsWith('#')),
    ).toHaveLength(strategies.size + 1)
    const file = await (await fetch(`${server.url}/strategies/asset_growth/download`)).text()
    const [head = '', ...rows] = file
      .trim()
      .split('\r\n')
      .filter(line => !line.startsWith('#'))
    const answer = await fetch(`${server.url}/api/v1/strategies/asset_growth`, {
      headers: { Authorization: 'Bearer demo' },
    })
    const { coverage } = await answer.json()
    expect(head.split(',').slice(0, 5)).toEqual(['market', 'year', 'companies', 'values', 'hidden_4'])
    expect(rows.map(row => row.split(',').slice(0, 5).join(','))).toEqual(
      coverage.map(
        (row: {
          market: string
          year: number
          companies: number
          values: number
          lags: { hidden: number }[]
        }) => [row.market, row.year, row.companies, row.values, row.lags[0]?.hidden].join(','),
      ),
    )
  })
})

describe('the ranking of a day', () => {
  test('has the companies, ranks and deciles that the values of the API have', async () => {
    const day = '2010-04-01'
    for (const name of ['asset_growth', 'piotroski_f', 'return_on_equity']) {
      const rows = (await valuesOn(name, day)).filter(
        ({ score, end }) => score !== null && dayNumber(day) - dayNumber(end) <= 550,
      )
      const ascending = rows
        .map(({ ticker, score, value }, at) => ({ ticker, score: Number(score), value: Number(value), at }))
        .sort((a, b) => a.score - b.score || a.at - b.at)
      const n = ascending.length
      const hasDeciles = n >= 10
      for (const decile of hasDeciles ? [1, 4, 10] : [10]) {
        const { html } = await see(`/strategies/${name}?as_of=${day}&decile=${decile}`, personal)
        const ranking = section(html, 'ranking')
        expect(ranking).toContain(`${n} companies have a value`)
        const members = hasDeciles
          ? ascending.filter((_, j) => Math.floor((10 * j) / n) + 1 === decile)
          : ascending
        const best = members.toReversed().slice(0, 100)
        const [deciles = '', list = ''] = hasDeciles
          ? ranking.split('aria-label="Ranked companies"')
          : ['', ranking]
        const names = [...list.matchAll(/<th scope="row"><a href="\/companies\/([^?"]*)/g)].map(
          ([, id = '']) => id,
        )
        const found = rowsOf(list).map(([, rank, value, score]) => [rank, value, score])
        expect(found).toEqual(
          best.map(one => [String(n - ascending.indexOf(one)), shown(one.value), shown(one.score)]),
        )
        expect(names).toHaveLength(best.length)
        if (!hasDeciles) continue
        const own = rowsOf(deciles).find(([label = '']) => Number.parseInt(label, 10) === decile)
        const scores = members.map(({ score }) => score)
        const middle = scores.length / 2
        const median = Number.isInteger(middle)
          ? ((scores[middle - 1] ?? 0) + (scores[middle] ?? 0)) / 2
          : scores[Math.floor(middle)]
        expect(own?.slice(1)).toEqual([
          String(scores.length),
          shown(scores[0] ?? 0),
          shown(median ?? 0),
          shown(scores.at(-1) ?? 0),
        ])
      }
    }
  })

  test('equal scores are in the order of import, and the currency of most companies is ranked', () => {
    const scores = Array.from({ length: 12 }, (_, index) => ({
      entityId: index + 1,
      score: index < 6 ? 2 : 1,
      unit: index === 3 ? 7 : 1,
    }))
    const { companies, deciles, unit, inOtherCurrency } = rankScores(scores, number =>
      number === 1 ? 'USD' : 'CAD',
    )
    expect(companies.map(({ entityId }) => entityId)).toEqual([6, 5, 3, 2, 1, 12, 11, 10, 9, 8, 7])
    expect(companies.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    // 11 companies: floor(10 j / 11) + 1 for j = 10 ... 0.
    expect(companies.map(({ decile }) => decile)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1])
    expect(deciles.map(decile => decile.companies)).toEqual([2, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    expect([unit, inOtherCurrency]).toEqual(['USD', 1])
    expect(rankScores([], () => '')).toEqual({ companies: [], deciles: [], unit: null, inOtherCurrency: 0 })
    expect(rankScores(scores.slice(0, 3), () => 'USD').deciles).toEqual([])
  })
})

describe('a company on a day', () => {
  test('has the lines and the filings that the values of the API have', async () => {
    const rows = await valuesOn('accruals', '2010-04-01')
    const row = rows.find(({ ticker }) => ticker === 'AAPL')
    const { html } = await see('/strategies/accruals?company=AAPL&as_of=2010-04-01')
    const shownLines = [...section(html, 'formula').matchAll(/<tr id="line-(\w+)">(.*?)<\/tr>/g)].map(
      ([, line = '', cells = '']) => [line, cellsOf(cells)[2]],
    )
    expect(shownLines).toEqual(
      (strategies.get('accruals')?.lines ?? []).map(({ name }) => [
        name,
        shown(Number(name === 'accruals' ? row?.value : row?.[name])),
      ]),
    )
    const company = section(html, 'company')
    const filings = row?.filings
    for (const filing of nonEmpty(Array.isArray(filings) ? filings : [])) {
      const [input = '', end = '', filed = '', accession = ''] = String(filing).split(':')
      const cells = rowsOf(company).find(([label]) => label === input) ?? []
      expect([cells[1], cells[4], cells[5]]).toEqual([end, filed, accession])
    }
  })

  test('knows nothing of later filings', async () => {
    // Apple filed its annual report for 2009 on 2009-10-27 and restated it on 2010-01-25.
    const shares = async (day: string) =>
      section((await see(`/strategies/return_on_equity?company=AAPL&as_of=${day}`)).html, 'company')
    expect(await shares('2009-10-26')).toContain('2008-09-27')
    expect(await shares('2009-10-27')).toContain('2009-09-26')
    // The page names its own day in the heading.
    expect((await shares('2010-01-24')).split('2010-01-25')).toHaveLength(1)
    expect((await shares('2010-01-25')).split('2010-01-25').length).toBeGreaterThan(2)
  })
})

describe('who sees what', () => {
  test('without a licence: definition, coverage and the companies that are open to everybody', async () => {
    const { html, status } = await see('/strategies/asset_growth')
    expect(status).toBe(200)
    expect(section(html, 'ranking')).toContain(
      'need a <a href="/docs/guides/keys-and-limits#licences">licence</a>',
    )
    expect(section(html, 'company')).toContain('Apple Inc.')
    expect(section(html, 'coverage')).toContain('What fixed lags would have hidden')
    const refused = await see('/strategies/asset_growth?company=SNOW')
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('Without one you see AAPL')
    expect(refused.html).toContain('value="SNOW"')
  })

  test('an evaluation ranks what it has counted, and counts a company that it asks for', async () => {
    const member = await memberWith(server, database.sql, evaluation)
    const seen = async () =>
      (await database.sql`select 1 from key_entity where key_id = ${member.keyId}`).length
    const opened = await see('/strategies/asset_growth?as_of=2010-04-01', member)
    expect(section(opened.html, 'ranking')).toContain('No company has a value')
    expect(await seen()).toBe(0)
    const [first] = (await valuesOn('asset_growth', '2010-04-01')).filter(({ score }) => score !== null)
    await see(`/strategies/asset_growth?as_of=2010-04-01&company=${first?.ticker}`, member)
    expect(await seen()).toBe(1)
    const { html } = await see('/strategies/asset_growth?as_of=2010-04-01', member)
    expect(section(html, 'ranking')).toContain('1 company has a value')
    expect(await seen()).toBe(1)
  })
})

describe('a mistake', () => {
  test('is shown in the form, which keeps what was typed', async () => {
    for (const [query, status, message] of [
      ['as_of=yesterday&company=AAPL', 400, 'as_of'],
      ['as_of=2999-01-01', 400, '2999-01-01'],
      ['market=ZZ', 400, 'ZZ'],
      ['company=NOSUCHCO&as_of=2010-04-01', 404, 'NOSUCHCO is not a known company'],
      ['decile=11', 400, 'decile'],
    ] as const) {
      const page = await see(`/strategies/accruals?${query}`, personal)
      expect([query, page.status]).toEqual([query, status])
      expect(page.html).toContain(message)
      expect(page.html).toContain('<form method="get" action="/strategies/accruals"')
    }
    const unknown = await see('/strategies/acruals')
    expect([unknown.status, unknown.html.includes('Did you mean accruals?')]).toEqual([404, true])
  })

  test('a market whose register does not report an input has no values, and the page names the input', async () => {
    const { html, status } = await see('/strategies/piotroski_f?market=FR', personal)
    expect(status).toBe(200)
    expect(section(html, 'ranking')).toContain(
      'does not report operating cash flow, long-term debt, noncurrent',
    )
    expect(html).not.toContain('NaN')
  })
})

test('a list without some of its coverage, because the server is busy, is shown but not kept', async () => {
  const member = await memberWith(server, database.sql, { licence: 'commercial' })
  const { events } = server.resources
  const lease = events.lease
  events.lease = () => {
    throw new Failure('compute_busy', 'The memory is taken.')
  }
  const ask = () => fetch(`${server.url}/strategies`, { headers: { Cookie: member.cookie } })
  const busy = await ask()
  events.lease = lease
  expect([busy.status, busy.headers.get('cache-control'), busy.headers.get('etag')]).toEqual([
    200,
    'private, no-store',
    null,
  ])
  expect(await busy.text()).toContain('The server is busy')
  const after = await ask()
  expect(after.status).toBe(200)
  expect(await after.text()).not.toContain('The server is busy')
})
