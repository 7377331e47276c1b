import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFilingShapes } from '../../bench/data/filingShape.ts'
import { loadReportedFilings } from '../../bench/data/loadReportedFilings.ts'
import { makeReportingCompany, planReportingCompany } from '../../bench/data/makeReportingCompany.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(240_000)

const shapes = await readFilingShapes()

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

test.skipIf(shapes === null)(
  'a company depends on seed and number alone, and has the figures of its plan',
  () => {
    for (const number of [0, 7, 21]) {
      const plan = planReportingCompany(shapes ?? [], number, 1)
      const { parsed, wholeFilings } = makeReportingCompany(plan)
      const figures = wholeFilings.map(({ whole }) => whole.figures)
      expect(figures.flat()).toEqual(
        makeReportingCompany(plan).wholeFilings.flatMap(({ whole }) => whole.figures),
      )
      expect(figures.reduce((sum, { length }) => sum + length, 0)).toBe(plan.figures)
      expect(parsed.filings.length).toBe(plan.filings)
      for (const [at, { filed }] of nonEmpty(parsed.filings).entries())
        expect(filed).toBeGreaterThan(wholeFilings[at].periodEnd ?? Number.POSITIVE_INFINITY)
    }
  },
)

test.skipIf(shapes === null)('filings of a company state one value for one period', () => {
  const { wholeFilings } = makeReportingCompany(planReportingCompany(shapes ?? [], 5, 1))
  const values = new Map<string, Set<string | null>>()
  let repeated = 0
  for (const { whole } of nonEmpty(wholeFilings))
    for (const { concept, context, unit, value } of whole.figures) {
      if (value === null) continue
      const key = JSON.stringify([concept, unit, context])
      repeated += values.has(key) ? 1 : 0
      values.set(key, (values.get(key) ?? new Set()).add(value))
    }
  expect(repeated).toBeGreaterThan(0)
  for (const stated of values.values()) expect(stated.size).toBe(1)
})

test.skipIf(shapes === null)('extensions of a company are its own words, and standard tags are not', () => {
  const [first, ...others] = [0, 1, 2, 3, 4, 5].map(number => {
    const { wholeFilings } = makeReportingCompany(planReportingCompany(shapes ?? [], number, 1))
    return new Set(wholeFilings.flatMap(({ whole }) => whole.figures.map(({ concept }) => concept)))
  })
  const isStandard = (concept: string) => concept.startsWith('us-gaap:')
  expect([...first].filter(isStandard).some(concept => others.some(each => each.has(concept)))).toBe(true)
  const extensions = [...first].filter(concept => !isStandard(concept))
  for (const concept of nonEmpty(extensions))
    expect(others.filter(each => each.has(concept)).length).toBeLessThan(2)
})

test.skipIf(shapes === null)('what is loaded is not loaded again, and a second run continues', async () => {
  const { sql } = db
  const load = (figures: number) =>
    loadReportedFilings(sql, { figures, seed: 1, source: 'bench-data', onProgress: () => {} })
  const stored = async () => {
    const [found] = await sql<{ filings: number; figures: number }[]>`
      select count(*)::int as filings, sum(figures)::int as figures from whole_filing`
    return found
  }
  const first = await load(100_000)
  expect(await stored()).toEqual({ filings: first.filings, figures: first.figures })
  const more = await load(first.figures + 1)
  expect(more.known).toBe(first.figures)
  expect(more.figures).toBeGreaterThan(first.figures)
  expect(await stored()).toEqual({ filings: more.filings, figures: more.figures })
})
