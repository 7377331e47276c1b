import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import type { ReportedList } from '../../../src/features/statements/reportedSchema.ts'
import type { SegmentsAnswer } from '../../../src/features/statements/segmentsSchema.ts'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import { watchDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type GivenFiling, importWhole, realPackages } from './importWhole.ts'

setDefaultTimeout(120_000)

const packages = await realPackages()
let database: TestDatabase
let server: TestServer
let closeWatch: () => Promise<void>
const keys: Record<string, string> = { demo: 'demo' }

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(database.sql, packages ?? [])
  const watch = await watchDataVersion(database.sql, () => {})
  closeWatch = watch.close
  server = await testServer(database.sql, { dataVersion: watch.current })
  for (const licence of ['personal', 'evaluation', 'free'] as const)
    keys[licence] = await sellKey(database.sql, {
      licence,
      ...(licence === 'evaluation' ? { expires: '2099-01-01' } : {}),
    })
})
afterAll(async () => {
  await server.stop()
  await closeWatch()
  await database.close()
})

async function get(path: string, key = 'personal') {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { Authorization: `Bearer ${keys[key]}` },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function ask<Answer>(path: string, key?: string): Promise<Answer> {
  const { status, text } = await get(path, key)
  expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, ''])
  return JSON.parse(text)
}

async function refusal(path: string, key?: string): Promise<[number, string, string]> {
  const { status, text } = await get(path, key)
  const { code, message } = JSON.parse(text).error
  return [status, code, message]
}

describe.skipIf(packages === null)('real filings', () => {
  // Netflix's 10-K for 2009 (0001193125-10-036181), and for 2023 (0001065280-24-000030).
  test('a day before a filing knows nothing of it, in any view and on any route', async () => {
    const later = '0001065280-24-000030'
    for (const day of ['2024-01-25', '2024-01-25T23:59:59-05:00']) {
      const statement = await ask<StatementAnswer>(
        `statements?ticker=NFLX&statement=income&as_of=${encodeURIComponent(day)}`,
      )
      expect(statement.filings.map(({ accession }) => accession)).toEqual(['0001193125-10-036181'])
      for (const path of [
        'statements?statement=balance&view=as_filed',
        'reported?tag=us-gaap:Revenues&dimensions=all',
        'segments?tag=us-gaap:Revenues&axis=geography',
      ])
        expect((await get(`${path}&ticker=NFLX&as_of=${encodeURIComponent(day)}`)).text).not.toContain(later)
    }
    const [status, code, message] = await refusal(
      `statements?ticker=NFLX&statement=income&view=as_filed&as_of=2024-01-25&accession=${later}`,
    )
    expect([status, code]).toEqual([400, 'parameter_invalid'])
    expect(message).toContain('was public on 2024-01-25')
    const known = await ask<StatementAnswer>('statements?ticker=NFLX&statement=income&as_of=2024-01-26')
    expect(known.filings.map(({ accession }) => accession)).toEqual([later, '0001193125-10-036181'])
  })

  test('as of an instant, a filing without a time counts from the end of its day', async () => {
    const during = await ask<StatementAnswer>(
      'statements?ticker=NFLX&statement=income&as_of=2024-01-26T20:00',
    )
    expect(during.filings[0].accession).toBe('0001193125-10-036181')
    expect(during.as_of).toBe('2024-01-26T20:00:00-05:00')
  })

  // Revenue of 2023: 33,723,297 thousand; of 2009: 1,670,269 thousand.
  test('columns of both filings are joined by tag, each with its own filing', async () => {
    const { columns, data } = await ask<StatementAnswer>('statements?ticker=NFLX&statement=income&fp=FY')
    expect(columns.map(({ period, accession }) => [period?.fy, accession.slice(11, 13)])).toEqual([
      [2023, '24'],
      [2022, '24'],
      [2021, '24'],
      [2009, '10'],
      [2008, '10'],
      [2007, '10'],
    ])
    const revenues = nonEmpty(data.filter(({ tag }) => /:(Revenues|SalesRevenue\w*)$/.test(tag)))
    const values = revenues.flatMap(({ cells }) => cells.flatMap(cell => cell?.value ?? []))
    expect(values.slice(0, 1)).toEqual(['33723297000'])
    expect(values).toContain('1670269000')
    for (const line of data.filter(({ heading }) => !heading)) expect(line.cells).toHaveLength(columns.length)
  })

  test('a sign is shown reversed where the line says so, and the value stays as stated', async () => {
    const { data } = await ask<StatementAnswer>('statements?ticker=AAPL&statement=cash_flow')
    // Payments for dividends: 7,614 million in six months, shown as (7,614).
    const dividends = data.find(({ tag }) => tag === 'us-gaap:PaymentsOfDividends')
    expect(dividends).toMatchObject({ negated: true })
    expect(dividends?.cells[0]).toMatchObject({
      value: '7614000000',
      number: 7_614_000_000,
      shown: '-7614000000',
      decimals: -6,
    })
  })

  // The net sales of Apple's quarter by product and by segment, 95,359 million.
  test('breakdowns stand beside the total of the same filing and period, with the exact difference', async () => {
    const { data, filing, tag } = await ask<SegmentsAnswer>(
      'segments?ticker=AAPL&metric=revenue&axis=product&fp=Q2&fy=2025',
    )
    expect([tag, filing?.accession]).toEqual([
      'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax',
      '0000320193-25-000057',
    ])
    const quarter = data.filter(({ quarters }) => quarters === 1)
    expect(quarter.map(({ members }) => members.map(({ label, value }) => [label, value]))).toEqual([
      [
        ['Products', '68714000000'],
        ['Services', '26645000000'],
      ],
      [
        ['iPhone', '46841000000'],
        ['Mac', '7949000000'],
        ['iPad', '6402000000'],
        ['Wearables, Home and Accessories', '7522000000'],
        ['Services', '26645000000'],
      ],
    ])
    for (const { total, sum, difference } of quarter)
      expect([total, sum, difference]).toEqual(['95359000000', '95359000000', '0'])
    // Microsoft's 10-K of 2015, note 21: the United States and other countries.
    const microsoft = await ask<SegmentsAnswer>(
      'segments?ticker=MSFT&metric=revenue&axis=geography&fp=FY&fy=2015',
    )
    expect(
      microsoft.data.map(({ total, sum, difference, members }) => [
        total,
        sum,
        difference,
        members.map(({ value }) => value),
      ]),
    ).toEqual([['93580000000', '93580000000', '0', ['42941000000', '50639000000']]])
  })

  test('dimensions select figures, whatever the taxonomy calls the axis', async () => {
    const all = await ask<ReportedList>(
      'reported?ticker=MSFT&tag=us-gaap:SalesRevenueNet&dimensions=all&limit=5000',
    )
    const none = await ask<ReportedList>('reported?ticker=MSFT&tag=us-gaap:SalesRevenueNet&limit=5000')
    for (const axis of [
      'us-gaap:StatementGeographicalAxis',
      'srt:StatementGeographicalAxis',
      'Geographical',
    ]) {
      const ofAxis = await ask<ReportedList>(
        `reported?ticker=MSFT&tag=us-gaap:SalesRevenueNet&dimensions=${axis}&limit=5000`,
      )
      expect(
        nonEmpty(ofAxis.data).every(({ dimensions }) =>
          dimensions.some(each => each.includes('Geographical')),
        ),
      ).toBeTrue()
      expect(ofAxis.count).toBe(
        all.data.filter(({ dimensions }) => dimensions.some(each => each.includes('Geographical'))).length,
      )
    }
    expect(nonEmpty(none.data).every(({ dimensions }) => dimensions.length === 0)).toBeTrue()
    const { note } = await ask<ReportedList>('reported?ticker=MSFT&tag=us-gaap:SalesRevenueNe')
    expect(note).toContain('Did you mean us-gaap:SalesRevenueNet')
  })

  test('CSV, NDJSON and Parquet have a row per cell, with the values as stated', async () => {
    const { data } = await ask<StatementAnswer>('statements?ticker=AAPL&statement=income')
    const cells = data.reduce((sum, line) => sum + line.cells.filter(cell => cell !== null).length, 0)
    const headings = data.filter(({ heading }) => heading).length
    const lines = (await get('statements?ticker=AAPL&statement=income&format=ndjson')).text.trim().split('\n')
    expect(lines).toHaveLength(cells + headings)
    const csv = (await get('statements?ticker=AAPL&statement=income&format=csv')).text.trim().split('\n')
    expect(csv).toHaveLength(cells + headings + 1)
    const parquet = await get('statements?ticker=AAPL&statement=income&format=parquet')
    expect([parquet.status, parquet.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.apache.parquet',
    ])
    const sales = lines
      .map(line => JSON.parse(line))
      .find(({ label, value }) => label === 'Net sales' && value !== undefined)
    expect(sales).toMatchObject({
      value: '95359000000',
      number: 95_359_000_000,
      unit: 'USD',
      decimals: '-6',
      fy: 2025,
    })
  })

  test('figures of a tag, members and frames are the same in every format', async () => {
    const members = (answer: SegmentsAnswer) =>
      answer.data.flatMap(({ total, difference, members }) =>
        members.map(({ member, label, value }) => ({ member, label, value, total, difference })),
      )
    const asset = 'frames?tag=us-gaap:Assets&period=CY2025Q1I&market=US'
    const cases = [
      ['reported?ticker=AAPL&tag=us-gaap:NetIncomeLoss&dimensions=all', ({ data }: ReportedList) => data],
      ['segments?ticker=AAPL&metric=revenue&axis=product', members],
      [asset, ({ data }: { data: object[] }) => data],
    ] as const
    for (const [path, rowsOf] of cases) {
      const expected = nonEmpty<object>(Reflect.apply(rowsOf, null, [await ask(path)]))
      const [names] = expected.map(row => Object.keys(row))
      const cell = (value: unknown) => (Array.isArray(value) ? value.join(' ') : (value ?? null))
      const texts = (rows: readonly object[]) =>
        rows.map(row => names.map(name => String(cell(Reflect.get(row, name)) ?? '')))
      const lines = (await get(`${path}&format=ndjson`)).text.trim().split('\n')
      expect(texts(lines.map(line => JSON.parse(line)))).toEqual(texts(expected))
      const [head, ...csv] = (await get(`${path}&format=csv`)).text.trim().split('\r\n')
      expect(head.split(',')).toEqual(expect.arrayContaining(names))
      expect(csv).toHaveLength(expected.length)
      const response = await fetch(`${server.url}/api/v1/${path}&format=parquet`, {
        headers: { Authorization: `Bearer ${keys.personal}` },
      })
      const rows = await parquetReadObjects({ file: await response.arrayBuffer() })
      const plain = rows.map(row =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof Date ? value.toISOString().slice(0, 10) : value,
          ]),
        ),
      )
      expect(texts(plain)).toEqual(texts(expected))
    }
    // Total assets of 2025-03-29: 331,233 million.
    expect(JSON.parse((await get(asset)).text).data).toMatchObject([
      { ticker: 'AAPL', value: 331_233_000_000 },
    ])
  })

  test('demo and free keys see flagship companies only; an evaluation counts the company', async () => {
    const paths = [
      'statements?statement=income',
      'reported?tag=us-gaap:Assets',
      'segments?metric=revenue&axis=product',
    ]
    for (const path of paths)
      for (const key of ['demo', 'free']) {
        expect((await get(`${path}&ticker=AAPL&as_of=2025-12-31`, key)).status).toBe(200)
        for (const more of ['', '&as_of=2025-12-31', '&format=csv']) {
          const [status, code, message] = await refusal(`${path}&ticker=MSFT${more}`, key)
          expect([status, code]).toEqual([403, 'licence_required'])
          expect(message).toContain('cannot be cut to the most recent fiscal year')
        }
        const apple = await ask<StatementAnswer>(`${path}&ticker=AAPL`, key)
        expect(apple.licence).toContain('Free Licence')
      }
    await database.sql`update key_grant set entity_cap = 1 where key_id = (select key_id from api_key where prefix = ${keys.evaluation.slice(0, 17)})`
    expect((await get('statements?statement=income&ticker=AAPL', 'evaluation')).status).toBe(200)
    for (const path of paths)
      expect((await refusal(`${path}&ticker=MSFT`, 'evaluation')).slice(0, 2)).toEqual([
        403,
        'entity_cap_reached',
      ])
  })

  test('a company without any filing says so to every key, and needs a licence from its first filing on', async () => {
    const { sql } = database
    const insert = sql`
      insert into entity (market, issuer_id, ticker, name) values ('US', '0000000077', 'EMPTY', 'Empty Inc.') returning entity_id as id`
    const [{ id }] = await insert
    await sql`insert into entity_ticker (entity_id, ticker) values (${id}, 'EMPTY')`
    const paths = [
      'statements?ticker=EMPTY&statement=income',
      'statements?ticker=EMPTY&statement=income&view=standard',
      'reported?ticker=EMPTY&tag=us-gaap:Assets',
      'segments?ticker=EMPTY&metric=revenue&axis=product',
    ]
    for (const path of paths) {
      const { note, count } = await ask<StatementAnswer>(path)
      expect([count, note]).toEqual([0, expect.stringContaining('No filing of EMPTY that was public on')])
      for (const key of ['demo', 'free'])
        expect(await ask<StatementAnswer>(path, key)).toMatchObject({ note: note ?? '', count: 0 })
    }
    // A filing without a day is no public one, but the key learns nothing about it.
    await sql`insert into filing (accession, entity_id, form, filed) values ('0000000077-21-000001', ${id}, '10-K', 'infinity')`
    for (const path of paths)
      for (const key of ['demo', 'free'])
        expect((await refusal(path, key)).slice(0, 2)).toEqual([403, 'licence_required'])
  })

  test('parameters that do not fit together are refused in words', async () => {
    const refused: [string, string][] = [
      ['statements?statement=income', 'Send ticker'],
      ['statements?statement=income&ticker=AAPL&issuer_id=0000320193', 'Send one of them'],
      ['statements?ticker=AAPL&statement=income&accession=0000320193-25-000057', 'Send view=as_filed'],
      ['statements?ticker=AAPL&statement=income&view=as_filed&filings=3', 'Omit filings'],
      [
        'statements?ticker=AAPL&statement=income&view=as_filed&accession=0000320193-25-000057&fp=FY',
        'Omit accession',
      ],
      ['statements?ticker=AAPL&statement=profits', 'one of income, balance'],
      ['statements?ticker=AAPL&statement=income&fp=Q4', 'one of FY, Q1, Q2, Q3'],
      ['statements?ticker=AAPL&statement=income&filings=61', 'from 1 to 60'],
      ['reported?ticker=AAPL&tag=us-gaap:%20Assets', 'a tag as filings spell it'],
      ['segments?ticker=AAPL&axis=product', 'Send either metric'],
      ['segments?ticker=AAPL&axis=product&metric=revenue&tag=us-gaap:Revenues', 'Send either metric'],
      ['segments?ticker=AAPL&axis=product&metric=revenu', 'Did you mean revenue'],
    ]
    for (const [path, words] of refused) {
      const [status, code, message] = await refusal(path)
      expect([path, status, code]).toEqual([path, 400, 'parameter_invalid'])
      expect(message).toContain(words)
    }
  })

  test('what is not on record is said, not guessed', async () => {
    for (const [path, words] of [
      ['statements?ticker=AAPL&statement=income&fp=FY', 'No report of AAPL on FY that was public'],
      [
        'statements?ticker=MSFT&statement=income&as_of=2015-07-30',
        'No filing of MSFT that was public on 2015-07-30',
      ],
      [
        'segments?ticker=MSFT&metric=revenue&axis=us-gaap:NoSuchAxis',
        'divides revenue by us-gaap:NoSuchAxis',
      ],
      ['reported?ticker=AAPL&tag=Assets', 'states Assets'],
      ['reported?ticker=AAPL&tag=資產總計', 'states 資產總計'],
      ['segments?ticker=MSFT&metric=revenue&axis=constructor', 'divides revenue by constructor'],
    ]) {
      const answer = await ask<StatementAnswer>(path)
      expect([path, answer.count, answer.data]).toEqual([path, 0, []])
      expect(answer.note).toContain(words)
    }
  })
})

const made = (change: Partial<GivenFiling>, value: string): GivenFiling => ({
  issuerId: '0007000001',
  ticker: 'PINNED',
  form: '10-K',
  filed: '2020-02-01',
  periodEnd: '2019-12-31',
  source: 'dataSet',
  ...change,
  whole: {
    accession: '0007000001-20-000001',
    taxonomies: new Map(),
    figures: [
      {
        concept: 'us-gaap:Assets',
        context: { start: null, end: 18_261, quarters: 0, dimensions: [] },
        unit: 'USD',
        decimals: null,
        value,
      },
    ],
    statements: [
      {
        role: '2',
        title: null,
        kind: 'BS',
        parenthetical: false,
        lines: [
          {
            order: 1,
            concept: 'us-gaap:Assets',
            depth: null,
            label: 'Assets',
            labelRole: null,
            negated: false,
          },
        ],
      },
    ],
    sums: [],
    defaultMembers: new Map(),
  },
})

test('a pinned data version shows the filing as it was before a better source replaced it', async () => {
  await importWhole(database.sql, [made({}, '1')])
  const paths = [
    'statements?ticker=PINNED&statement=balance&as_of=2021-01-01',
    'reported?ticker=PINNED&tag=us-gaap:Assets&as_of=2021-01-01',
  ]
  const before: string[] = []
  for (const path of paths) before.push((await get(path)).text)
  const { data_version: version, data } = JSON.parse(before[0])
  expect(data[0].cells[0].value).toBe('1')
  await importWhole(database.sql, [made({ source: 'documents' }, '12345678901234567.5')])
  await Bun.sleep(300)
  const { data: now } = await ask<StatementAnswer>(paths[0])
  // A double cannot show these digits.
  expect(now[0].cells[0]).toMatchObject({ value: '12345678901234567.5', number: null })
  for (const [at, path] of paths.entries())
    expect((await get(`${path}&data_version=${version}`)).text).toBe(before[at])
})

test('an answer from the latest 60 reports of more does not claim that there is no such statement', async () => {
  const reports = Array.from({ length: 61 }, (_, at) => {
    const report = made({ issuerId: '0000000061', ticker: 'LONG' }, '1')
    const filed = `20${String(20 + (at % 2)).padStart(2, '0')}-01-${String(1 + (at >> 1)).padStart(2, '0')}`
    return {
      ...report,
      filed,
      whole: { ...report.whole, accession: `0000000061-21-${String(at).padStart(6, '0')}` },
    }
  })
  for (const [count, answer] of [
    [60, 'No report of LONG that was public on 2022-01-01 presents an income statement.'],
    [
      61,
      'The latest 60 reports of LONG that were public on 2022-01-01 present no income statement. Earlier ones',
    ],
  ] as const) {
    await importWhole(database.sql, reports.slice(0, count))
    await Bun.sleep(300)
    const { data, note } = await ask<StatementAnswer>(
      'statements?ticker=LONG&statement=income&as_of=2022-01-01',
    )
    expect(data).toEqual([])
    expect(note).toContain(answer)
  }
})

describe('a report that two companies filed', () => {
  const accession = '0000000091-21-000001'
  const stated = (issuerId: string, ticker: string, source: GivenFiling['source'], value: string) => {
    const filing = made({ issuerId, ticker, source }, value)
    return { ...filing, whole: { ...filing.whole, accession } }
  }
  const given = [
    stated('0000000091', 'PARENT', 'figures', '91'),
    stated('0000000092', 'CHILD', 'figures', '92'),
    stated('0000000091', 'PARENT', 'dataSet', '9100'),
    stated('0000000092', 'CHILD', 'dataSet', '9200'),
  ]
  const orders = [
    [[0, 1], ['91'], ['92']],
    [[1, 0], ['91'], ['92']],
    [[0, 3], ['91'], ['9200']],
    [[3, 0], ['91'], ['9200']],
    [[3, 2, 0, 1], ['9100'], ['9200']],
    [[1, 2, 0, 3], ['9100'], ['9200']],
    [[2], ['9100'], null],
  ] as const
  test.each(orders)(
    'shows the figures of each as its own, whatever the order: %j',
    async (order, parent, child) => {
      const other = await testDatabase()
      const watch = await watchDataVersion(other.sql, () => {})
      const own = await testServer(other.sql, { dataVersion: watch.current })
      const key = await sellKey(other.sql, { licence: 'personal' })
      try {
        for (const at of order) await importWhole(other.sql, [given[at]])
        await Bun.sleep(300)
        for (const [ticker, values] of [
          ['PARENT', parent],
          ['CHILD', child],
        ] as const) {
          const response = await fetch(`${own.url}/api/v1/reported?ticker=${ticker}&tag=us-gaap:Assets`, {
            headers: { Authorization: `Bearer ${key}` },
          })
          expect([ticker, response.status]).toEqual([ticker, values === null ? 404 : 200])
          if (values === null) continue
          const { data }: ReportedList = JSON.parse(await response.text())
          expect([ticker, data.map(({ value }) => value)]).toEqual([ticker, [...values]])
        }
      } finally {
        await own.stop()
        await watch.close()
        await other.close()
      }
    },
  )
})
