import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import type { StandardStatementAnswer } from '../../../src/features/statements/standardSchema.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type Member, memberWith } from '../account/members.ts'
import { importWhole } from '../statements/importWhole.ts'
import { askApi, type Reader, seePage, signedOut } from './compare.ts'

setDefaultTimeout(120_000)

let server: RealServer
let member: Member
beforeAll(async () => {
  server = await realServer()
  member = await memberWith(server, server.sql, { licence: 'personal' })
})
afterAll(() => server.stop(), 60_000)

const statements = ['income', 'balance', 'cash_flow'] as const

const decode = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
const plain = (markup: string) => decode(markup.replaceAll(/<[^>]*>/g, ''))

const page = (path: string, reader: Reader = member) => seePage(server.url, path, reader)
const standardPath = (ticker: string, query: string) =>
  `/companies/${ticker}/statements?view=standard${query === '' ? '' : `&${query}`}`

async function answerOf(
  ticker: string,
  query: string,
  reader: Reader = member,
): Promise<StandardStatementAnswer> {
  const response = await askApi(
    server.url,
    `/api/v1/statements?ticker=${ticker}&view=standard&${query}`,
    reader,
  )
  expect([ticker, query, response.status]).toEqual([ticker, query, 200])
  return await response.json()
}

interface ShownLine {
  readonly name: string
  readonly label: string
  readonly cells: readonly ({ value: string; state: string; title: string; content: string } | null)[]
}

function linesIn(html: string): ShownLine[] {
  const rows = [...html.matchAll(/<tr data-line="(\w+)"[^>]*><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)]
  return rows.map(([, name = '', label = '', cells = '']) => ({
    name,
    label: plain(label),
    cells: [...cells.matchAll(/<td([^>]*)>(.*?)<\/td>/g)].map(([, attributes = '', content = '']) => {
      const [, value] = /data-v="([^"]*)"/.exec(attributes) ?? []
      const [, state = ''] = /data-state="(\w+)"/.exec(attributes) ?? []
      const [, title = ''] = /title="([^"]*)"/.exec(attributes) ?? []
      return value === undefined ? null : { value, state, title: decode(title), content }
    }),
  }))
}

const marks = { proved: '✓', consistent: '=', contradicted: '≠' } as const

/** Compares a page with the answer to its visitor's key, cell by cell and check by check. Returns how many cells they have. */
async function compare(ticker: string, query: string, reader: Reader = member): Promise<number> {
  const [{ status, html }, answer] = await Promise.all([
    page(standardPath(ticker, query), reader),
    answerOf(ticker, query, reader),
  ])
  const about = `${ticker} ${query}`
  expect([about, status]).toEqual([about, 200])
  const lines = linesIn(html)
  expect([about, lines.map(({ name, label }) => [name, label])]).toEqual([
    about,
    answer.data.map(({ name, label }) => [name, label]),
  ])
  let count = 0
  answer.data.forEach((line, at) => {
    expect([about, line.name, lines[at].cells.map(cell => cell && [cell.value, cell.state])]).toEqual([
      about,
      line.name,
      line.cells.map(cell => cell && [cell.value, cell.state]),
    ])
    line.cells.forEach((cell, column) => {
      const shown = lines[at].cells[column]
      if (cell === null || shown === null) return
      const { filed } = answer.filings.find(
        ({ accession }) => accession === answer.columns[column].accession,
      ) ?? { filed: '' }
      expect(shown.title.replaceAll(',', '')).toStartWith(`${cell.value} ${cell.unit} `)
      expect(shown.title).toContain(`filed ${filed}; `)
      count++
      if (cell.state === 'unchecked') {
        expect([about, line.name, /class="mark/.test(shown.content)]).toEqual([about, line.name, false])
        return
      }
      expect(shown.title).toContain(`${cell.state}: ${cell.identity}; `)
      // Without colours and pictures, too: a character for the eye, a word for the ear.
      expect(shown.content).toContain(`aria-hidden="true">${marks[cell.state]}</span>`)
      expect(shown.content).toContain(`<span class="hidden"> ${cell.state}</span>`)
      const [, id = ''] = /aria-describedby="(check-\d+)"/.exec(shown.content) ?? []
      const item = plain(new RegExp(`<li id="${id}">(.*?)</li>`).exec(html)?.[1] ?? '')
      expect([about, id, item.startsWith(`${cell.identity}: `), item.includes(line.label)]).toEqual([
        about,
        id,
        true,
        true,
      ])
    })
  })
  return count
}

describe('a page of standard lines has every cell of the API, with its state and identity', () => {
  test('for random companies of each kind, statements and days', async () => {
    const rows = await server.sql<{ ticker: string }[]>`
      select distinct e.ticker from entity e join filing l using (entity_id) join whole_filing using (filing_id)
      order by e.ticker`
    let cells = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...nonEmpty(rows.map(({ ticker }) => ticker))),
        fc.constantFrom(...statements),
        fc.constantFrom('', '&fp=Q2', '&fp=Q2&fy=2009', '&filings=1'),
        fc.option(fc.date({ min: new Date('2009-06-01'), max: new Date('2010-06-01'), noInvalidDate: true })),
        async (ticker, statement, more, date) => {
          const day = date === null ? '' : `&as_of=${date.toISOString().slice(0, 10)}`
          cells += await compare(ticker, `statement=${statement}${more}${day}`)
        },
      ),
      { numRuns: 50 },
    )
    expect(cells).toBeGreaterThan(500)
  })

  test("for Apple's statements, to visitors who are not signed in", async () => {
    for (const name of statements)
      for (const more of ['', '&as_of=2010-02-01'])
        expect(await compare('AAPL', `statement=${name}${more}`, signedOut)).toBeGreaterThan(15)
  })

  test('a visitor without a licence sees no filing of other companies, as the demo key does not', async () => {
    for (const name of statements) {
      const path = `statement=${name}`
      const { status, html } = await page(standardPath('BAC', path), signedOut)
      const refused = await askApi(
        server.url,
        `/api/v1/statements?ticker=BAC&view=standard&${path}`,
        signedOut,
      )
      expect([status, html.includes('data-v=')]).toEqual([refused.status, false])
      expect(status).toBe(403)
    }
  })
})

describe('as of a day, a page of standard lines', () => {
  // Condensed balance sheet of the 10-Q 0001193125-09-153165, filed on 2009-07-22: total assets of 48,140 million.
  test('shows nothing of a filing before the day on which it was filed', async () => {
    const path = (day: string) => standardPath('AAPL', `statement=balance&as_of=${day}`)
    const before = await page(path('2009-07-21'))
    expect(plain(before.html)).toContain('No filing of AAPL that was public on 2009-07-21')
    expect(/data-v=|48,140|0001193125-09-153165|id="checks"/.test(before.html)).toBe(false)
    const { html } = await page(path('2009-07-22'))
    const assets = linesIn(html).find(({ name }) => name === 'assets')
    expect(assets?.cells[0]?.value).toBe('48140000000')
    expect(assets?.cells[0]?.content).toStartWith('<a ')
    expect(assets?.cells[0]?.content).toContain('>48,140<')
  })

  // The 10-Q 0000320193-25-000057, filed on 2025-05-02: total assets of 331,233 million.
  test('has the earlier filing alone until the next one is filed', async () => {
    const path = (day: string) => standardPath('AAPL', `statement=balance&as_of=${day}`)
    const before = await page(path('2025-05-01'))
    expect(linesIn(before.html).find(({ name }) => name === 'assets')?.cells[0]?.value).toBe('48140000000')
    expect(/331,233|0000320193-25-000057|2025-03-29/.test(before.html)).toBe(false)
    const { html } = await page(path('2025-05-02'))
    expect(linesIn(html).find(({ name }) => name === 'assets')?.cells[0]).toMatchObject({
      value: '331233000000',
      state: 'proved',
    })
  })
})

describe('the identity of a figure in figures', () => {
  /** `39,572,000,000` as 39572000000n; figures per share in billionths. */
  const scaled = (text: string) => {
    const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.')
    return BigInt(`${whole}${fraction.padEnd(9, '0')}`)
  }

  test('its sides differ by what the API says, in the unit of the identity', async () => {
    const counts = { equal: 0, near: 0 }
    for (const [ticker, statement] of [
      ['AAPL', 'income'],
      ['AAPL', 'balance'],
      ['AAPL', 'cash_flow'],
      ['BAC', 'income'],
    ] as const) {
      const query = `statement=${statement}`
      const lines = linesIn((await page(standardPath(ticker, query))).html)
      const { data } = await answerOf(ticker, query)
      data.forEach((line, at) => {
        line.cells.forEach((cell, column) => {
          if (cell?.identity == null) return
          const title = lines[at].cells[column]?.title ?? ''
          const result = title.slice(title.indexOf(cell.identity) + cell.identity.length)
          const [, left = '', sign = '', right = '', unit = ''] =
            /: (-?[\d,.]+) ([=≈≠]) (-?[\d,.]+) (\S+?)(?:,|$)/.exec(result) ?? []
          const about = [ticker, line.name, column, result]
          const gap = scaled(left) - scaled(right)
          const stated = scaled(cell.difference?.replace('-', '') ?? '')
          expect([...about, gap < 0n ? -gap : gap]).toEqual([...about, stated])
          expect([...about, sign]).toEqual([
            ...about,
            stated === 0n ? '=' : cell.state === 'contradicted' ? '≠' : '≈',
          ])
          // Earnings per share times shares are an amount of money.
          expect([...about, unit]).toEqual([...about, 'USD'])
          if (stated === 0n) counts.equal++
          else {
            counts.near++
            expect([...about, result.includes(`(${gap < 0n ? 'right' : 'left'} side larger)`)]).toEqual([
              ...about,
              true,
            ])
          }
        })
      })
    }
    expect(counts.equal).toBeGreaterThan(100)
    expect(counts.near).toBeGreaterThan(5)
  })

  // Q2 2025 of 0000320193-25-000057: basic earnings of 1.65 per share, 14,994,082 thousand shares, net income of 24,780 million.
  test('earnings per share times shares', async () => {
    const { html } = await page(standardPath('AAPL', 'statement=income&cell=eps~2025-03-29~1'))
    expect(plain(figureIn({ html }))).toContain(
      'Basic earnings per share x shares = net income; holds to its rounding: 24,740,235,300 ≈ 24,780,000,000 USD, off by 39,764,700 USD (right side larger)',
    )
  })
})

describe('a line of the table', () => {
  test('is drawn over the columns, each with its figure, filing and check', async () => {
    const { html } = await page(standardPath('AAPL', 'statement=income&cell=revenue'))
    const panel = plain(figureIn({ html }).replaceAll(/aria-label="([^"]*)"/g, '>$1<'))
    // Net sales of the quarters as their 10-Qs state them, in millions: 8,337 and 7,464; 95,359 and 90,753.
    for (const bar of [
      'Q3 2008: Revenue: 7,464,000,000 USD, 10-Q filed 2009-07-22; consistent: ',
      'Q3 2009: Revenue: 8,337,000,000 USD, 10-Q filed 2009-07-22; consistent: ',
      'Q2 2024: Revenue: 90,753,000,000 USD, 10-Q filed 2025-05-02; proved: ',
      'Q2 2025: Revenue: 95,359,000,000 USD, 10-Q filed 2025-05-02; proved: ',
    ])
      expect(panel).toContain(bar)
    const none = await page(standardPath('AAPL', 'statement=income&cell=no_such_line'))
    expect(plain(figureIn(none))).toContain('No figure of this line was known on ')
  })

  test('says of a blank cell that no line of the filing is this one', async () => {
    const { html } = await page(standardPath('AAPL', 'statement=balance'))
    const { data, columns, filings } = await answerOf('AAPL', 'statement=balance')
    const rows = [...html.matchAll(/<tr data-line="\w+"[^>]*>(.*?)<\/tr>/g)]
    let blanks = 0
    data.forEach((line, at) => {
      const cells = [...(rows[at]?.[1] ?? '').matchAll(/<td([^>]*)>/g)].map(
        ([, attributes = '']) => attributes,
      )
      line.cells.forEach((cell, column) => {
        if (cell !== null) return
        blanks++
        const filing = filings.find(({ accession }) => accession === columns[column].accession)
        expect(cells[column]).toContain(
          `title="No line of the ${filing?.form} filed ${filing?.filed} is this one"`,
        )
      })
    })
    expect(blanks).toBeGreaterThan(5)
  })
})

const figureIn = ({ html }: { readonly html: string }) =>
  /<section id="figure"[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''

describe('the panel of a figure', () => {
  test('of a standard line has its identity, and links to every filing that states its source', async () => {
    const query = 'statement=balance&as_of=2010-02-01'
    const panel = figureIn(await page(standardPath('AAPL', `${query}&cell=assets~2009-06-30~0`)))
    const { data } = await answerOf('AAPL', query)
    const cell = data.find(({ name }) => name === 'assets')?.cells[0]
    // Total assets of 48,140 million.
    expect(plain(panel)).toContain(
      `Consistent: ${cell?.identity}; holds exactly: 48,140,000,000 = 48,140,000,000 USD.`,
    )
    expect(plain(panel)).toContain('48,140,000,000 USD, in 10-Q filed 2009-07-22.')
    const [, source = ''] = /<li><a href="([^"]*)">/.exec(panel) ?? []
    const stated = figureIn(await page(decode(source).replace(/#.*/, '')))
    expect(plain(stated)).toContain('48,140,000,000 USD')
    expect(stated).toContain('0001193125-09-153165')
  })

  test('of a line as presented names the standard line and its state, in both views of the filing', async () => {
    const query = 'statement=balance&as_of=2010-02-01'
    const { data } = await answerOf('AAPL', query)
    const cell = data.find(({ name }) => name === 'cash')?.cells[0]
    const named = 'cell=us-gaap:CashAndCashEquivalentsAtCarryingValue~2009-06-30~0'
    for (const view of ['', '&view=as_filed&accession=0001193125-09-153165']) {
      const panel = figureIn(await page(`/companies/AAPL/statements?${query}${view}&${named}`))
      expect(plain(panel)).toContain(
        `As the standard line Cash and cash equivalents of the 10-Q filed 2009-07-22, this figure is = consistent: ${cell?.identity}; holds exactly: 35,170,000,000 = 35,170,000,000 USD.`,
      )
      const [, link = ''] = /class="checked">.*?<a href="([^"]*)">/.exec(panel) ?? []
      expect(plain(figureIn(await page(decode(link).replace(/#.*/, ''))))).toContain('Consistent: ')
    }
  })

  test('of one of several figures that make a standard line says so, and the line lists them all', async () => {
    const answers = await Promise.all(
      ['BA', 'AEP', 'AFL', 'AVB', 'BAC'].map(ticker => answerOf(ticker, 'statement=cash_flow')),
    )
    const [{ ticker, line, cell, period }] = nonEmpty(
      answers.flatMap(({ ticker, data, columns: [{ period }] }) =>
        data.flatMap(line => {
          const [cell] = line.cells
          return cell === null || cell.lines.length === 1 ? [] : [{ ticker, line, cell, period }]
        }),
      ),
    )
    for (const { tag } of nonEmpty(cell.lines)) {
      const path = `/companies/${ticker}/statements?statement=cash_flow&cell=${tag}~${period.end}~${period.quarters}`
      const panel = figureIn(await page(path))
      expect(plain(panel)).toContain(
        `With ${cell.lines.length - 1} other ${cell.lines.length === 2 ? 'figure' : 'figures'}, this figure makes the standard line ${line.label} of the `,
      )
    }
    const query = `statement=cash_flow&cell=${line.name}~${period.end}~${period.quarters}`
    const panel = figureIn(await page(standardPath(ticker, query)))
    expect([...panel.matchAll(/<li>.*?<code>(.*?)<\/code>/g)].map(([, tag]) => tag)).toEqual(
      cell.lines.map(({ tag }) => tag),
    )
  })

  // Quarter to 2009-06-27: net sales of 8,337 million, in the 10-Q 0001193125-09-153165.
  test('on the page of key figures names the state of the same value, from the day of the filing', async () => {
    const path = '/companies/AAPL?show=quarters&as_of=2009-12-31&cell=revenue.2009.Q3.2009-06-27'
    for (const reader of [member, signedOut]) {
      const panel = figureIn(await page(path, reader))
      expect(plain(panel)).toContain('8,337,000,000 USD')
      const { data } = await answerOf('AAPL', 'statement=income&as_of=2009-12-31&fp=Q3&fy=2009', reader)
      const cell = data.find(({ name }) => name === 'revenue')?.cells[0]
      expect(cell?.value).toBe('8337000000')
      expect(plain(panel)).toContain(
        'As the standard line Revenue of the 10-Q filed 2009-07-22, this figure is ',
      )
      expect(plain(panel)).toContain(cell?.identity ?? 'unchecked: no identity applies')
    }
    // The number is on record, but no filing with statements reports on the quarter.
    const other = figureIn(await page(path.replace('Q3.2009-06-27', 'Q2.2009-03-28')))
    expect(other).not.toContain('class="checked"')
  })

  test('says nothing to visitors who may see no filing', async () => {
    const path = '/companies/BAC?show=quarters&cell=net_income.2009.Q2.2009-06-30'
    const [open, locked] = [await page(path), await page(path, signedOut)]
    expect(figureIn(open)).toContain('class="checked"')
    expect(figureIn(locked)).not.toContain('class="checked"')
  })
})

const dayOf = (year: number, month: number, day: number) => Date.UTC(year, month, day) / 86_400_000

interface Figures {
  readonly [tag: string]: readonly [label: string, ...values: string[]]
}

/** An income statement of two periods, as a data set states it. */
function incomeStatement(
  { ticker, form, filed, quarters }: { ticker: string; form: string; filed: string; quarters: number },
  end: readonly [number, number, number],
  lines: Figures,
) {
  const [year, month, day] = end
  const issuerId = ticker === 'OFF' ? '0007000011' : '0007000012'
  return {
    issuerId,
    ticker,
    form,
    filed,
    periodEnd: new Date(dayOf(...end) * 86_400_000).toISOString().slice(0, 10),
    source: 'dataSet' as const,
    whole: {
      accession: `${issuerId}-${filed.slice(2, 4)}-0000${form === '10-K' ? '01' : '02'}`,
      taxonomies: new Map(),
      figures: Object.entries(lines).flatMap(([tag, [, ...values]]) =>
        values.map((value, at) => ({
          concept: `us-gaap:${tag}`,
          context: { start: null, end: dayOf(year - at, month, day), quarters, dimensions: [] },
          unit: 'USD',
          decimals: null,
          value,
        })),
      ),
      statements: [
        {
          role: '2',
          title: null,
          kind: 'IS' as const,
          parenthetical: false,
          lines: Object.entries(lines).map(([tag, [label]], order) => ({
            order,
            concept: `us-gaap:${tag}`,
            depth: null,
            label,
            labelRole: null,
            negated: false,
          })),
        },
      ],
      sums: [],
      defaultMembers: new Map(),
    },
  }
}

describe('what a filing states wrongly, or in two ways', () => {
  beforeAll(async () => {
    await importWhole(server.sql, [
      // Gross profit is 3,000 less than revenue less its cost in 2019, and exactly that in 2018. The figures are in thousands:
      // rounder ones would count as rounded to millions.
      incomeStatement({ ticker: 'OFF', form: '10-K', filed: '2020-02-01', quarters: 4 }, [2019, 11, 31], {
        Revenues: ['Net <sales>', '10003000', '9002000'],
        CostOfRevenue: ['Cost of sales', '4001000', '3501000'],
        GrossProfit: ['Gross margin', '5999000', '5501000'],
        NetIncomeLoss: ['Net income', '1007000', '907000'],
      }),
      incomeStatement({ ticker: 'OFF', form: '10-Q', filed: '2020-05-01', quarters: 1 }, [2020, 2, 31], {
        Revenues: ['Net <sales>', '2000000', '1900000'],
        NetIncomeLoss: ['Net income', '200000', '190000'],
      }),
      incomeStatement({ ticker: 'TWOFOLD', form: '10-K', filed: '2020-02-01', quarters: 4 }, [2019, 11, 31], {
        Revenues: ['Revenue', '7000000', '6000000'],
        CostOfGoodsSold: ['Cost of <goods>', '2000000', '1900000'],
        CostOfServices: ['Cost of services', '1000000', '800000'],
        NetIncomeLoss: ['Net income', '1000000', '900000'],
      }),
    ])
    await Bun.sleep(300)
  })

  test('a contradicted figure says which identity is off by how much, and in which filing', async () => {
    const query = 'statement=income&fp=FY&as_of=2020-03-01'
    expect(await compare('OFF', query)).toBe(8)
    const { html } = await page(standardPath('OFF', query))
    const { data } = await answerOf('OFF', query)
    const [wrong, right] = data.find(({ name }) => name === 'gross_profit')?.cells ?? []
    expect([wrong?.state, wrong?.difference]).toEqual(['contradicted', '-3000'])
    expect(right?.state).toBe('consistent')
    // 10,003,000 - 4,001,000 = 6,002,000. Each of the three figures is rounded to thousands.
    const sides =
      '5,999,000 ≠ 6,002,000 USD, off by 3,000 USD (right side larger); rounding explains at most 1,500 USD'
    const list = /<section class="checks">([\s\S]*?)<\/section>/.exec(html)?.[1] ?? ''
    expect(list.indexOf('Contradicted')).toBeLessThan(list.indexOf('Consistent'))
    expect(plain(list)).toContain(
      `${wrong?.identity}: does not hold (12 months to 2019-12-31 in 10-K filed 2020-02-01: ${sides}).`,
    )
    expect(linesIn(html).find(({ name }) => name === 'gross_profit')?.cells[0]?.title).toBe(
      `5,999,000 USD, 10-K filed 2020-02-01; contradicted: ${wrong?.identity}; does not hold: ${sides}`,
    )
  })

  test('a line with two readings has no value, and both readings are listed', async () => {
    const query = 'statement=income&as_of=2020-03-01'
    const { missing } = await answerOf('TWOFOLD', query)
    expect(missing.map(({ name }) => name)).toEqual(['cost_of_revenue'])
    const { html } = await page(standardPath('TWOFOLD', query))
    expect(linesIn(html).map(({ name }) => name)).not.toContain('cost_of_revenue')
    const [section = ''] = /<h2 id="readings">[\s\S]*?<\/section>/.exec(html) ?? []
    expect(plain(section)).toContain(
      'Cost of revenue in 10-K filed 2020-02-01: “Cost of <goods>” us-gaap:CostOfGoodsSold, or “Cost of services” us-gaap:CostOfServices.',
    )
    expect(section).not.toContain('<goods>')
  })

  test('links lead to years and to quarters, and to the same statement as presented', async () => {
    const { html } = await page(standardPath('OFF', 'statement=income&as_of=2020-06-01'))
    const links = (label: string) => {
      const nav = new RegExp(`<nav class="views" aria-label="${label}">(.*?)</nav>`).exec(html)?.[1] ?? ''
      return [...nav.matchAll(/<a href="([^"]*)"([^>]*)>(.*?)<\/a>/g)].map(([, href = '', state, text]) => ({
        href: decode(href),
        isCurrent: state !== '',
        text,
      }))
    }
    expect(links('View').map(({ text, isCurrent }) => [text, isCurrent])).toEqual([
      ['As presented', false],
      ['One filing', false],
      ['Standard lines', true],
    ])
    const [years, quarters] = links('Periods')
    expect([years.text, years.isCurrent, quarters.text, quarters.isCurrent]).toEqual([
      'Years',
      false,
      'Quarters',
      true,
    ])
    const columnsOf = async (path: string) => {
      const { html: linked } = await page(path)
      return linesIn(linked)
        .find(({ name }) => name === 'revenue')
        ?.cells.map(cell => cell?.value)
    }
    expect(await columnsOf(years.href)).toEqual(['10003000', '9002000'])
    expect(await columnsOf(quarters.href)).toEqual(['2000000', '1900000'])
    const presented = await page(links('View')[0].href)
    expect(presented.html).toContain('<table class="presented">')
    expect(presented.html).toContain('<a href="/companies/OFF/statements?statement=income&amp;view=standard')
  })
})

describe('/companies/{id}/statements?view=standard', () => {
  test('its files are the answers of the API', async () => {
    for (const format of ['csv', 'json', 'parquet']) {
      const query = `statement=balance&view=standard&as_of=2010-02-01&format=${format}`
      const file = await fetch(`${server.url}/companies/AAPL/statements/download?${query}`, {
        headers: { 'X-Forwarded-For': '10.79.0.2' },
      })
      const answer = await askApi(
        server.url,
        `/api/v1/statements?ticker=AAPL&${query}${format === 'csv' ? '&comments=true' : ''}`,
        signedOut,
      )
      expect(file.headers.get('content-disposition')).toContain(`standard-balance-AAPL-2010-02-01.${format}`)
      expect([format, Buffer.from(await file.bytes()).equals(Buffer.from(await answer.bytes()))]).toEqual([
        format,
        true,
      ])
      const { html } = await page(standardPath('AAPL', 'statement=balance&as_of=2010-02-01'), signedOut)
      const href = `/companies/AAPL/statements/download?view=standard&statement=balance&as_of=2010-02-01&format=${format}`
      expect(
        nonEmpty([...html.matchAll(/<a class="button" href="([^"]*)"/g)]).map(([, to]) => decode(to)),
      ).toContain(href)
    }
  })

  test('what cannot be shown is said on a page, with the status of the API', async () => {
    for (const [query, status, words] of [
      ['statement=equity', 400, 'view=standard has income, balance and cash_flow'],
      ['accession=0000320193-25-000057', 400, 'Send view=as_filed'],
      ['as_of=9999-01-01', 400, 'in the future'],
      ['fp=FY&fy=1999', 200, 'presents an income statement'],
      ['cell=assets~2001-06-30~0', 200, 'No figure of this line for this period was known'],
    ] as const) {
      const { status: got, html } = await page(standardPath('AAPL', query))
      expect([query, got, plain(html).includes(words)]).toEqual([query, status, true])
      expect(html.match(/<h1/g)).toHaveLength(1)
    }
    const none = await page(standardPath('SNOW', ''))
    expect(plain(none.html)).toContain('No filing of SNOW that was public')
  })
})
