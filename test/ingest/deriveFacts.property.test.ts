import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber, isoDate, nearestMonthEnd, startOfMonths } from '../../src/dates.ts'
import { type DerivedEntity, deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { Statement } from '../../src/facts/reportedFact.ts'
import { spanOf } from '../../src/facts/spans.ts'
import { usRules } from '../../src/ingest/registers/us/concepts.ts'
import { filingsOf, sampleOf, spellAll, storeAndLoad } from './evidence.ts'

const companies = await Promise.all(
  ['0000320193', '0001652044', '0001640147', '0001997711'].map(async issuerId => {
    const { statements, profile } = await sampleOf(issuerId)
    return { ...profile, statements: [...statements, ...roundedCopies(statements)] }
  }),
)

/** What the Financial Statement Data Sets make of some of the filings: period ends rounded to month ends, and of
 * some filings nothing but that. */
function roundedCopies(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement, index) => {
    const span = spanOf(statement.start, statement.end)
    if (span === null || index % 5 !== 0) return []
    const end = nearestMonthEnd(statement.end)
    const start = span === 0 ? null : startOfMonths(end, span * 3)
    const elsewhere = index % 3 === 0
    const filing = elsewhere
      ? { ...statement.filing, accession: `${statement.filing.accession}X`, form: '8-K' }
      : statement.filing
    return [{ ...statement, start, end, filing, rounded: true }]
  })
}

const derive = (statements: readonly Statement[], fiscalYearEnd: string | undefined) =>
  deriveFacts(statements, { rules: usRules, fiscalYearEnd: fiscalYearEnd ?? null })

const fullByCompany = companies.map(company => ({
  ...company,
  full: derive(company.statements, company.fiscalYearEnd),
}))

test('facts as of any day are exactly those derived from what was filed by that day', () => {
  const property = fc.property(
    fc.nat(fullByCompany.length - 1),
    fc.integer({ min: 0, max: 365 * 18 }),
    (company, offset) => {
      const { statements, fiscalYearEnd, full } = fullByCompany[company]
      const asOf = addDays('2009-06-01', offset)
      const day = dayNumber(asOf)
      const known = derive(
        statements.filter(statement => statement.filing.filed <= day),
        fiscalYearEnd,
      )
      expect(spellAll(known.facts, asOf)).toEqual(
        spellAll(
          full.facts.filter(fact => fact.filing.filed <= day),
          asOf,
        ),
      )
    },
  )
  fc.assert(property, { numRuns: 120 })
}, 120_000)

test('raising the day never removes or alters a vintage, on every day on which something was filed', () => {
  for (const { statements, fiscalYearEnd, full } of fullByCompany) {
    const days = [...new Set(statements.map(statement => statement.filing.filed))].sort((a, b) => a - b)
    const final = new Set(spellAll(full.facts, '1900-01-01'))
    for (const day of days.filter((_, index) => index % 4 === 0)) {
      const known = derive(
        statements.filter(statement => statement.filing.filed <= day),
        fiscalYearEnd,
      )
      for (const row of spellAll(known.facts, '1900-01-01')) expect(final.has(row)).toBe(true)
    }
    expect(isoDate(days[0]) >= '2009-01-01').toBe(true)
  }
}, 120_000)

test('the order of statements decides nothing', () => {
  const property = fc.property(fc.nat(fullByCompany.length - 1), fc.nat(), (company, random) => {
    const { statements, fiscalYearEnd, full } = fullByCompany[company]
    const shuffled = shuffle(statements, random)
    const derived = derive(shuffled, fiscalYearEnd)
    expect(spellAll(derived.facts)).toEqual(spellAll(full.facts))
    expect(derived.repeats.length).toBe(full.repeats.length)
  })
  fc.assert(property, { numRuns: 12 })
}, 120_000)

test('importing in any parts and order, through what is stored in between, gives the same facts', () => {
  const property = fc.property(
    fc.nat(fullByCompany.length - 1),
    fc.nat(),
    fc.integer({ min: 2, max: 6 }),
    (company, random, parts) => {
      const { statements, fiscalYearEnd, full } = fullByCompany[company]
      const shuffled = shuffle(statements, random)
      const filings = filingsOf(statements)
      let stored: Statement[] = []
      let derived: DerivedEntity | null = null
      for (let part = 0; part < parts; part++) {
        const fresh = shuffled.filter((_, index) => index % parts === part)
        derived = derive([...fresh, ...stored], fiscalYearEnd)
        stored = storeAndLoad(derived, filings)
      }
      expect(spellAll(derived?.facts ?? [])).toEqual(spellAll(full.facts))
      expect(derived?.repeats.length).toBe(full.repeats.length)
    },
  )
  fc.assert(property, { numRuns: 12 })
}, 120_000)

function shuffle(statements: readonly Statement[], seed: number): Statement[] {
  const keyed = statements.map((statement, index) => ({ statement, key: hash(seed + index) }))
  return keyed.sort((a, b) => a.key - b.key).map(({ statement }) => statement)
}

const hash = (value: number) => Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0
