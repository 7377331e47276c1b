import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import type { SegmentsAnswer } from '../../../src/features/statements/segmentsSchema.ts'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type Member, memberWith } from '../account/members.ts'
import { importWhole } from '../statements/importWhole.ts'
import { askApi, type Reader, seePage, signedOut } from './compare.ts'

setDefaultTimeout(120_000)

let server: RealServer
let member: Member
let companies: string[]
beforeAll(async () => {
  server = await realServer()
  member = await memberWith(server, server.sql, { licence: 'personal' })
  const rows = await server.sql<{ ticker: string }[]>`
    select distinct e.ticker from entity e join filing l using (entity_id) join whole_filing using (filing_id)
    order by e.ticker`
  companies = rows.map(({ ticker }) => ticker)
})
afterAll(() => server.stop(), 60_000)

const decode = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
const plain = (markup: string) => decode(markup.replaceAll(/<[^>]*>/g, ''))

interface ShownLine {
  readonly label: string
  readonly tag: string | null
  readonly cells: readonly ({ value: string; text: string; title: string } | null)[]
}

/** The first table of a page: its lines without the headings of groups. */
function linesIn(html: string): ShownLine[] {
  const table = /<table class="presented">([\s\S]*?)<\/table>/.exec(html)?.[1] ?? ''
  const rows = [
    ...table.replace(/<thead>[\s\S]*?<\/thead>/, '').matchAll(/<tr(?: class="([^"]*)")?>(.*?)<\/tr>/g),
  ]
  return rows.flatMap(([, classes = '', row = '']) => {
    if (classes === 'group') return []
    const [, head = ''] = /<th scope="row">(.*?)<\/th>/.exec(row) ?? []
    const isHeading = classes.split(' ').includes('heading')
    const cells = [...row.matchAll(/<td([^>]*)>(.*?)<\/td>/g)].map(([, attributes = '', content = '']) => {
      const value = /data-v="([^"]*)"/.exec(attributes)?.[1]
      const [, title = ''] = /title="([^"]*)"/.exec(attributes) ?? []
      const [, text = ''] = /<a[^>]*>(.*?)<\/a>/.exec(content) ?? []
      return value === undefined ? null : { value, text: decode(text), title: decode(title) }
    })
    const tag = / title="([^"]*)"/.exec(head)?.[1] ?? null
    return [{ label: plain(head.replace(/<small>.*/, '')), tag, cells: isHeading ? [] : cells }]
  })
}

/** The number that a cell shows, from its text and the scale that the page states: -7614000000 for (7,614) in millions. */
function numberOf(text: string, scale: string, { tag, unit }: { tag: string; unit: string }): string {
  const isPerShare = /PerShare|Per(Basic|Diluted)\w*Share/.test(tag)
  const kind = isPerShare
    ? null
    : unit === 'shares'
      ? /shares in (\w+)/
      : /^[A-Z]{3}$/.test(unit)
        ? /^[A-Z]{3} in (\w+)/
        : null
  const name = kind === null ? undefined : kind.exec(scale)?.[1]
  const power = name === 'millions' ? 6 : name === 'thousands' ? 3 : 0
  const [, whole = '', fraction = ''] = /^\(?(?:[A-Z]{3} )?([\d,]+)(?:\.(\d+))?\)?$/.exec(text) ?? []
  const padded = fraction.padEnd(power, '0')
  const digits = `${whole.replaceAll(',', '')}${padded.slice(0, power)}`.replace(/^0+(?=\d)/, '')
  const rest = padded.slice(power).replace(/0+$/, '')
  return `${text.startsWith('(') ? '-' : ''}${digits}${rest === '' ? '' : `.${rest}`}`
}

/** The label of a filing without the kind of element that taxonomies add. */
const labelOf = (label: string) => label.replace(/ \[[A-Z][A-Za-z ]+\]$/, '')

/** Compares a page with the answer to its visitor's key, cell by cell. Returns how many cells they have. */
async function compareStatement(reader: Reader, ticker: string, query: string): Promise<number> {
  const [page, response] = await Promise.all([
    seePage(server.url, `/companies/${ticker}/statements?${query}`, reader),
    askApi(server.url, `/api/v1/statements?ticker=${ticker}&${query}`, reader),
  ])
  const about = `${ticker} ${query}`
  expect([about, page.status]).toEqual([about, response.status])
  if (page.status !== 200) {
    expect([about, page.html.includes('data-v=')]).toEqual([about, false])
    return 0
  }
  const answer: StatementAnswer = await response.json()
  const lines = linesIn(page.html)
  expect([about, lines.length]).toEqual([about, answer.count])
  if (answer.count === 0) {
    expect(plain(page.html)).toContain(answer.note ?? '')
    return 0
  }
  const scale = plain(/<h2 id="statement">.*?<small>(.*?)<\/small>/.exec(page.html)?.[1] ?? '')
  const filed = new Map(
    answer.filings.map(({ accession, form, filed }) => [accession, `${form} filed ${filed}`]),
  )
  let cells = 0
  answer.data.forEach((line, at) => {
    const shown = lines[at]
    if (line.label !== null) expect([about, at, shown.label]).toEqual([about, at, labelOf(line.label)])
    if (!line.heading) expect([about, at, shown.tag]).toEqual([about, at, line.tag])
    expect([about, at, shown.cells.map(cell => cell?.value ?? null)]).toEqual([
      about,
      at,
      line.cells.map(cell => (cell === null ? null : (cell.value ?? 'nil'))),
    ])
    line.cells.forEach((cell, column) => {
      if (cell === null || cell.shown === null) return
      const { text = '', title = '' } = shown.cells[column] ?? {}
      expect([about, at, numberOf(text, scale, { ...line, ...cell })]).toEqual([about, at, cell.shown])
      expect(title.replaceAll(',', '')).toStartWith(`${cell.value} ${cell.unit} ${filed.get(cell.accession)}`)
      cells++
    })
  })
  return cells
}

const names = ['income', 'balance', 'cash_flow', 'equity', 'comprehensive'] as const

describe('a page of a statement has every cell of the API, as exactly', () => {
  test('for random companies, statements, views and days', async () => {
    let cells = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...nonEmpty(companies)),
        fc.constantFrom(...names),
        fc.constantFrom('', '&view=as_filed'),
        fc.constantFrom('', '&fp=Q2', '&fp=Q2&fy=2009', '&fp=FY'),
        fc.option(fc.date({ min: new Date('2009-06-01'), max: new Date('2010-06-01'), noInvalidDate: true })),
        async (ticker, statement, view, period, date) => {
          const day = date === null ? '' : `&as_of=${date.toISOString().slice(0, 10)}`
          cells += await compareStatement(member, ticker, `statement=${statement}${view}${period}${day}`)
        },
      ),
      { numRuns: 80 },
    )
    expect(cells).toBeGreaterThan(1_000)
  })

  test("for each of Apple's statements, to visitors who are not signed in", async () => {
    for (const name of names)
      for (const more of ['', '&as_of=2010-02-01', '&view=as_filed&accession=0000320193-25-000057'])
        await compareStatement(signedOut, 'AAPL', `statement=${name}${more}`)
    // R2 of 0000320193-25-000057: 17 lines, of which three are headings, for four periods.
    expect(await compareStatement(signedOut, 'AAPL', 'statement=income&view=as_filed')).toBeGreaterThan(50)
  })

  test('a visitor without a licence sees no filing of other companies, as the demo key does not', async () => {
    for (const ticker of nonEmpty(companies)) {
      const cells = await compareStatement(signedOut, ticker, 'statement=income')
      expect([ticker, cells > 0]).toEqual([ticker, ticker === 'AAPL'])
      for (const path of ['segments', 'statements/download']) {
        const { status } = await seePage(server.url, `/companies/${ticker}/${path}`, signedOut)
        expect([ticker, path, status]).toEqual([ticker, path, ticker === 'AAPL' ? 200 : 403])
      }
    }
  })
})

const page = (path: string, reader: Reader = member) => seePage(server.url, path, reader)

describe('/companies/{id}/statements', () => {
  // Total assets of Apple on 2008-09-27: 39,572 million in the 10-Q 0001193125-09-153165; 36,171 million after the change of
  // accounting rules in the 10-K/A 0001193125-10-012091, filed on 2010-01-25.
  test('marks what a later filing states otherwise, from the day on which it was filed', async () => {
    for (const [day, later] of [
      ['2010-01-24', null],
      ['2010-01-25', '36,171'],
    ] as const) {
      const { html } = await page(`/companies/AAPL/statements?statement=balance&as_of=${day}`)
      const assets =
        /<tr class="total"><th scope="row"><a [^>]*title="us-gaap:Assets">.*?<\/tr>/.exec(html)?.[0] ?? ''
      expect([day, />39,572</.test(assets)]).toEqual([day, true])
      expect([day, assets.includes('class="outdated"')]).toEqual([day, later !== null])
      expect([day, /class="later">.*?<\/span>([\d,]+)</.exec(assets)?.[1] ?? null]).toEqual([day, later])
      expect([day, assets.includes('36,171')]).toEqual([day, later !== null])
    }
  })

  test('figures per share are shown as stated, also if the filing states them in plain dollars', async () => {
    // num.txt of 2009q3, 0001193125-09-153165: EarningsPerShareBasic 1.3800 USD, and SalesRevenueNet 8337000000 USD.
    const filed = await page('/companies/AAPL/statements?as_of=2010-02-01')
    const today = await page('/companies/AAPL/statements?as_of=2025-06-01')
    for (const { html } of [filed, today]) {
      expect(html).toContain('<small>USD in millions, shares in thousands, other figures as stated</small>')
      const cells = linesIn(html).flatMap(({ cells }) => cells.flatMap(cell => cell ?? []))
      const textOf = (value: string) =>
        new Set(cells.flatMap(cell => (cell.value === value ? cell.text : [])))
      expect(textOf('1.38')).toEqual(new Set(['1.38']))
      expect(textOf('8337000000')).toEqual(new Set(['8,337']))
    }
  })

  test('a line that only an earlier filing has is below the heading of the statement', async () => {
    const { html } = await page('/companies/AAPL/statements?as_of=2025-06-01')
    const tags = linesIn(html).map(({ label, tag }) => tag ?? label)
    expect(tags.slice(0, 3)).toEqual([
      'Income Statement',
      'us-gaap:SalesRevenueNet',
      'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax',
    ])
  })

  test('says which later filings are on record without statements', async () => {
    // The data set of 2010q1 has no pre.txt.
    const { html } = await page('/companies/AAPL/statements?as_of=2010-02-01')
    expect(plain(html)).toContain(
      '2 later filings are on record without statements, so they add no columns: 10-K/A filed 2010-01-25, 10-Q filed 2010-01-25.',
    )
    for (const path of ['?as_of=2010-01-24', '?as_of=2010-02-01&fp=Q3&fy=2009', '?as_of=2025-06-01'])
      expect((await page(`/companies/AAPL/statements${path}`)).html).not.toContain('without statements')
  })

  test('lists every filing that states a figure, with the address of its document', async () => {
    const { html } = await page(
      '/companies/AAPL/statements?statement=balance&as_of=2010-02-01&cell=us-gaap:Assets~2008-09-30~0',
    )
    const figure = /<section id="figure"[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
    const rows = [...figure.matchAll(/<tr><td>([\d-]+)<\/td><td class="number">(.*?)<\/td>/g)]
    expect(rows.map(([, filed, value = '']) => [filed, plain(value)])).toEqual([
      ['2010-01-25', '36,171,000,000 USD'],
      ['2009-07-22', '39,572,000,000 USD'],
    ])
    expect(figure).toContain('A <span class="restated">highlighted</span> value differs')
    expect(figure).toContain(
      'https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm',
    )
    const before = await page(
      '/companies/AAPL/statements?statement=balance&as_of=2010-01-24&cell=us-gaap:Assets~2008-09-30~0',
    )
    expect(before.html).not.toContain('36,171')
    expect(before.html).not.toContain('class="restated"')
  })

  test('a line is drawn over its periods as known, with the first value where it differs', async () => {
    const chartOf = async (day: string) => {
      const { html } = await page(
        `/companies/AAPL/statements?statement=balance&as_of=${day}&cell=us-gaap:Assets`,
      )
      const figure = /<section id="figure"[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
      const [wide = ''] = /<svg class="bar-chart wide"[\s\S]*?<\/svg>/.exec(figure) ?? []
      return [...wide.matchAll(/role="img" aria-label="([^"]*)"/g)].map(([, bar = '']) => decode(bar))
    }
    // Total assets in millions: 10-Q 0001193125-09-153165 and, from 2010-01-25, 10-K/A 0001193125-10-012091 and
    // 10-Q 0001193125-10-012085.
    expect(await chartOf('2010-01-24')).toEqual([
      'FY 2008: Total assets: 39,572,000,000 USD, 10-Q filed 2009-07-22',
      'Q3 2009: Total assets: 48,140,000,000 USD, 10-Q filed 2009-07-22',
    ])
    expect(await chartOf('2010-01-25')).toEqual([
      'FY 2008: Total assets: 36,171,000,000 USD, 10-K/A filed 2010-01-25; first: 39,572,000,000 USD, 10-Q filed 2009-07-22',
      'Q3 2009: Total assets: 48,140,000,000 USD, 10-Q filed 2009-07-22',
      expect.stringMatching(/^FY 2009: Total assets: 47,501,000,000 USD, 10-(K\/A|Q) filed 2010-01-25$/),
      'Q1 2010: Total assets: 53,926,000,000 USD, 10-Q filed 2010-01-25',
    ])
  })

  test('a blank cell says which filing states no figure, and a nil is no blank', async () => {
    const { html } = await page('/companies/AAPL/statements?statement=balance')
    const response = await askApi(server.url, '/api/v1/statements?ticker=AAPL&statement=balance', member)
    const { data, columns, filings }: StatementAnswer = await response.json()
    const rows = [...html.matchAll(/<tr(?: class="[^"]*")?><th scope="row">.*?<\/th>(.*?)<\/tr>/g)]
    let blanks = 0
    data.forEach((line, at) => {
      const cells = [...(rows[at]?.[1] ?? '').matchAll(/<td([^>]*)>/g)].map(
        ([, attributes = '']) => attributes,
      )
      line.cells.forEach((cell, column) => {
        const filing = filings.find(({ accession }) => accession === columns[column].accession)
        const why = `class="blank" title="The ${filing?.form} filed ${filing?.filed} states no figure on this line"`
        expect([line.tag, column, cells[column]?.includes(why)]).toEqual([line.tag, column, cell === null])
        if (cell === null) blanks++
      })
    })
    expect(blanks).toBeGreaterThan(20)
  })

  test('leads from a filing to the ones before and after it, among those of the day', async () => {
    const linksOf = async (query: string) => {
      const { html } = await page(`/companies/AAPL/statements?view=as_filed${query}`)
      const days = /<p class="days">(.*?)<\/p>/.exec(html)?.[1] ?? ''
      return [...days.matchAll(/href="([^"]*)">(\w+) filing/g)].map(([, href = '', word]) => [
        word,
        /accession=([\d-]+)/.exec(href)?.[1],
      ])
    }
    expect(await linksOf('')).toEqual([['Earlier', '0001193125-09-153165']])
    expect(await linksOf('&accession=0001193125-09-153165')).toEqual([['Later', '0000320193-25-000057']])
    expect(await linksOf('&as_of=2025-05-01')).toEqual([])
  })

  test('a company without filings has no tabs of statements, and its page says why', async () => {
    for (const [path, parts] of [
      ['/companies/65305216.DK', ['Key figures']],
      ['/companies/65305216.DK/statements', ['Key figures', 'Statements']],
      ['/companies/65305216.DK/segments', ['Key figures', 'Segments']],
      ['/companies/AAPL', ['Key figures', 'Statements', 'Segments']],
    ] as const) {
      const { html } = await page(path)
      const nav = /<nav class="tabs parts"[^>]*>(.*?)<\/nav>/.exec(html)?.[1] ?? ''
      expect([path, [...nav.matchAll(/>([^<]+)<\/a>/g)].map(([, name]) => name)]).toEqual([path, [...parts]])
      const isEmpty = path !== '/companies/AAPL'
      expect([path, /reports (of this register )?do not say on which day/i.test(plain(html))]).toEqual([
        path,
        isEmpty,
      ])
      expect([path, html.includes('./asfiled')]).toEqual([path, false])
      if (isEmpty) expect([...html.matchAll(/<nav class="tabs/g)]).toHaveLength(1)
    }
  })

  test('links every figure and line to its filings, and every statement that the company presents', async () => {
    const { html } = await page('/companies/AAPL/statements?view=as_filed')
    const links = [...html.matchAll(/<td [^>]*><a href="(\?[^"]*cell=[^"]*)#figure">/g)]
    for (const [, link = ''] of nonEmpty(links).slice(0, 12)) {
      const chosen = await page(`/companies/AAPL/statements${decode(link)}`)
      const figure = /<section id="figure"[\s\S]*?<\/section>/.exec(chosen.html)?.[0] ?? ''
      expect([link, figure.includes('0000320193-25-000057')]).toEqual([link, true])
    }
    const nav = /<nav class="tabs" aria-label="Statements">(.*?)<\/nav>/.exec(html)?.[1] ?? ''
    expect([...nav.matchAll(/statement=(\w+)/g)].map(([, name]) => name)).toEqual([...names])
    // AvalonBay's 10-Q of 2009-06-30 (0000950123-09-032702) presents three statements.
    const others = await page('/companies/AVB/statements')
    const three = /<nav class="tabs" aria-label="Statements">(.*?)<\/nav>/.exec(others.html)?.[1] ?? ''
    expect([...three.matchAll(/statement=(\w+)/g)].map(([, name]) => name)).toEqual([
      'income',
      'balance',
      'cash_flow',
    ])
  })

  test('the file of a statement is the answer of the API', async () => {
    for (const format of ['csv', 'json', 'parquet']) {
      const query = `statement=balance&as_of=2010-02-01&format=${format}`
      const file = await fetch(`${server.url}/companies/AAPL/statements/download?${query}`, {
        headers: { 'X-Forwarded-For': '10.79.0.1' },
      })
      const answer = await askApi(
        server.url,
        `/api/v1/statements?ticker=AAPL&${query}${format === 'csv' ? '&comments=true' : ''}`,
        signedOut,
      )
      expect(file.headers.get('content-disposition')).toContain(`balance-AAPL-2010-02-01.${format}`)
      expect([format, Buffer.from(await file.bytes()).equals(Buffer.from(await answer.bytes()))]).toEqual([
        format,
        true,
      ])
    }
  })

  test('what cannot be shown is said on a page, with the status of the API', async () => {
    for (const [path, status, words] of [
      ['/companies/NOTHING/statements', 404, 'is not a known company'],
      ['/companies/AAPL/statements?statement=profits', 400, 'one of income, balance'],
      ['/companies/AAPL/statements?as_of=9999-01-01', 400, 'in the future'],
      ['/companies/AAPL/statements?as_of=2010-02-30', 400, 'not a valid date'],
      ['/companies/AAPL/statements?fp=Q4', 400, 'one of FY, Q1, Q2, Q3'],
      [
        '/companies/AAPL/statements?view=as_filed&accession=0000000000-00-000000',
        400,
        'is not a filing of AAPL',
      ],
      ['/companies/AAPL/statements?accession=0000320193-25-000057', 400, 'Send view=as_filed'],
      ['/companies/AAPL/statements?cell=us-gaap:Assets~2009', 400, 'a tag and a period'],
      ['/companies/AAPL/statements?cell=%E8%B3%87%E7%94%A2%E7%B8%BD%E8%A8%88~2026-06-30~0', 200, '資產總計'],
      ['/companies/AAPL/statements?colour=red', 400, 'colour'],
      ['/companies/AAPL/segments?metric=revenu', 400, 'Did you mean revenue'],
      ['/companies/AAPL/statements/download?format=xls', 400, 'format'],
      ['/companies/SNOW/statements', 200, 'No filing of SNOW that was public'],
      ['/companies/AAPL/statements?as_of=2009-07-21', 200, 'No filing of AAPL that was public on 2009-07-21'],
      ['/companies/AAPL/statements?statement=balance&fp=FY&fy=1999', 200, 'presents a balance sheet'],
      ['/companies/AAPL/segments?axis=us-gaap:NoSuchAxis', 200, 'divides revenue by us-gaap:NoSuchAxis'],
    ] as const) {
      const { status: got, html } = await page(path)
      expect([path, got, plain(html).includes(words)]).toEqual([path, status, true])
      expect(html.match(/<h1/g)).toHaveLength(1)
    }
  })

  test('a renamed line names its former label, and the filing that has it', async () => {
    const line = (order: number, concept: string, label: string) => ({
      order,
      concept,
      depth: null,
      label,
      labelRole: null,
      negated: false,
    })
    const yearEnds = new Map(
      [2017, 2018, 2019, 2020].map(year => [year, Date.UTC(year, 11, 31) / 86_400_000]),
    )
    const figure = (concept: string, year: number, value: string) => ({
      concept,
      context: { start: null, end: yearEnds.get(year) ?? 0, quarters: 4, dimensions: [] },
      unit: 'USD',
      decimals: null,
      value,
    })
    const report = (year: number, tag: string, label: string, fees: readonly [number, string][]) => ({
      issuerId: '0007000002',
      ticker: 'RENAMED',
      form: '10-K',
      filed: `${year + 1}-02-01`,
      periodEnd: `${year}-12-31`,
      source: 'dataSet' as const,
      whole: {
        accession: `0007000002-${year - 1999}-000001`,
        taxonomies: new Map(),
        figures: fees.flatMap(([of, value]) => [
          figure(tag, of, value),
          figure('us-gaap:NetIncomeLoss', of, `${of}000`),
        ]),
        statements: [
          {
            role: '2',
            title: null,
            kind: 'IS' as const,
            parenthetical: false,
            lines: [line(1, tag, label), line(2, 'us-gaap:NetIncomeLoss', 'Net <income>')],
          },
        ],
        sums: [],
        defaultMembers: new Map(),
      },
    })
    await importWhole(server.sql, [
      report(2019, 'custom:OldFees', 'Service & other fees', [
        [2019, '719000'],
        [2018, '718000'],
        [2017, '717000'],
      ]),
      report(2020, 'custom:NewFees', 'Platform fees', [
        [2020, '720000'],
        [2019, '719000'],
        [2018, '718000'],
      ]),
    ])
    await Bun.sleep(300)
    const { html } = await page('/companies/RENAMED/statements?as_of=2021-06-01')
    const [fees, income] = linesIn(html)
    expect([fees.label, income.label]).toEqual(['Platform fees', 'Net <income>'])
    expect(fees.cells.map(cell => cell?.text)).toEqual(['720', '719', '718', '717'])
    const former = /formerly <a href="([^"]*)" title="([^"]*)">(.*?)<\/a>/.exec(html)
    expect([former?.[2], former?.[3]]).toEqual([
      'custom:OldFees in 0007000002-20-000001, recognised by equal values in the periods to 2019-12-31 and 2018-12-31',
      'Service &amp; other fees',
    ])
    const filed = await page(`/companies/RENAMED/statements${decode(former?.[1] ?? '')}`)
    expect(linesIn(filed.html).map(({ label }) => label)).toEqual(['Service & other fees', 'Net <income>'])
    // The line has one history under both of its tags.
    const history = await page(
      '/companies/RENAMED/statements?as_of=2021-06-01&cell=custom:NewFees~2018-12-31~4',
    )
    const figureOf = /<section id="figure"[\s\S]*?<\/section>/.exec(history.html)?.[0] ?? ''
    expect([...figureOf.matchAll(/<code>(custom:\w+)<\/code><\/td>/g)].map(([, tag]) => tag)).toEqual([
      'custom:NewFees',
      'custom:OldFees',
    ])
  })
})

describe('/companies/{id}/segments', () => {
  test('has the members, sums, totals and differences of the API', async () => {
    for (const axis of ['product', 'geography', 'segment']) {
      const { html } = await page(`/companies/AAPL/segments?axis=${axis}`, signedOut)
      const answer: SegmentsAnswer = await (
        await askApi(server.url, `/api/v1/segments?ticker=AAPL&metric=revenue&axis=${axis}`, signedOut)
      ).json()
      const wanted = answer.data.flatMap(({ members, sum, total, difference }) => [
        ...members.map(({ value }) => value),
        sum,
        total,
        difference,
      ])
      if (axis === 'product') expect(wanted.length).toBeGreaterThan(20)
      const shown = [...html.matchAll(/data-v="([^"]*)"/g)].map(([, value]) => value)
      expect([axis, shown.sort()]).toEqual([axis, wanted.filter(value => value !== null).sort()])
    }
    // R2 of 0000320193-25-000057: products 68,714, services 26,645.
    const { html } = await page('/companies/AAPL/segments', signedOut)
    expect(plain(html)).toMatch(/Products\s*68,714/)
  })
})
