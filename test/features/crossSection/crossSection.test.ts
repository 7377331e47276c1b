import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isIsoDate } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import { CrossSection, type CrossSectionQuery } from '../../../src/features/crossSection/schema.ts'
import type { PageViewer } from '../../../src/features/marketPages/query.ts'
import {
  asCapped,
  type CompanyBench,
  companyBench,
  entityIdOf,
  evaluationKey,
  rightsOf,
  seenEntities,
  viewerOf,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

const personal = rightsOf('personal')

const read = (query: Partial<CrossSectionQuery>, who = personal) => readAs(viewerOf(who), query)

async function readAs(viewer: PageViewer, query: Partial<CrossSectionQuery>) {
  const plan = planCrossSection(bench, viewer, { metric: 'revenue', market: 'US', ...query })
  const list = await readCrossSection(bench, viewer.rights, plan)
  expect([...Value.Errors(CrossSection, list)]).toEqual([])
  return list
}

const shown = async (query: Partial<CrossSectionQuery>, who = personal) =>
  (await read(query, who)).data.map(row => [row.ticker, row.fp, row.end, row.filed, row.value])

function refused(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

// Expected values: Apple's 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091 (companies/fixtures.ts).
describe('a cross-section', () => {
  test('shows of each company the latest full year known on the day, at the vintage of the day', async () => {
    expect(await shown({ as_of: '2009-10-26' })).toEqual([])
    expect(await shown({ as_of: '2009-10-27' })).toEqual([
      ['AAPL', 'FY', '2009-09-26', '2009-10-27', 36_537_000_000],
    ])
    expect(await shown({ as_of: '2010-01-24' })).toEqual([
      ['AAPL', 'FY', '2009-09-26', '2009-10-27', 36_537_000_000],
    ])
    expect(await shown({ as_of: '2025-06-30' })).toEqual([
      ['AAPL', 'FY', '2009-09-26', '2010-01-25', 42_905_000_000],
      ['SNOW', 'FY', '2025-01-31', '2025-03-21', 3_626_000_000],
    ])
  })

  test('takes the latest period of any kind, or of one quarter, where fp selects it', async () => {
    const snow = ['SNOW', 'Q1', '2025-04-30', '2025-05-30', 1_042_000_000]
    const apple = ['AAPL', 'FY', '2009-09-26', '2010-01-25', 42_905_000_000]
    expect(await shown({ fp: 'latest' })).toEqual([apple, snow])
    expect(await shown({ fp: 'latest', as_of: '2025-05-29' })).toEqual([
      apple,
      ['SNOW', 'FY', '2025-01-31', '2025-03-21', 3_626_000_000],
    ])
    expect(await shown({ fp: 'Q1' })).toEqual([snow])
    expect(await shown({ fp: 'Q3' })).toEqual([])
  })

  test('leaves out companies whose period ended too long ago, to the day', async () => {
    // From 2025-01-31 to 2026-11-20 there are 658 days.
    expect(await shown({ max_age_days: 658 })).toHaveLength(1)
    expect(await shown({ max_age_days: 657 })).toHaveLength(0)
    expect(await shown({ max_age_days: 36_500, as_of: '0001-01-01' })).toHaveLength(0)
  })

  test('continues where its cursor says, and each company comes once', async () => {
    const first = await read({ limit: 1 })
    const second = await read({ limit: 1, cursor: first.next ?? '' })
    expect([first.data[0].ticker, second.data[0].ticker, second.next]).toEqual(['AAPL', 'SNOW', null])
  })

  test('says why it is empty', async () => {
    expect((await read({ as_of: '2009-01-01' })).note).toContain('in filings up to 2009-01-01')
    expect((await read({ metric: 'roe' })).note).toContain('No company of market US reports roe')
  })

  test('of a demo key shows the most recent fiscal year of each company, and nothing as of another day', async () => {
    const list = await read({ fp: 'latest' }, rightsOf('demo'))
    expect(list.data.map(row => [row.ticker, row.fy, row.fp])).toEqual([
      ['AAPL', 2009, 'FY'],
      ['SNOW', 2025, 'FY'],
    ])
    expect(list.licence).toContain('Free Licence')
    expect(list.note).toContain('most recent reported fiscal year')
    const failure = refused(() =>
      planCrossSection(bench, viewerOf(rightsOf('free')), {
        metric: 'roe',
        market: 'US',
        as_of: '2025-01-01',
      }),
    )
    expect([failure.code, failure.details.param]).toEqual(['licence_required', 'as_of'])
    expect(
      planCrossSection(bench, viewerOf(rightsOf('demo')), { metric: 'roe', market: 'US', limit: 9_999 })
        .limit,
    ).toBe(1_000)
  })

  test('counts the companies of its page against the cap, and at the cap answers from those that were seen', async () => {
    const who = await evaluationKey(bench.sql, 1)
    const apple = [await entityIdOf(bench.sql, 'AAPL')]
    const ask = (query: Partial<CrossSectionQuery>) =>
      asCapped(bench.sql, who, viewer => readAs(viewer, query))
    const larger = await ask({ limit: 2 })
    expect([larger.count, larger.seen_only, larger.companies_left]).toEqual([0, true, 1])
    expect(larger.note).toContain('This key may see 1 more companies, and a page may have 2')
    expect(await seenEntities(bench.sql, who)).toEqual([])
    // Without a limit the page has as many as the key may still see.
    const first = await ask({})
    expect([first.data.map(({ ticker }) => ticker), first.seen_only]).toEqual([['AAPL'], undefined])
    expect(await seenEntities(bench.sql, who)).toEqual(apple)
    const atCap = await ask({})
    expect([atCap.data.map(({ ticker }) => ticker), atCap.next]).toEqual([['AAPL'], null])
    expect(atCap.note).toContain('only about the 1 companies that it has seen')
    expect(await seenEntities(bench.sql, who)).toEqual(apple)
  })

  test('has cache keys of its own for a capped key, and for each number of companies that it has seen', () => {
    const query = { metric: 'roe', market: 'US' }
    const capped = (keyId: number, seen: number[], left: number) => ({
      rights: rightsOf('evaluation', { keyId }),
      allowance: { seen, left },
    })
    const viewers = [
      ...[capped(7, [], 1_000), capped(8, [], 1_000), viewerOf(personal)],
      ...[capped(7, [1], 0), capped(7, [1, 2], 0), capped(7, [1, 2], 1)],
    ]
    const keys = viewers.map(viewer => planCrossSection(bench, viewer, { ...query, limit: 2 }).cacheKey)
    expect(new Set(keys).size).toBe(viewers.length)
  })
})
