import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isIsoDate } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { checkCoverage } from '../../../src/features/coverage/check.ts'
import { coverageIndex } from '../../../src/features/coverage/index.ts'
import { CoverageCheck, CoverageIndex } from '../../../src/features/coverage/schema.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import {
  type CompanyBench,
  companyBench,
  insertEntity,
  insertVintages,
  withAnnounced,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (error instanceof Failure) return `${error.code} ${error.details.param}`
    throw error
  }
  return 'none'
}

describe('the coverage index', () => {
  test('lists markets, manifests, metrics and tickers', async () => {
    const index = await coverageIndex(bench, {})
    expect([...Value.Errors(CoverageIndex, index)]).toEqual([])
    expect(index.markets.find(market => market.code === 'US')).toMatchObject({
      entities: 3,
      status: 'served',
    })
    expect(index.markets.find(market => market.code === 'JP')).toMatchObject({
      entities: 0,
      first_filed: null,
    })
    expect(index.manifests.length).toBe(8)
    expect(index.metrics.map(metric => metric.name)).toContain('net_margin')
    expect(index.tickers).toMatchObject({ count: 5, next: null })
    expect(index.tickers.data.find(entry => entry.ticker === 'GOOGL')?.aliases).toEqual(['GOOG'])
  })

  test('pages through every ticker once, whatever the size of a page', async () => {
    for (const limit of [1, 2, 4, 5, 1_000]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const query: FundamentalsQuery = cursor === undefined ? { limit } : { limit, cursor }
        const { tickers } = await coverageIndex(bench, query)
        expect(tickers.data.length).toBe(tickers.count)
        seen.push(...tickers.data.map(entry => entry.ticker))
        cursor = tickers.next ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(['0410682657.BE', '005930.KS', 'AAPL', 'GOOGL', 'SNOW'])
    }
  })

  test('filters by market', async () => {
    const { tickers } = await coverageIndex(bench, { market: 'US', limit: 2 })
    expect(tickers.data.map(entry => entry.ticker)).toEqual(['AAPL', 'GOOGL'])
    const rest = await coverageIndex(bench, { market: 'us', limit: 2, cursor: tickers.next ?? '' })
    expect(rest.tickers.data.map(entry => entry.ticker)).toEqual(['SNOW'])
    expect(rest.tickers.next).toBeNull()
  })

  const refused: [string, FundamentalsQuery, string][] = [
    ['a made-up cursor', { cursor: 'bm90IG91cnM' }, 'cursor'],
    ['a cursor of SQL', { cursor: "' or 1=1" }, 'cursor'],
    [
      'a cursor with a NUL byte in it',
      { cursor: Buffer.from('["US","A\\u0000",1]').toString('base64url') },
      'cursor',
    ],
    [
      'a cursor past the integers',
      { cursor: Buffer.from('["US","A",1e99]').toString('base64url') },
      'cursor',
    ],
    [
      'a cursor of another market',
      { market: 'US', cursor: Buffer.from('["FR","A",1]').toString('base64url') },
      'cursor',
    ],
    ['an unknown market', { market: 'XX' }, 'market'],
    ['a page of more than 1,000', { limit: 1_001 }, 'limit'],
    ['a page of none', { limit: 0 }, 'limit'],
    ['as_of without ticker', { as_of: '2020-01-01' }, 'as_of'],
    ['CSV without ticker', { format: 'csv' }, 'format'],
  ]
  for (const [what, query, param] of refused) {
    test(`refuses ${what}`, async () => {
      expect(await codeOf(coverageIndex(bench, query))).toBe(`parameter_invalid ${param}`)
    })
  }

  test('spans the filings of a market as they arrive', async () => {
    await insertEntity(bench.sql, { market: 'NZ', issuerId: 'CC20421', ticker: 'CC20421.NZ', name: null })
    const file = async (accession: string, filed: string) =>
      bench.sql`
        insert into filing (accession, entity_id, form, filed)
        select ${accession}, entity_id, '10-K', ${filed} from entity where ticker = 'CC20421.NZ'`
    await file('f-1', '2010-01-25')
    await file('f-2', '2009-10-27')
    await file('f-3', '2009-12-01')
    const index = await coverageIndex(bench, { limit: 1 })
    expect(index.markets.find(market => market.code === 'NZ')).toMatchObject({
      first_filed: '2009-10-27',
      last_filed: '2010-01-25',
    })
  })

  test('does not show filings that state a future day', async () => {
    const lastOn = async (today: string) => {
      const index = await coverageIndex({ ...bench, today: () => today }, { limit: 1 })
      const { first_filed, last_filed } = index.markets.find(market => market.code === 'NZ') ?? {}
      return [first_filed, last_filed]
    }
    await bench.sql`
      insert into filing (accession, entity_id, form, filed)
      select 'f-4', entity_id, '10-K', '2099-01-01' from entity where ticker = 'CC20421.NZ'`
    expect(await lastOn('2026-11-20')).toEqual(['2009-10-27', '2010-01-25'])
    expect(await lastOn('2009-12-01')).toEqual(['2009-10-27', '2009-12-01'])
    expect(await lastOn('2009-10-26')).toEqual([null, null])
    expect(await lastOn('2099-01-01')).toEqual(['2009-10-27', '2099-01-01'])
  })
})

describe('the coverage check', () => {
  const forms: [string, string, string][] = [
    ['a ticker', 'AAPL', 'AAPL'],
    ['a ticker in lower case', 'aapl', 'AAPL'],
    ['the other class of share', 'GOOG', 'GOOG'],
    ['an SEC CIK', '320193', 'AAPL'],
    ['an SEC CIK with zeros', '0000320193', 'AAPL'],
    ['an SEC CIK with its prefix', 'CIK0000320193', 'AAPL'],
    ['a Korean corporate code', '00126380', '005930.KS'],
    ['a Korean stock code without suffix', '005930', '005930.KS'],
    ['a Belgian number', '0410682657', '0410682657.BE'],
    ['a Belgian number with dots', '0410.682.657', '0410682657.BE'],
    ['a Belgian number without its 0', '410682657', '0410682657.BE'],
    ['a Belgian number with suffix and without its 0', '410682657.BE', '0410682657.BE'],
    ['a Belgian VAT number', 'BE 0410.682.657', '0410682657.BE'],
  ]
  for (const [what, sent, ticker] of forms) {
    test(`takes ${what}`, async () => {
      const check = await checkCoverage(bench, sent)
      expect([...Value.Errors(CoverageCheck, check)]).toEqual([])
      expect(check).toMatchObject({ id: sent, ticker })
    })
  }

  test('counts the periods of each metric once, whatever their vintages', async () => {
    const check = await checkCoverage(bench, 'AAPL')
    expect(check).toMatchObject({ first_filed: '2009-10-27', last_filed: '2010-01-25', count: 4 })
    expect(check.data.find(metric => metric.m === 'revenue')).toEqual({
      m: 'revenue',
      periods: 1,
      first_end: '2009-09-26',
      last_end: '2009-09-26',
      first_filed: '2009-10-27',
      last_filed: '2010-01-25',
      checks: { proved: 0, consistent: 0, unchecked: 1, contradicted: 0 },
    })
  })

  test('says why there is nothing', async () => {
    expect((await checkCoverage(bench, 'GOOGL')).note).toContain('none of its filings with figures')
    const announced = { ...bench, markets: withAnnounced('KR') }
    expect((await checkCoverage(announced, '005930.KS')).note).toContain('Market KR')
  })

  test('does not count what is filed after today', async () => {
    const entityId = await insertEntity(bench.sql, {
      market: 'US',
      issuerId: '0000000077',
      ticker: 'AHEAD',
      name: null,
    })
    await insertVintages(bench.sql, entityId, [
      ['revenue', 0, 2026, '2026-01-01', '2026-12-31', '2027-03-31', 1, 'a'],
    ])
    expect(await checkCoverage(bench, 'AHEAD')).toMatchObject({ count: 0, last_filed: null })
  })

  test('refuses an unknown ID', async () => {
    expect(await codeOf(checkCoverage(bench, 'AAPLX'))).toBe('entity_unknown id')
    expect(await codeOf(checkCoverage(bench, 'A\0'))).toBe('entity_unknown id')
    expect(await codeOf(checkCoverage(bench, '\ud800'))).toBe('entity_unknown id')
    expect(await codeOf(checkCoverage(bench, ' '))).toBe('entity_unknown id')
  })

  test('names the other entities that one number names', async () => {
    await insertEntity(bench.sql, {
      market: 'DK',
      issuerId: '00126380',
      ticker: '00126380.DK',
      name: 'Eksempel',
    })
    const check = await checkCoverage(bench, '00126380')
    expect([check.ticker, ...(check.also ?? [])].sort()).toEqual(['00126380.DK', '005930.KS'])
    expect((await checkCoverage(bench, '00126380.DK')).ticker).toBe('00126380.DK')
  })
})
