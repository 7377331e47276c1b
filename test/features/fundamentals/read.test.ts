import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isIsoDate } from '../../../src/dates.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import { FundamentalsList, type FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { fundamentalsSheet } from '../../../src/features/fundamentals/sheet.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import {
  type CompanyBench,
  companyBench,
  filingNumber,
  insertEntity,
  insertVintages,
  rightsOf,
  withAnnounced,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

async function read(query: FundamentalsQuery, licence: Parameters<typeof rightsOf>[0] = 'personal') {
  const plan = await planCompany(bench, rightsOf(licence), query)
  const list = await readCompany(bench, plan)
  expect([...Value.Errors(FundamentalsList, list)]).toEqual([])
  return list
}

const columnNames = fundamentalsSheet.map(({ name }) => name as string)

const csvOf = async (list: FundamentalsList) =>
  Buffer.from(await encodeList('csv', fundamentalsSheet, list)).toString()

// Expected values: 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091 of Apple Inc.
describe('Apple, fiscal year 2009', () => {
  test('revenue is 36,537 million on 2009-12-31 and 42,905 million on 2010-02-01', async () => {
    const before = await read({ ticker: 'AAPL', as_of: '2009-12-31', view: 'latest', metric: 'revenue' })
    const after = await read({ ticker: 'AAPL', as_of: '2010-02-01', view: 'latest', metric: 'revenue' })
    expect(before.data.map(row => [row.v, row.filed])).toEqual([[36_537_000_000, '2009-10-27']])
    expect(after.data.map(row => [row.v, row.filed])).toEqual([[42_905_000_000, '2010-01-25']])
  })

  test('a figure is seen from the day on which it was filed, not a day before', async () => {
    const values = async (as_of: string) =>
      (await read({ ticker: 'AAPL', as_of, view: 'latest', metric: 'revenue' })).data.map(row => row.v)
    expect(await values('2009-10-26')).toEqual([])
    expect(await values('2009-10-27')).toEqual([36_537_000_000])
    expect(await values('2010-01-24')).toEqual([36_537_000_000])
    expect(await values('2010-01-25')).toEqual([42_905_000_000])
  })

  test('history shows both vintages of revenue and of net_margin', async () => {
    const list = await read({ ticker: 'AAPL', metric: 'revenue,net_margin' })
    expect(list.data.map(row => [row.m, row.filed, row.v])).toEqual([
      ['net_margin', '2009-10-27', 5_704 / 36_537],
      ['net_margin', '2010-01-25', 8_235 / 42_905],
      ['revenue', '2009-10-27', 36_537_000_000],
      ['revenue', '2010-01-25', 42_905_000_000],
    ])
  })

  test('a response names its object, source, attribution and data version', async () => {
    const list = await read({ ticker: 'aapl', view: 'latest', metric: 'revenue' })
    expect(list).toEqual({
      object: 'fundamentals_list',
      ticker: 'AAPL',
      issuer_id: '0000320193',
      name: 'Apple Inc.',
      market: 'US',
      as_of: '2026-11-20',
      view: 'latest',
      data_version: await readDataVersion(bench.sql),
      attribution: [bench.markets.get('US')?.attribution ?? ''],
      count: 1,
      data: [
        {
          m: 'revenue',
          fy: 2009,
          fp: 'FY',
          end: '2009-09-26',
          filed: '2010-01-25',
          v: 42_905_000_000,
          u: 'USD',
          ticker: 'AAPL',
          issuer_id: '0000320193',
          source: 'U.S. Securities and Exchange Commission, EDGAR',
          until: null,
          // The rows of this file have no tag.
          kind: 'derived',
        },
      ],
    })
    // Figures of an earlier generation have one more.
    expect([...Object.keys(list.data[0]), 'generation']).toEqual(columnNames)
  })
})

describe('the order of vintages', () => {
  test('of one day follows acceptance, then accession; the last one counts', async () => {
    const entityId = await insertEntity(bench.sql, {
      market: 'US',
      issuerId: '0000000042',
      ticker: 'SAMEDAY',
      name: null,
    })
    const at: [number, string | null, string][] = [
      [3, '2020-02-03T22:00:00Z', 'same-a-2'],
      [1, null, 'same-a-9'],
      [4, '2020-02-03T22:00:00Z', 'same-b-1'],
      [2, '2020-02-03T10:00:00Z', 'same-z-1'],
    ]
    await insertVintages(bench.sql, entityId, [
      ['revenue', 0, 2019, '2019-01-01', '2019-12-31', '2020-02-03', 0, 'x'],
    ])
    await bench.sql`delete from fact where entity_id = ${entityId}`
    const [metric] = await bench.sql`select metric_id from metric where name = 'revenue'`
    const [unit] = await bench.sql`select unit_id from unit where name = 'USD'`
    for (const [value, accepted, accession] of at) {
      await bench.sql`
        insert into fact (entity_id, metric_id, fp, fy, unit_id, period_start, period_end, filed, superseded,
                          value, filing_id)
        values (${entityId}, ${metric.metric_id}, 0, 2019, ${unit.unit_id}, '2019-01-01', '2019-12-31', '2020-02-03',
                ${value === 4 ? 'infinity' : '2020-02-03'}, ${value},
                ${await filingNumber(bench.sql, entityId, accession, '2020-02-03', accepted)})`
    }
    expect((await read({ ticker: 'SAMEDAY' })).data.map(row => row.v)).toEqual([1, 2, 3, 4])
    expect((await read({ ticker: 'SAMEDAY', view: 'latest' })).data.map(row => row.v)).toEqual([4])
    expect(
      (await read({ ticker: 'SAMEDAY', view: 'latest', as_of: '2020-02-03' })).data.map(row => row.v),
    ).toEqual([4])
  })

  test('puts the year before the fourth quarter where both end on one day', async () => {
    const entityId = await insertEntity(bench.sql, {
      market: 'US',
      issuerId: '0000000043',
      ticker: 'YEARQ4',
      name: null,
    })
    await insertVintages(bench.sql, entityId, [
      ['revenue', 4, 2019, '2019-10-01', '2019-12-31', '2020-02-03', 25, 'a'],
      ['revenue', 0, 2019, '2019-01-01', '2019-12-31', '2020-02-03', 100, 'a'],
      ['revenue', 3, 2019, '2019-07-01', '2019-09-30', '2019-11-03', 26, 'b'],
    ])
    expect((await read({ ticker: 'YEARQ4', view: 'latest' })).data.map(row => [row.fp, row.v])).toEqual([
      ['FY', 100],
    ])
    expect((await read({ ticker: 'YEARQ4' })).data.map(row => [row.fp, row.v])).toEqual([
      ['Q3', 26],
      ['FY', 100],
      ['Q4', 25],
    ])
  })
})

describe('a demo or free key', () => {
  for (const licence of ['demo', 'free'] as const) {
    test(`${licence}: sees the latest full fiscal year of a company that is not flagship, with a note`, async () => {
      const list = await read({ ticker: 'SNOW' }, licence)
      expect(list.data.map(row => [row.m, row.fy, row.fp, row.v])).toEqual([
        ['revenue', 2025, 'FY', 3_626_000_000],
      ])
      expect(list.licence).toContain('Free Licence')
      expect(list.note).toContain('2025')
      const latest = await read({ ticker: 'SNOW', view: 'latest' }, licence)
      expect(latest.data).toEqual(list.data)
    })
    test(`${licence}: sees a flagship company in full, with the licence field`, async () => {
      const list = await read({ ticker: 'AAPL' }, licence)
      expect(list.count).toBe(8)
      expect(list.licence).toContain('Free Licence')
      expect(list.note).toBeUndefined()
    })
  }
})

describe('a known entity without rows answers and says why', () => {
  const cases: [string, FundamentalsQuery, RegExp][] = [
    ['another market', { ticker: 'AAPL', market: 'JP' }, /belongs to market US, not JP/],
    [
      'nothing filed by as_of',
      { ticker: 'AAPL', as_of: '2001-01-01' },
      /AAPL filed no figures up to 2001-01-01/,
    ],
    [
      'a metric that it does not state',
      { ticker: 'AAPL', metric: 'goodwill' },
      /reports no goodwill .* It reports: assets/,
    ],
    [
      'a reason of the manifest',
      { ticker: 'AAPL', metric: 'liabilities' },
      /Many filers state assets and equity/,
    ],
    [
      'from after the last period',
      { ticker: 'AAPL', from: '2015-01-01' },
      /the latest known period ends on 2009-09-26/,
    ],
    ['no figures at all', { ticker: 'GOOGL' }, /GOOGL filed no figures/],
  ]
  for (const [what, query, note] of cases) {
    test(what, async () => {
      const list = await read(query)
      expect(list.count).toBe(0)
      expect(list.data).toEqual([])
      expect(list.note).toMatch(note)
    })
  }

  test('an announced market', async () => {
    const announced = { ...bench, markets: withAnnounced('KR') }
    const plan = await planCompany(announced, rightsOf('personal'), { ticker: '005930.KS' })
    const list = await readCompany(announced, plan)
    expect([list.count, list.note]).toEqual([0, expect.stringContaining('Market KR is announced')])
  })

  // Snowflake's rows: revenue of two years and a quarter, and the shares on the cover of the third filing.
  const partly: [string, FundamentalsQuery, string[], RegExp | null][] = [
    ['the metrics that have rows need no words', { metric: 'revenue' }, ['revenue'], null],
    [
      'a metric that it does not state, with the reason of the manifest',
      { metric: 'revenue,gross_profit,goodwill', view: 'latest' },
      ['revenue'],
      /^SNOW reports no goodwill, gross_profit in filings up to 2026-11-20\. gross_profit: Stated only by filers/,
    ],
    [
      'a metric that it does not state until later',
      { metric: 'revenue,shares_outstanding', as_of: '2025-05-29', vintage: 'latest' },
      ['revenue'],
      /^SNOW reports no shares_outstanding in filings up to 2025-05-29\.$/,
    ],
    [
      'a metric whose periods all end before from, and one that it does not state',
      { metric: 'revenue,shares_outstanding,cash', from: '2025-05-01' },
      ['shares_outstanding'],
      /^SNOW reports no cash in filings up to 2026-11-20\. revenue: No period that ends on or after 2025-05-01 .* 2025-04-30\.$/,
    ],
  ]
  for (const [what, query, metrics, note] of partly) {
    test(`in part: ${what}`, async () => {
      const list = await read({ ticker: 'SNOW', ...query })
      expect([...new Set(list.data.map(row => row.m))]).toEqual(metrics)
      if (note === null) expect(list.note).toBeUndefined()
      else expect(list.note).toMatch(note)
    })
  }

  test('in part, for a key that sees the most recent fiscal year', async () => {
    const query = { ticker: 'SNOW', metric: 'revenue,shares_outstanding' }
    const plan = await planCompany(bench, rightsOf('demo'), query)
    const { data, note } = await readCompany(bench, plan)
    expect(data.map(row => [row.m, row.fy])).toEqual([['revenue', 2025]])
    expect(note).toMatch(
      /Only the most recent reported fiscal year \(2025\).* shares_outstanding: This key sees only the most recent/,
    )
  })

  test('the reason does not tell what was filed after as_of', async () => {
    const list = await read({ ticker: 'AAPL', as_of: '2001-01-01', metric: 'revenue' })
    expect(list.note).not.toContain('2009')
  })
})

describe('CSV', () => {
  test('has a header, the columns of the JSON row and CRLF line ends', async () => {
    const list = await read({ ticker: 'AAPL', view: 'latest', metric: 'revenue' })
    expect(await csvOf(list)).toBe(
      'm,fy,fp,end,filed,v,u,ticker,issuer_id,source,until,kind,generation\r\n' +
        'revenue,2009,FY,2009-09-26,2010-01-25,42905000000,USD,AAPL,0000320193,"U.S. Securities and Exchange Commission, EDGAR",,derived,\r\n',
    )
  })
  test('of no rows is the header alone', async () => {
    expect(await csvOf(await read({ ticker: 'GOOGL' }))).toBe(`${columnNames.join(',')}\r\n`)
  })
})

test('`from` takes in the period that ends on that day, in either view', async () => {
  for (const view of ['history', 'latest'] as const) {
    const ends = async (from: string) =>
      new Set((await read({ ticker: 'AAPL', metric: 'revenue', view, from })).data.map(row => row.end))
    expect(await ends('2009-09-26')).toEqual(new Set(['2009-09-26']))
    expect(await ends('2009-09-27')).toEqual(new Set())
  }
})

test('the most recent fiscal year of a demo key is the one known today, whatever is filed to come', async () => {
  const entityId = await insertEntity(bench.sql, {
    market: 'US',
    issuerId: '0000000078',
    ticker: 'SOON',
    name: null,
  })
  await insertVintages(bench.sql, entityId, [
    ['revenue', 0, 2024, '2024-01-01', '2024-12-31', '2025-03-01', 1, 'a'],
    ['revenue', 0, 2025, '2025-01-01', '2025-12-31', '2026-11-21', 2, 'b'],
  ])
  const list = await read({ ticker: 'SOON' }, 'demo')
  expect(list.data.map(row => [row.fy, row.v])).toEqual([[2024, 1]])
})
