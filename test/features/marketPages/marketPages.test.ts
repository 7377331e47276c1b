import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import { CrossSection, type CrossSectionQuery } from '../../../src/features/crossSection/schema.ts'
import { encodeCursor } from '../../../src/features/marketPages/query.ts'
import { planRestatements, readRestatements } from '../../../src/features/restatements/restatements.ts'
import {
  type CompanyBench,
  companyBench,
  insertEntity,
  insertVintages,
  rightsOf,
  viewerOf,
} from '../companies/fixtures.ts'

registerFormats()

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

const personal = rightsOf('personal')

const unsigned = (text: string) => Buffer.from(text).toString('base64url')

function refused(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const wrong: [string, Partial<CrossSectionQuery>, string][] = [
  ['an unknown metric', { metric: 'ro' }, 'metric'],
  ['a market that is not covered', { market: 'XX' }, 'market'],
  ['a day in the future', { as_of: '2026-11-21' }, 'as_of'],
  ['a day that does not exist', { as_of: '2025-02-30' }, 'as_of'],
  ['a cursor that no server signed', { cursor: unsigned('US 3 2026-11-20 1') }, 'cursor'],
  ['a cursor that is none', { cursor: '%00' }, 'cursor'],
]
test('restatements are of one metric, and a cross-section may have several', () => {
  const query = { metric: 'roe,eps', market: 'US' }
  expect(refused(() => planRestatements(bench, viewerOf(personal), query)).details.param).toBe('metric')
  expect(planCrossSection(bench, viewerOf(personal), query).metrics).toEqual(['roe', 'eps'])
})
for (const [what, change, param] of wrong) {
  test(`a page of a market is refused with ${what}`, () => {
    const query = { metric: 'roe', market: 'US', ...change }
    for (const plan of [planCrossSection, planRestatements]) {
      const { code, details } = refused(() => plan(bench, viewerOf(personal), query))
      expect([code, details.param]).toEqual(['parameter_invalid', param])
    }
  })
}

describe('a cursor', () => {
  // Made for the plan of a first page, as its `next` is.
  const changed: [string, Partial<CrossSectionQuery>, string][] = [
    ['of another market', { market: 'JP' }, 'belongs to a page of market US, not JP'],
    ['of another day', { as_of: '2026-11-19' }, 'belongs to a page as of 2026-11-20, not 2026-11-19'],
    ['of another metric', { metric: 'assets' }, 'with other parameters'],
  ]
  for (const [what, change, message] of changed) {
    test(`${what} is refused`, () => {
      const query = { metric: 'roe', market: 'US' }
      for (const plan of [planCrossSection, planRestatements]) {
        const { scope, asOf } = plan(bench, viewerOf(personal), query)
        const position = { market: 'US', entityId: 3, asOf, dataVersion: 1, value: null }
        const cursor = encodeCursor(bench.cursors, scope, position)
        expect(plan(bench, viewerOf(personal), { ...query, cursor, limit: 2 }).after).toBe(3)
        const failure = refused(() => plan(bench, viewerOf(personal), { ...query, cursor, ...change }))
        expect([failure.details.param, failure.message]).toEqual(['cursor', expect.stringContaining(message)])
        const wrongRights = refused(() => plan(bench, viewerOf(rightsOf('free')), { ...query, cursor }))
        expect(wrongRights.message).toContain('was made for other rights')
      }
    })
  }
})

describe('pages between which data was imported', () => {
  const pages = {
    'a cross-section': async (after?: string) => {
      const query = { metric: 'roe', market: 'US', as_of: '2026-01-02', limit: 1 }
      const plan = planCrossSection(bench, viewerOf(personal), { ...query, ...(after && { cursor: after }) })
      const list = await readCrossSection(bench, personal, plan)
      expect([...Value.Errors(CrossSection, list)]).toEqual([])
      return list
    },
    restatements: async (after?: string) => {
      const query = { metric: 'roe', market: 'US', as_of: '2026-01-02', limit: 1 }
      const plan = planRestatements(bench, viewerOf(personal), { ...query, ...(after && { cursor: after }) })
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
    test(`of ${what}: each one after the first states that it is of another data version`, async () => {
      let list = await page()
      while (list.count === 0) list = await page(list.next ?? '')
      expect([list.count, list.note]).toEqual([1, undefined])
      await bench.sql`update data_version set version = version + 1`
      const version = list.data_version
      for (const left of [2, 1]) {
        list = await page(list.next ?? '')
        expect([list.count, list.data_version, list.next === null]).toEqual([1, version + 1, left === 1])
        expect(list.note).toContain(`has data version ${version}, this page has ${version + 1}`)
      }
    })
  }
})
