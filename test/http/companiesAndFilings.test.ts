import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import { importFacts } from '../../src/ingest/import/importFacts.ts'
import { FinancialStatementData } from '../../src/ingest/registers/us/dataSets.ts'
import { readJson } from '../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { callers } from './callers.ts'
import { realServer } from './realServer.ts'
import { testToday } from './testServer.ts'

setDefaultTimeout(180_000)

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)

const get = (path: string) =>
  fetch(`${server.url}/api/v1/${path}`, { headers: { Authorization: keys.personal ?? '' } })
const json = async (path: string) => (await get(path)).json()

describe('GET /api/v1/filings', () => {
  // 10-K 0001193125-09-214859, 10-K/A and 10-Q of 2010-01-25.
  test('lists what was filed by the day, the latest first, with figures counted and a link', async () => {
    const list = await json('filings?ticker=AAPL&as_of=2010-02-01')
    expect(list).toMatchObject({ object: 'filing_list', market: 'US', ticker: 'AAPL', next: null })
    expect(list.data.map((row: Record<string, string>) => [row.filed, row.form, row.accession])).toEqual([
      ['2010-01-25', '10-K/A', '0001193125-10-012091'],
      ['2010-01-25', '10-Q', '0001193125-10-012085'],
      ['2009-10-27', '10-K', '0001193125-09-214859'],
      ['2009-07-22', '10-Q', '0001193125-09-153165'],
    ])
    for (const row of list.data) {
      const [{ n }] = await server.sql`
        select count(*)::int as n from (
          select filing_id from fact where tag_id is not null union all select filing_id from fact_repeat) stated
        where filing_id = (select filing_id from filing where accession = ${row.accession})`
      expect([row.accession, row.figures]).toEqual([row.accession, n])
      expect(row.url).toStartWith('https://www.sec.gov/Archives/edgar/data/320193/')
    }
  })

  test('form and from choose; pages continue to the end and never repeat', async () => {
    const whole = await json('filings?market=US&from=2010-03-01&limit=1000')
    expect(whole.next).toBeNull()
    const rows: unknown[] = []
    let next: string | null = null
    do {
      const page = await json(
        `filings?market=US&from=2010-03-01&limit=37${next === null ? '' : `&cursor=${next}`}`,
      )
      rows.push(...page.data)
      next = page.next
    } while (next !== null)
    expect(rows).toEqual(whole.data)
    expect(rows.length).toBeGreaterThan(100)
    const annual = await json('filings?market=US&form=10-k,20-F&from=2020-01-01&limit=1000')
    const expected = whole.data.filter(
      (row: { form: string; filed: string }) => /^(10-K|20-F)$/.test(row.form) && row.filed >= '2020-01-01',
    )
    expect(annual.data).toEqual(expected)
    expect(expected.length).toBeGreaterThan(5)
  })

  test('every format has the same cells', async () => {
    const path = 'filings?market=KR'
    const { data } = await json(path)
    expect(data.length).toBeGreaterThan(0)
    const lines = (await (await get(`${path}&format=ndjson`)).text()).trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(data)
    const csv = (await (await get(`${path}&format=csv`)).text()).trim().split('\r\n')
    expect(csv[0].split(',')).toEqual(Object.keys(data[0]))
    expect(csv.length).toBe(data.length + 1)
    const file = await (await get(`${path}&format=parquet`)).arrayBuffer()
    const read = (await parquetReadObjects({ file })).map(row => ({
      ...row,
      filed: row.filed instanceof Date ? row.filed.toISOString().slice(0, 10) : row.filed,
    }))
    expect(read).toEqual(data)
  })

  test('neither market nor ticker, another market and a cursor of another list are refused', async () => {
    const first = await json('filings?market=US&limit=1')
    for (const [path, param] of [
      ['filings', 'market'],
      ['filings?market=JP&ticker=AAPL', 'market'],
      ['filings?market=US&form=10-K,', 'form'],
      [`filings?market=KR&cursor=${first.next}`, 'cursor'],
      [`filings?ticker=AAPL&cursor=${first.next}`, 'cursor'],
      [`filings?market=US&as_of=2020-01-01&cursor=${first.next}`, 'cursor'],
      ['filings?market=US&cursor=abc', 'cursor'],
    ]) {
      const response = await get(path)
      expect([path, response.status, (await response.json()).error.param]).toEqual([path, 400, param])
    }
    expect((await json('filings?market=DK')).note).toContain('No filing of market DK')
  })
})

describe('GET /api/v1/companies/{id}', () => {
  const columns = ['adsh', 'cik', 'name', 'sic', 'fye', 'form', 'filed', 'accepted']
  // Of the Financial Statement Data Sets of 2010: APPLE INC was the name on record then, and 0930 the year end.
  const submission = (...cells: string[]) => cells.join('\t')

  test('names what dated documents state with their day, and undated attributes under today alone', async () => {
    const data = new FinancialStatementData()
    data.readSubmission(columns.join('\t'))
    data.readSubmission(
      submission(
        '0001193125-10-012091',
        '320193',
        'APPLE INC',
        '3571',
        '0930',
        '10-K/A',
        '20100125',
        '2010-01-25 16:33:00.0',
      ),
    )
    data.readFigure(['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'value'].join('\t'))
    data.readFigure(
      ['0001193125-10-012091', 'Assets', 'us-gaap/2009', '20090930', '0', 'USD', '47501000000'].join('\t'),
    )
    const options = { source: 'test', rules: usRegister.rules }
    await importFacts(server.sql, [{ parsed: [...data.take()] }], options)
    const submissions = {
      cik: '0000320193',
      name: 'Apple Inc.',
      tickers: ['AAPL'],
      exchanges: ['Nasdaq'],
      sic: '3571',
      sicDescription: 'Electronic Computers',
      fiscalYearEnd: '0926',
      filings: {
        recent: { accessionNumber: [], filingDate: [], acceptanceDateTime: [], form: [] },
      },
    }
    await importFacts(server.sql, [{ parsed: readJson(submissions, 'x.json').parsed }], options)
    await Bun.sleep(200)

    const past = await json('companies/320193?as_of=2010-02-01')
    expect(past).toMatchObject({
      object: 'company',
      id: '320193',
      ticker: 'AAPL',
      issuer_id: '0000320193',
      as_of: '2010-02-01',
      name: { value: 'APPLE INC', filed: '2010-01-25' },
      sector: { scheme: 'SIC', code: '3571', name: null, filed: '2010-01-25' },
      fiscal_year_end: { value: '0930', filed: '2010-01-25' },
      currency: 'USD',
      first_filed: '2009-07-22',
      last_filed: '2010-01-25',
      filings: 4,
    })
    expect(past.today).toBeUndefined()
    const revenue = past.metrics.find((metric: { m: string }) => metric.m === 'revenue')
    expect(revenue.last_filed).toBe('2010-01-25')

    const attributes = async (as_of: string) => {
      const { name, sector, fiscal_year_end, filings } = await json(`companies/AAPL?as_of=${as_of}`)
      return [name?.filed ?? null, sector?.filed ?? null, fiscal_year_end?.filed ?? null, filings]
    }
    // 10-Q 0001193125-09-153165 in the data set 2009q3; the 10-K of October is in none of the sample's.
    expect(await attributes('2010-01-24')).toEqual(['2009-07-22', '2009-07-22', '2009-07-22', 2])
    expect(await attributes('2009-07-21')).toEqual([null, null, null, 0])
    expect((await json('companies/AAPL?as_of=2008-01-01')).metrics).toEqual([])

    const { today, as_of } = await json('companies/AAPL')
    expect(as_of).toBe(testToday)
    expect(today).toMatchObject({
      name: 'Apple Inc.',
      exchange: 'Nasdaq',
      status: null,
      fiscal_year_end: '0926',
      sector: { scheme: 'SIC', code: '3571', name: 'Electronic Computers' },
      current_ids: ['AAPL'],
      former_ids: [],
    })
  })

  test('an unknown ID is 404 with near ones, and today is no parameter', async () => {
    const response = await get('companies/AAPLE')
    expect([response.status, (await response.json()).error.near]).toEqual([404, ['AAPL']])
    expect((await get('companies/AAPL?today=1')).status).toBe(400)
    expect((await get('companies/AAPL?as_of=2999-01-01')).status).toBe(400)
  })
})
