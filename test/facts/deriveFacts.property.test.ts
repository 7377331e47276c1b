import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber, isoDate, nearestMonthEnd, startOfMonths } from '../../src/dates.ts'
import { type DerivedEntity, deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { ReportedFact } from '../../src/facts/reportedFact.ts'
import { spanOf } from '../../src/facts/spans.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { rounds } from '../rounds.ts'
import { filingsOf, sampleOf, spellAll, storeAndLoad } from './derivation.ts'

const companies = await Promise.all(
  ['0000320193', '0001652044', '0001640147', '0001997711'].map(async issuerId => {
    const { reportedFacts, profile } = await sampleOf(issuerId)
    return { ...profile, reportedFacts: [...reportedFacts, ...roundedCopies(reportedFacts)] }
  }),
)

/** Alphabet as it might have filed: every third report in thousands, and annual reports that tag second quarters as six months. */
const alphabet = await sampleOf('0001652044')
const annual = alphabet.reportedFacts.find(({ filing }) => filing.form === '10-K')
companies.push({
  ...alphabet.profile,
  reportedFacts: alphabet.reportedFacts.flatMap((reported, index) => {
    const { filing, start, end, value } = reported
    const isFiner = filing.filed % 3 === 0 && Math.abs(value) >= 1e6
    const stated = isFiner ? { ...reported, value: value + ((index % 900) - 450) * 1000 } : reported
    const halfYear = start !== null && index % 4 === 0 && spanOf(start, end) === 1 ? start - 91 : null
    if (halfYear === null || annual === undefined) return [stated]
    const later = { ...annual.filing, accession: `${filing.accession}Y`, filed: filing.filed + 150 }
    return [stated, { ...stated, start: halfYear, filing: later }]
  }),
})

/** Some of the filings as the Financial Statement Data Sets have them, with period ends rounded to month ends. Some of these
 * filings come in no other form. */
function roundedCopies(reportedFacts: readonly ReportedFact[]): ReportedFact[] {
  return reportedFacts.flatMap((reported, index) => {
    const span = spanOf(reported.start, reported.end)
    if (span === null || index % 5 !== 0) return []
    const end = nearestMonthEnd(reported.end)
    const start = span === 0 ? null : startOfMonths(end, span * 3)
    const isOnlyCopy = index % 3 === 0
    const filing = isOnlyCopy
      ? { ...reported.filing, accession: `${reported.filing.accession}X`, form: '8-K' }
      : reported.filing
    return [{ ...reported, start, end, filing, rounded: true }]
  })
}

const derive = (reportedFacts: readonly ReportedFact[], fiscalYearEnd: string | undefined) =>
  deriveFacts(reportedFacts, { rules: usRegister.rules, fiscalYearEnd: fiscalYearEnd ?? null })

const fullByCompany = companies.map(company => ({
  ...company,
  full: derive(company.reportedFacts, company.fiscalYearEnd),
}))

test('facts as of any day are exactly those derived from what was filed by that day', () => {
  const property = fc.property(
    fc.nat(fullByCompany.length - 1),
    fc.integer({ min: 0, max: 365 * 18 }),
    (company, offset) => {
      const { reportedFacts, fiscalYearEnd, full } = fullByCompany[company]
      const asOf = addDays('2009-06-01', offset)
      const day = dayNumber(asOf)
      const known = derive(
        reportedFacts.filter(reported => reported.filing.filed <= day),
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
  fc.assert(property, { numRuns: rounds(40, 120) })
}, 120_000)

test('raising the day never removes or alters a vintage, on any day on which something was filed', () => {
  for (const { reportedFacts, fiscalYearEnd, full } of nonEmpty(fullByCompany)) {
    const days = [...new Set(reportedFacts.map(reported => reported.filing.filed))].sort((a, b) => a - b)
    const final = new Set(spellAll(full.facts, '1900-01-01'))
    for (const day of days.filter((_, index) => index % 4 === 0)) {
      const known = derive(
        reportedFacts.filter(reported => reported.filing.filed <= day),
        fiscalYearEnd,
      )
      for (const row of spellAll(known.facts, '1900-01-01')) expect(final.has(row)).toBe(true)
    }
    expect(isoDate(days[0]) >= '2009-01-01').toBe(true)
  }
}, 120_000)

test('the order of reported facts does not matter', () => {
  const property = fc.property(fc.nat(fullByCompany.length - 1), fc.nat(), (company, random) => {
    const { reportedFacts, fiscalYearEnd, full } = fullByCompany[company]
    const shuffled = shuffle(reportedFacts, random)
    const derived = derive(shuffled, fiscalYearEnd)
    expect(spellAll(derived.facts)).toEqual(spellAll(full.facts))
    expect(derived.repeats.length).toBe(full.repeats.length)
  })
  fc.assert(property, { numRuns: rounds(4, 12) })
}, 120_000)

test('importing in any parts and order, through what is stored in between, gives the same facts', () => {
  const property = fc.property(
    fc.nat(fullByCompany.length - 1),
    fc.nat(),
    fc.integer({ min: 2, max: 6 }),
    (company, random, parts) => {
      const { reportedFacts, fiscalYearEnd, full } = fullByCompany[company]
      const shuffled = shuffle(reportedFacts, random)
      const filings = filingsOf(reportedFacts)
      let stored: ReportedFact[] = []
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
  fc.assert(property, { numRuns: rounds(4, 12) })
}, 120_000)

function shuffle(reportedFacts: readonly ReportedFact[], seed: number): ReportedFact[] {
  const keyed = reportedFacts.map((reported, index) => ({ reported, key: hash(seed + index) }))
  return keyed.sort((a, b) => a.key - b.key).map(({ reported }) => reported)
}

const hash = (value: number) => Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0
