import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import { parseCompanyfacts } from '../../../../src/ingest/registers/us/companyfacts.ts'
import { usRules } from '../../../../src/ingest/registers/us/concepts.ts'
import { FinancialStatementData } from '../../../../src/ingest/registers/us/dataSets.ts'
import { readDocument } from '../../../../src/ingest/registers/us/readDocument.ts'
import { parseSubmissions } from '../../../../src/ingest/registers/us/submissions.ts'
import { parseCompanyTickers } from '../../../../src/ingest/registers/us/tickers.ts'

const fixture = (name: string) => Bun.file(new URL(`fixtures/${name}`, import.meta.url))

test('companyfacts: a figure keeps its tag, unit, period, filing and value', async () => {
  const facts = parseCompanyfacts(await fixture('companyfacts-aapl-fy2009.json').json())
  expect(facts.cik).toBe('0000320193')
  expect(facts.malformed).toBe(0)
  // Form 10-K/A, 0001193125-10-012091: net sales of fiscal 2009.
  const amended = facts.statements.find(
    ({ tag, filing, start }) =>
      tag === 'us-gaap:SalesRevenueNet' &&
      filing.accession === '0001193125-10-012091' &&
      start === dayNumber('2008-09-28'),
  )
  expect(amended).toEqual({
    metric: 'revenue',
    tag: 'us-gaap:SalesRevenueNet',
    unit: 'USD',
    start: dayNumber('2008-09-28'),
    end: dayNumber('2009-09-26'),
    value: 42_905_000_000,
    rounded: false,
    filing: {
      accession: '0001193125-10-012091',
      form: '10-K/A',
      filed: dayNumber('2010-01-25'),
      acceptedAt: null,
    },
  })
})

test('companyfacts: a CIK may be a number or a padded string, and the taxonomy may be IFRS', async () => {
  const facts = parseCompanyfacts(await fixture('companyfacts-lpa.json').json())
  expect(facts.cik).toBe('0001997711')
  const units = new Set(facts.statements.map(({ metric, unit }) => `${metric} ${unit}`))
  expect(units).toEqual(
    new Set([
      'revenue USD',
      'net_income USD',
      'assets USD',
      'equity USD',
      'eps USD/shares',
      'liabilities USD',
    ]),
  )
})

test('companyfacts: figures that make no sense are counted and left out, and the rest is read', () => {
  const good = {
    start: '2020-01-01',
    end: '2020-12-31',
    val: 5,
    accn: '0000000001-21-000001',
    form: '10-K',
    filed: '2021-02-01',
  }
  const facts = parseCompanyfacts({
    cik: 1,
    entityName: '',
    facts: {
      'us-gaap': {
        Revenues: {
          units: {
            USD: [
              good,
              { ...good, val: '5' },
              { ...good, end: '2020-02-30' },
              { ...good, accn: 7 },
              { ...good, start: '2021-01-01' },
              { ...good, val: Number.POSITIVE_INFINITY }, // JSON.parse('1e999')
              null,
            ],
            Store: [good],
          },
        },
        SomethingElse: { units: { USD: [good] } },
      },
    },
  })
  expect(facts.statements).toHaveLength(1)
  expect(facts.malformed).toBe(6)
  expect(facts.figuresRead).toBe(9)
  expect(facts.name).toBeNull()
})

test('companyfacts: of two filing days of one accession the later counts', () => {
  const filed = (day: string, val: number) => ({
    start: '2020-01-01',
    end: '2020-12-31',
    val,
    accn: '0000000001-21-000001',
    form: '10-K',
    filed: day,
  })
  for (const figures of [
    [filed('2021-02-01', 5), filed('2021-05-01', 4)],
    [filed('2021-05-01', 4), filed('2021-02-01', 5)],
  ]) {
    const document = { cik: 1, facts: { 'us-gaap': { Revenues: { units: { USD: figures } } } } }
    const { facts } = deriveFacts(parseCompanyfacts(document).statements, {
      rules: usRules,
      fiscalYearEnd: null,
    })
    expect(facts.map(fact => isoDate(fact.filing.filed))).toEqual(['2021-05-01'])
  }
})

test('names, forms and tickers come without control characters, which PostgreSQL would refuse', () => {
  const figures = [
    { end: '2020-12-31', val: 1, accn: '0000000001-21-000001', form: '10\u0000K', filed: '2021-02-01' },
  ]
  const facts = parseCompanyfacts({
    cik: 1,
    entityName: ' A\u0000B\n株式会社 ',
    facts: { 'us-gaap': { Assets: { units: { USD: figures } } } },
  })
  expect([facts.name, facts.statements[0]?.filing.form]).toEqual(['A B 株式会社', '10 K'])
  expect(parseCompanyTickers({ 0: { cik_str: 1, ticker: 'A\u0000', title: '\u0000' } })).toEqual([
    { cik: '0000000001', name: null, tickers: ['A'] },
  ])
  const { entity } = parseSubmissions(
    { cik: 1, name: 'A\u0000', tickers: ['B\u0000', '\u0000'], filings: { recent: emptyFilings } },
    'x.json',
  )
  expect(entity).toMatchObject({ name: 'A', tickers: ['B'] })
})

const emptyFilings = { accessionNumber: [], filingDate: [], acceptanceDateTime: [], form: [] }

test('submissions: names the filer and dates the acceptance of its reports only', async () => {
  const { cik, entity, filings } = parseSubmissions(await fixture('submissions-aapl.json').json(), 'x.json')
  expect(cik).toBe('0000320193')
  expect(entity).toEqual({
    name: 'Apple Inc.',
    tickers: ['AAPL'],
    fiscalYearEnd: '0926',
    filesAccounts: true,
  })
  expect(filings.map(filing => filing.form)).toEqual(['10-Q', '10-K', '10-Q'])
  expect(filings[1]).toEqual({
    accession: '0000320193-25-000079',
    form: '10-K',
    filed: dayNumber('2025-10-31'),
    acceptedAt: Date.parse('2025-10-31T06:01:26Z'),
  })
})

test('submissions: an overflow file is named after its filer, as one object or as a bare array', async () => {
  const columns = await fixture('CIK0001318605-submissions-001.json').json()
  const rows = [0, 1, 2].map(row =>
    Object.fromEntries(Object.entries<unknown[]>(columns).map(([name, values]) => [name, values[row]])),
  )
  for (const document of [columns, [columns], rows]) {
    const { cik, entity, filings } = parseSubmissions(document, 'a/CIK0001318605-submissions-001.json')
    expect(cik).toBe('0001318605')
    expect(entity).toBeNull()
    // The report was accepted on the evening before the day on which it counts as filed.
    expect(filings[0]).toEqual({
      accession: '0001564590-17-021343',
      form: '10-Q',
      filed: dayNumber('2017-11-03'),
      acceptedAt: Date.parse('2017-11-02T23:56:36Z'),
    })
    expect(filings).toHaveLength(2)
  }
  expect(() => parseSubmissions(columns, 'older.json')).toThrow('file name')
})

test('company_tickers: the classes of one company are one entity, its main listing first', async () => {
  expect(parseCompanyTickers(await fixture('company_tickers.json').json())).toEqual([
    { cik: '0000320193', name: 'Apple Inc.', tickers: ['AAPL'] },
    { cik: '0001652044', name: 'Alphabet Inc.', tickers: ['GOOGL', 'GOOG'] },
    { cik: '0001997711', name: 'Logistic Properties of the Americas', tickers: ['LPA'] },
  ])
})

test('a document is recognised by its content, and one of no known kind says what is known', async () => {
  const said = async (name: string) => {
    const { contributions } = readDocument(await fixture(name).json(), 'a')
    const { tickers = [], nameIsFallback = false } = contributions[0].profile
    return {
      tickers: tickers.length > 0,
      nameIsFallback,
      statements: contributions[0].statements.length > 0,
      filings: contributions[0].filings.length > 0,
    }
  }
  const nothing = { tickers: false, nameIsFallback: false, statements: false, filings: false }
  expect(await said('company_tickers.json')).toEqual({ ...nothing, tickers: true })
  expect(await said('submissions-aapl.json')).toEqual({ ...nothing, tickers: true, filings: true })
  expect(await said('companyfacts-lpa.json')).toEqual({ ...nothing, nameIsFallback: true, statements: true })
  for (const document of [{}, [], 1, 'x', null, { data: [] }]) {
    expect(() => readDocument(document, 'a.json')).toThrow()
  }
})

test('data sets: month-end periods, whole-entity figures only, and earnings per share in their unit', async () => {
  const data = new FinancialStatementData()
  for (const line of (await fixture('fsds-sub.txt').text()).trimEnd().split('\n')) data.readSubmission(line)
  for (const line of (await fixture('fsds-num.txt').text()).trimEnd().split('\n')) data.readFigure(line)
  const [apple, ...others] = [...data.take()]
  expect(others).toEqual([])
  expect(apple.profile.issuerId).toBe('0000320193')
  const eps = apple.statements.find(
    ({ metric, end, start }) =>
      metric === 'eps_diluted' && end === dayNumber('2009-06-30') && start === dayNumber('2009-04-01'),
  )
  expect(eps?.unit).toBe('USD/shares')
  expect(eps?.value).toBe(1.35)
  expect(eps?.rounded).toBe(true)
  expect(eps?.filing).toEqual({
    accession: '0001193125-09-153165',
    form: '10-Q',
    filed: dayNumber('2009-07-22'),
    acceptedAt: Date.parse('2009-07-22T16:42:00Z'),
  })
  expect([...data.take()]).toEqual([])
})

test('data sets: a figure of a segment or a co-registrant, or over another number of quarters, is left out', () => {
  const data = new FinancialStatementData()
  data.readSubmission('adsh\tcik\tname\tform\tfiled\taccepted')
  data.readSubmission('0000000001-20-000001\t1\tONE\t10-K\t20200201\t2020-02-01 10:00:00.0')
  data.readFigure('adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote')
  const figure = (qtrs: number, segments: string, coreg: string) =>
    data.readFigure(
      `0000000001-20-000001\tRevenues\tus-gaap/2019\t20191231\t${qtrs}\tUSD\t${segments}\t${coreg}\t5.0000\t`,
    )
  figure(4, '', '')
  figure(4, 'Segments=A;', '')
  figure(4, '', 'Sub')
  figure(8, '', '')
  expect([...data.take()].flatMap(contribution => contribution.statements)).toHaveLength(1)
  expect(data.unplaced).toBe(1)
  expect(() =>
    data.readFigure('0000000009-20-000001\tRevenues\tus-gaap/2019\t20191231\t4\tUSD\t\t\t5\t'),
  ).toThrow('known `adsh`')
})

test('data sets: their `ifrs` is the taxonomy that companyfacts calls ifrs-full', () => {
  const data = new FinancialStatementData()
  data.readSubmission('adsh\tcik\tname\tform\tfiled\taccepted')
  data.readSubmission('0000000001-20-000001\t1\tONE\t20-F\t20200401\t2020-04-01 10:00:00.0')
  data.readFigure('adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote')
  data.readFigure('0000000001-20-000001\tRevenue\tifrs/2019\t20191231\t4\tUSD\t\t\t5.0000\t')
  const statements = [...data.take()].flatMap(contribution => contribution.statements)
  expect(statements.map(({ metric, tag }) => [metric, tag])).toEqual([['revenue', 'ifrs-full:Revenue']])
})
