import { expect, test } from 'bun:test'
import { dayNumber } from '../../../../src/dates.ts'
import { parseCompanyfacts } from '../../../../src/ingest/registers/us/companyfacts.ts'
import { readJson } from '../../../../src/ingest/registers/us/readDocument.ts'
import { parseSubmissions } from '../../../../src/ingest/registers/us/submissions.ts'
import { parseCompanyTickers } from '../../../../src/ingest/registers/us/tickers.ts'

const fixture = (name: string) => Bun.file(new URL(`fixtures/${name}`, import.meta.url))

test('names, forms and tickers lose control characters, which PostgreSQL would refuse', () => {
  const figures = [
    { end: '2020-12-31', val: 1, accn: '0000000001-21-000001', form: '10\u0000K', filed: '2021-02-01' },
  ]
  const facts = parseCompanyfacts({
    cik: 1,
    entityName: ' A\u0000B\n株式会社 ',
    facts: { 'us-gaap': { Assets: { units: { USD: figures } } } },
  })
  expect([facts.name, facts.reportedFacts[0]?.filing.form]).toEqual(['A B 株式会社', '10 K'])
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

test('submissions: names the filer, and reads the times of its reports only', async () => {
  const { cik, entity, filings } = parseSubmissions(await fixture('submissions-aapl.json').json(), 'x.json')
  expect(cik).toBe('0000320193')
  expect(entity).toEqual({
    name: 'Apple Inc.',
    tickers: ['AAPL'],
    fiscalYearEnd: '0926',
    // The fixture leaves the industry out.
    sector: null,
    exchange: 'Nasdaq',
    filesAccounts: true,
  })
  expect(filings.map(filing => filing.form)).toEqual(['10-Q', '10-K', '10-Q'])
  expect(filings[1]).toEqual({
    accession: '0000320193-25-000079',
    form: '10-K',
    filed: dayNumber('2025-10-31'),
    acceptedAt: null,
    readings: [{ lister: '0000320193', shown: Date.parse('2025-10-31T06:01:26Z'), clock: 'local' }],
  })
})

test('submissions: an overflow file, an object or an array, takes its filer from the file name', async () => {
  const columns = await fixture('CIK0001318605-submissions-001.json').json()
  const rows = [0, 1, 2].map(row =>
    Object.fromEntries(Object.entries<unknown[]>(columns).map(([name, values]) => [name, values[row]])),
  )
  for (const document of [columns, [columns], rows]) {
    const { cik, entity, filings } = parseSubmissions(document, 'a/CIK0001318605-submissions-001.json')
    expect(cik).toBe('0001318605')
    expect(entity).toBeNull()
    // 23:56 is no time at which EDGAR accepts in New York, so this list shows UTC: the report was accepted at
    // 19:56 on the evening before its filing date.
    expect(filings[0]).toEqual({
      accession: '0001564590-17-021343',
      form: '10-Q',
      filed: dayNumber('2017-11-03'),
      acceptedAt: null,
      readings: [{ lister: '0001318605', shown: Date.parse('2017-11-02T23:56:36Z'), clock: 'utc' }],
    })
    expect(filings).toHaveLength(2)
  }
  expect(() => parseSubmissions(columns, 'older.json')).toThrow('file name')
})

test('company_tickers: the share classes of one company are one entity, its main listing first', async () => {
  expect(parseCompanyTickers(await fixture('company_tickers.json').json())).toEqual([
    { cik: '0000320193', name: 'Apple Inc.', tickers: ['AAPL'] },
    { cik: '0001652044', name: 'Alphabet Inc.', tickers: ['GOOGL', 'GOOG'] },
    { cik: '0001997711', name: 'Logistic Properties of the Americas', tickers: ['LPA'] },
  ])
})

test('a document is recognised by its content, and one of an unknown kind is refused', async () => {
  const contentOf = async (name: string) => {
    const { parsed } = readJson(await fixture(name).json(), 'a')
    const { tickers = [], nameIsFallback = false } = parsed[0].profile
    return {
      tickers: tickers.length > 0,
      nameIsFallback,
      statements: parsed[0].reportedFacts.length > 0,
      filings: parsed[0].filings.length > 0,
    }
  }
  const nothing = { tickers: false, nameIsFallback: false, statements: false, filings: false }
  expect(await contentOf('company_tickers.json')).toEqual({ ...nothing, tickers: true })
  expect(await contentOf('submissions-aapl.json')).toEqual({ ...nothing, tickers: true, filings: true })
  expect(await contentOf('companyfacts-lpa.json')).toEqual({
    ...nothing,
    nameIsFallback: true,
    statements: true,
  })
  for (const document of [{}, [], 1, 'x', null, { data: [] }]) {
    expect(() => readJson(document, 'a.json')).toThrow()
  }
})
