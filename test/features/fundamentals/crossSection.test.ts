import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isIsoDate } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import { CrossSection, type CrossSectionQuery } from '../../../src/features/crossSection/schema.ts'
import { planRestatements, readRestatements } from '../../../src/features/restatements/restatements.ts'
import { RestatementList, type RestatementsQuery } from '../../../src/features/restatements/schema.ts'
import { type Bench, handmade, insertEntity, insertVintages, principal } from './handmade.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: Bench
beforeAll(async () => {
  bench = await handmade()
}, 60_000)
afterAll(() => bench.database.close(), 60_000)

const personal = principal('personal')

async function read(query: Partial<CrossSectionQuery>, who = personal, deps = bench) {
  const plan = planCrossSection(deps, who, { metric: 'revenue', market: 'US', ...query })
  const list = await readCrossSection(deps, who, plan)
  expect([...Value.Errors(CrossSection, list)]).toEqual([])
  return list
}

const shown = async (query: Partial<CrossSectionQuery>, who = personal) =>
  (await read(query, who)).data.map(row => [row.ticker, row.fp, row.end, row.filed, row.value])

const cursor = (text: string) => Buffer.from(text).toString('base64url')

function refused(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

// Expected values: Apple's 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091 (handmade.ts).
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

  test('takes the latest period of any kind, or of one quarter, where that is asked for', async () => {
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
    expect((await read({ as_of: '2009-01-01' })).note).toContain('by 2009-01-01')
    expect((await read({ metric: 'roe' })).note).toContain('No company of market US had stated roe')
  })

  test('of a demo key shows the most recent fiscal year of each company, and nothing as of another day', async () => {
    const list = await read({ fp: 'latest' }, principal('demo'))
    expect(list.data.map(row => [row.ticker, row.fy, row.fp])).toEqual([
      ['AAPL', 2009, 'FY'],
      ['SNOW', 2025, 'FY'],
    ])
    expect(list.licence).toContain('Free Licence')
    expect(list.note).toContain('most recent reported fiscal year')
    const failure = refused(() =>
      planCrossSection(bench, principal('free'), { metric: 'roe', market: 'US', as_of: '2025-01-01' }),
    )
    expect([failure.code, failure.details.param]).toEqual(['licence_required', 'as_of'])
    expect(
      planCrossSection(bench, principal('demo'), { metric: 'roe', market: 'US', limit: 9_999 }).limit,
    ).toBe(1_000)
  })

  test('counts the companies of its page against the cap, and what a capped key is shown is kept for it alone', async () => {
    const seen: (readonly number[])[] = []
    const recordEntities = async (_: number, ids: readonly number[]) => {
      seen.push(ids)
      return ids.length < 2
    }
    const who = principal('evaluation', { keyId: 7 })
    await read({ limit: 1 }, who, { ...bench, recordEntities })
    await expect(read({}, who, { ...bench, recordEntities })).rejects.toMatchObject({
      code: 'entity_cap_reached',
    })
    expect(seen.map(ids => ids.length)).toEqual([1, 2])
    const query = { metric: 'roe', market: 'US' }
    const keys = [who, principal('evaluation', { keyId: 8 }), personal].map(
      viewer => planCrossSection(bench, viewer, query).cacheKey,
    )
    expect(new Set(keys).size).toBe(3)
  })

  const wrong: [string, Partial<CrossSectionQuery>, string][] = [
    ['two metrics', { metric: 'roe,eps' }, 'metric'],
    ['an unknown metric', { metric: 'ro' }, 'metric'],
    ['a market that is not covered', { market: 'XX' }, 'market'],
    ['a day in the future', { as_of: '2026-11-21' }, 'as_of'],
    ['a day that does not exist', { as_of: '2025-02-30' }, 'as_of'],
    ['a cursor of another market', { cursor: cursor('JP 3 2026-11-20 1') }, 'cursor'],
    ['a cursor of another day', { cursor: cursor('US 3 2026-11-19 1') }, 'cursor'],
    [
      'a cursor of another day than is asked for',
      { cursor: cursor('US 3 2026-11-20 1'), as_of: '2026-11-19' },
      'cursor',
    ],
    ['a cursor of no day', { cursor: cursor('US 3 2026-02-30 1') }, 'cursor'],
    ['a cursor without a day', { cursor: cursor('US 3') }, 'cursor'],
    ['a cursor of its own making', { cursor: cursor('US 03 2026-11-20 1') }, 'cursor'],
    ['a cursor beyond all entities', { cursor: cursor('US 9999999999 2026-11-20 1') }, 'cursor'],
    ['a cursor that is none', { cursor: '%00' }, 'cursor'],
  ]
  for (const [what, change, param] of wrong) {
    test(`refuses ${what}`, () => {
      const query = { metric: 'roe', market: 'US', ...change }
      for (const plan of [planCrossSection, planRestatements]) {
        const { code, details } = refused(() => plan(bench, personal, query))
        expect([code, details.param]).toEqual(['parameter_invalid', param])
      }
    })
  }
})

test('restatements tell the value before and after, from the day on which the change was filed', async () => {
  const told = async (change: { from?: string; as_of?: string }) => {
    const plan = planRestatements(bench, personal, { metric: 'revenue', market: 'US', ...change })
    const list = await readRestatements(bench, personal, plan)
    expect([...Value.Errors(RestatementList, list)]).toEqual([])
    return list.data.map(row => [
      row.ticker,
      row.end,
      row.filed_before,
      row.value_before,
      row.filed,
      row.value,
    ])
  }
  const apple = ['AAPL', '2009-09-26', '2009-10-27', 36_537_000_000, '2010-01-25', 42_905_000_000]
  expect(await told({})).toEqual([apple])
  expect(await told({ as_of: '2010-01-24' })).toEqual([])
  expect(await told({ as_of: '2010-01-25', from: '2010-01-25' })).toEqual([apple])
  expect(await told({ from: '2010-01-26' })).toEqual([])
})

test('restatements say why there are none', async () => {
  const note = async (query: Partial<RestatementsQuery>) => {
    const plan = planRestatements(bench, personal, { metric: 'revenue', market: 'US', ...query })
    return (await readRestatements(bench, personal, plan)).note
  }
  expect(await note({})).toBeUndefined()
  expect(await note({ as_of: '2010-01-24' })).toContain(
    'No company of market US has a change of revenue that was filed by 2010-01-24.',
  )
  expect(await note({ from: '2010-01-26' })).toContain('filed from 2010-01-26 to 2026-11-20')
  expect(await note({ from: '2027-01-01' })).toContain('no day lies between them')
  expect(await note({ market: 'NZ', metric: 'eps' })).toContain('does not state eps')
  expect(await note({ market: 'BE' })).toContain(bench.markets.get('BE')?.absences.revenue ?? '?')
  expect(await note({ as_of: '2010-01-24', limit: 1 })).toContain('`next` continues')
})

describe('pages between which data was imported', () => {
  const pages = {
    'a cross-section': async (after?: string) =>
      read({ metric: 'roe', as_of: '2026-01-02', limit: 1, ...(after && { cursor: after }) }),
    restatements: async (after?: string) => {
      const query = { metric: 'roe', market: 'US', as_of: '2026-01-02', limit: 1 }
      const plan = planRestatements(bench, personal, { ...query, ...(after && { cursor: after }) })
      return readRestatements(bench, personal, plan)
    },
  }
  beforeAll(async () => {
    // Made up: three companies, each with a figure and its change.
    for (const number of [1, 2, 3]) {
      const entity = { market: 'US', issuerId: `R${number}`, ticker: `ROE${number}`, name: null }
      await insertVintages(bench.sql, await insertEntity(bench.sql, entity), [
        ['roe', 0, 2024, '2024-01-01', '2024-12-31', '2025-03-01', 0.1, `r-${number}-1`],
        ['roe', 0, 2024, '2024-01-01', '2024-12-31', '2025-04-01', 0.2, `r-${number}-2`],
      ])
    }
  })
  for (const [what, page] of Object.entries(pages)) {
    test(`of ${what}: each one after the first says that it is of another data version`, async () => {
      let list = await page()
      while (list.count === 0) list = await page(list.next ?? '')
      expect([list.count, list.note]).toEqual([1, undefined])
      await bench.sql`update data_version set version = version + 1`
      const version = list.data_version
      for (const left of [2, 1]) {
        list = await page(list.next ?? '')
        expect([list.count, list.data_version, list.next === null]).toEqual([1, version + 1, left === 1])
        expect(list.note).toContain(`of data version ${version}, this one is of ${version + 1}`)
      }
    })
  }
})
