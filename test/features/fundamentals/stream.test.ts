import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parquetReadObjects } from 'hyparquet'
import { isIsoDate } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { FundamentalsBatch } from '../../../src/features/fundamentals/batchSchema.ts'
import { planCompanies, planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery, FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import { streamCompanies } from '../../../src/features/fundamentals/stream.ts'
import type { DataFormat } from '../../../src/formats/columns.ts'
import {
  type CompanyBench,
  companyBench,
  entityIdOf,
  evaluationKey,
  rightsOf,
  seenEntities,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

async function open(query: FundamentalsQuery, format: DataFormat = 'json', who = rightsOf('personal')) {
  const sent = { ...query, format }
  const opened = await streamCompanies(bench, who, sent, await planCompanies(bench, who, sent))
  const bytes = await new Response(opened.body).arrayBuffer()
  await opened.read
  return bytes
}

async function batch(query: FundamentalsQuery, who = rightsOf('personal')): Promise<FundamentalsBatch> {
  const list: unknown = JSON.parse(Buffer.from(await open(query, 'json', who)).toString())
  expect([...Value.Errors(FundamentalsBatch, list)]).toEqual([])
  return Value.Decode(FundamentalsBatch, list)
}

async function alone(query: FundamentalsQuery): Promise<FundamentalsRow[]> {
  return (await readCompany(bench, await planCompany(bench, rightsOf('personal'), query))).data
}

async function refused(query: FundamentalsQuery, who = rightsOf('personal')): Promise<Failure> {
  try {
    await planCompanies(bench, who, query)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('several companies', () => {
  test('are answered in the order of the request, each as when it is requested alone', async () => {
    const list = await batch({ ticker: 'snow, GOOG,AAPL,005930.KS', as_of: '2025-06-01' })
    expect(list.companies.map(({ ticker, market, count }) => [ticker, market, count])).toEqual([
      ['SNOW', 'US', 4],
      ['GOOG', 'US', 0],
      ['AAPL', 'US', 8],
      ['005930.KS', 'KR', 0],
    ])
    const rows: FundamentalsRow[] = []
    for (const { ticker } of list.companies) rows.push(...(await alone({ ticker, as_of: '2025-06-01' })))
    expect(list.data).toEqual(rows)
    expect(list.count).toBe(12)
    expect(list.companies[1].note).toContain('GOOG')
    expect(list.attribution).toEqual(['US', 'KR'].map(market => bench.markets.get(market)?.attribution ?? ''))
  })

  test('have the same rows in every form', async () => {
    const query = { ticker: 'AAPL,SNOW', view: 'latest' } as const
    const { data } = await batch(query)
    const lines = Buffer.from(await open(query, 'ndjson'))
      .toString()
      .trimEnd()
      .split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(data)
    const csv = Buffer.from(await open(query, 'csv'))
      .toString()
      .trimEnd()
      .split('\r\n')
    expect(csv.slice(1).map(line => line.split(',').slice(0, 9))).toEqual(
      data.map(row => Object.values(row).slice(0, 9).map(String)),
    )
    const read = await parquetReadObjects({ file: await open(query, 'parquet') })
    const day = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value)
    expect(read.map(row => ({ ...row, end: day(row.end), filed: day(row.filed) }))).toEqual(
      data.map(row => ({ ...row, generation: row.generation ?? null, stale: row.stale ?? null })),
    )
  })

  test('leave their connection, also when the client leaves in the middle', async () => {
    for (let round = 0; round < 12; round++) {
      const who = rightsOf('personal')
      const query = { ticker: 'AAPL,SNOW,GOOG' }
      const { body, read } = await streamCompanies(bench, who, query, await planCompanies(bench, who, query))
      await body.cancel()
      await read
    }
    expect((await bench.sql`select 1 as one`)[0].one).toBe(1)
  })
})

describe('a list that cannot be answered', () => {
  test('names every ID that is unknown, and what the first may have meant', async () => {
    const { code, message, details } = await refused({ ticker: 'AAPL,AAPLE,SNOW,NOSUCHCO' })
    expect([code, details.near?.[0]]).toEqual(['entity_unknown', 'AAPL'])
    expect(message).toContain('AAPLE,NOSUCHCO')
    expect(message).not.toContain('SNOW,')
  })
  const wrong: [string, string][] = [
    ['more than 100 IDs', Array.from({ length: 101 }, (_, i) => `A${i}`).join(',')],
    ['an ID twice', 'AAPL,SNOW,aapl'],
    ['an empty ID', 'AAPL,,SNOW'],
    ['a comma at the end', 'AAPL,'],
    ['a formula', 'AAPL,=1+1'],
  ]
  for (const [what, ticker] of wrong) {
    test(`is refused with ${what}`, async () => {
      const { code, details } = await refused({ ticker })
      expect([code, details.param]).toEqual(['parameter_invalid', 'ticker'])
    })
  }
  test('with as_of for one company that the licence does not open, is refused and names it', async () => {
    const { code, message } = await refused({ ticker: 'AAPL,SNOW', as_of: '2025-06-01' }, rightsOf('demo'))
    expect(code).toBe('licence_required')
    expect(message).toContain('as_of for SNOW')
  })
  test('with vintage and view=latest is refused', async () => {
    const { details } = await refused({ ticker: 'AAPL,SNOW', view: 'latest', vintage: 'first' })
    expect(details.param).toBe('vintage')
  })
})

test('a demo key sees the flagship in full and the most recent fiscal year of the others', async () => {
  const list = await batch({ ticker: 'AAPL,SNOW' }, rightsOf('demo'))
  expect(list.companies.map(({ ticker, count }) => [ticker, count])).toEqual([
    ['AAPL', 8],
    ['SNOW', 1],
  ])
  expect(list.companies[1].note).toContain('2025')
  expect(list.licence).toContain('Free Licence')
})

test('the companies of a list are counted against the cap together, those of two IDs once', async () => {
  const who = await evaluationKey(bench.sql, 2)
  await planCompanies(bench, who, { ticker: 'GOOG,GOOGL,AAPL' })
  const both = [await entityIdOf(bench.sql, 'AAPL'), await entityIdOf(bench.sql, 'GOOGL')]
  expect(await seenEntities(bench.sql, who)).toEqual(both)
  await expect(planCompanies(bench, who, { ticker: 'GOOG,AAPL,SNOW' })).rejects.toMatchObject({
    code: 'entity_cap_reached',
  })
  expect(await seenEntities(bench.sql, who)).toEqual(both)
})

// Expected values: 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091 of Apple Inc.
describe('vintage', () => {
  const revenue = async (vintage: 'first' | 'latest' | 'all', as_of: string) =>
    (await alone({ ticker: 'AAPL', metric: 'revenue', vintage, as_of })).map(row => [row.filed, row.v])
  const first = ['2009-10-27', 36_537_000_000]
  const second = ['2010-01-25', 42_905_000_000]
  test('first is what was filed first, also after the restatement', async () => {
    expect(await revenue('first', '2009-12-31')).toEqual([first])
    expect(await revenue('first', '2010-02-01')).toEqual([first])
  })
  test('latest is what was current on the day', async () => {
    expect(await revenue('latest', '2009-12-31')).toEqual([first])
    expect(await revenue('latest', '2010-01-24')).toEqual([first])
    expect(await revenue('latest', '2010-01-25')).toEqual([second])
  })
  test('all is both', async () => {
    expect(await revenue('all', '2010-02-01')).toEqual([first, second])
  })
})
