import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber, nearestMonthEnd, startOfMonths } from '../../src/dates.ts'
import { deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../src/facts/factRow.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { rounds } from '../rounds.ts'
import { filingsOf, spellAll, storeAndLoad } from './derivation.ts'

// Filers whose accounts no auditor would sign: years that change their end, quarters that overlap, three
// currencies, filings of one day, tags that come and go. The guarantees hold for them too.

const metrics = [
  ['revenue', 'us-gaap:Revenues', 'flow', 'USD'],
  ['revenue', 'us-gaap:SalesRevenueNet', 'flow', 'USD'],
  ['revenue', 'us-gaap:InterestAndDividendIncomeOperating', 'flow', 'EUR'],
  ['net_income', 'us-gaap:NetIncomeLoss', 'flow', 'USD'],
  ['net_income', 'us-gaap:ProfitLoss', 'flow', 'EUR'],
  ['eps', 'us-gaap:EarningsPerShareBasic', 'flow', 'USD/shares'],
  ['equity', 'us-gaap:StockholdersEquity', 'instant', 'USD'],
  ['assets', 'us-gaap:Assets', 'instant', 'USD'],
  ['assets', 'us-gaap:Assets', 'instant', 'CHF'],
  ['shares_outstanding', 'dei:EntityCommonStockSharesOutstanding', 'instant', 'shares'],
] as const

const epoch = dayNumber('2015-01-01')
const yearEnds = [0, 364, 365, 540, 729, 730, 1_094, 1_095]

const filings: fc.Arbitrary<Filing[]> = fc.uniqueArray(
  fc.record({
    accession: fc.integer({ min: 1, max: 30 }).map(n => `0000000001-15-${String(n).padStart(6, '0')}`),
    form: fc.constantFrom('10-K', '10-K/A', '10-Q', '20-F', '8-K', 'S-1', '10-KT', '10-QT'),
    filed: fc.integer({ min: 0, max: 12 }).map(n => epoch + 400 + n * 100),
    acceptedAt: fc.option(fc.integer({ min: 1, max: 3 }).map(n => n * 3_600_000)),
  }),
  { minLength: 3, maxLength: 8, selector: filing => filing.accession },
)

const stated = fc.record({
  which: fc.nat(metrics.length - 1),
  yearEnd: fc.constantFrom(...yearEnds),
  quarter: fc.integer({ min: -4, max: 4 }),
  wobble: fc.integer({ min: -3, max: 3 }),
  length: fc.constantFrom(31, 91, 98, 112, 182, 196, 273, 280, 364, 371, 365),
  value: fc.integer({ min: -3, max: 3 }),
  filing: fc.nat(7),
  rounded: fc.boolean(),
})

const accounts = fc.tuple(filings, fc.array(stated, { minLength: 20, maxLength: 80 })).map(([list, rows]) =>
  rows.map((row): ReportedFact => {
    const [metric, tag, kind, unit] = metrics[row.which]
    const exact = epoch + row.yearEnd + row.quarter * 91 + row.wobble
    const end = row.rounded ? nearestMonthEnd(exact) : exact
    const months = 3 * Math.max(1, Math.round(row.length / 91))
    const start = kind === 'instant' ? null : row.rounded ? startOfMonths(end, months) : end - row.length + 1
    return {
      metric,
      tag,
      unit,
      start,
      end,
      value: row.value,
      rounded: row.rounded,
      filing: list[row.filing % list.length],
    }
  }),
)

const yearEndOnFile = fc.constantFrom(null, '1231', '0630', '0926')
const derive = (reportedFacts: readonly ReportedFact[], fiscalYearEnd: string | null) =>
  deriveFacts(reportedFacts, { rules: usRegister.rules, fiscalYearEnd })

test('any accounts: facts as of any day follow from exactly what was filed by then', () => {
  const property = fc.property(accounts, yearEndOnFile, (reportedFacts, yearEnd) => {
    const full = derive(reportedFacts, yearEnd)
    for (const day of new Set(reportedFacts.map(reported => reported.filing.filed))) {
      const asOf = new Date(day * 86_400_000).toISOString().slice(0, 10)
      const known = derive(
        reportedFacts.filter(reported => reported.filing.filed <= day),
        yearEnd,
      )
      const visible = full.facts.filter(fact => fact.filing.filed <= day)
      expect(spellAll(known.facts, asOf)).toEqual(spellAll(visible, asOf))
    }
  })
  fc.assert(property, { numRuns: rounds(500, 1_500) })
}, 180_000)

test('any accounts: the same facts in any order', () => {
  const property = fc.property(accounts, yearEndOnFile, fc.nat(), (reportedFacts, yearEnd, seed) => {
    const order = reportedFacts.map((reported, index) => ({ reported, key: Math.sin(seed + index) }))
    const shuffled = order.sort((a, b) => a.key - b.key).map(({ reported }) => reported)
    expect(spellAll(derive(shuffled, yearEnd).facts)).toEqual(spellAll(derive(reportedFacts, yearEnd).facts))
    expect(spellAll(derive([...shuffled, ...reportedFacts], yearEnd).facts)).toEqual(
      spellAll(derive(reportedFacts, yearEnd).facts),
    )
  })
  fc.assert(property, { numRuns: rounds(500, 1_500) })
}, 180_000)

test('any accounts: the same facts and repeats when imported in parts, through the store', () => {
  const property = fc.property(accounts, yearEndOnFile, fc.nat(7), (reportedFacts, yearEnd, part) => {
    const full = derive(reportedFacts, yearEnd)
    const filings = filingsOf(reportedFacts)
    const first = reportedFacts.filter((_, index) => index % 8 <= part)
    const rest = reportedFacts.filter((_, index) => index % 8 > part)
    const stored = storeAndLoad(derive(rest, yearEnd), filings)
    const derived = derive([...first, ...stored], yearEnd)
    expect(spellAll(derived.facts)).toEqual(spellAll(full.facts))
    expect(derived.repeats.length).toBe(full.repeats.length)
    // A second import finds everything stored.
    const again = derive([...reportedFacts, ...storeAndLoad(full, filings)], yearEnd)
    expect(spellAll(again.facts)).toEqual(spellAll(full.facts))
    expect(again.repeats.length).toBe(full.repeats.length)
  })
  fc.assert(property, { numRuns: rounds(500, 1_500) })
}, 180_000)

test('any accounts: the key of a stored row is unique', () => {
  const property = fc.property(accounts, yearEndOnFile, (reportedFacts, yearEnd) => {
    const { facts } = derive(reportedFacts, yearEnd)
    const keys = facts.map(
      fact => `${fact.metric} ${fact.end} ${fact.filing.filed} ${fact.fp} ${fact.filing.accession}`,
    )
    expect(new Set(keys).size).toBe(keys.length)
    for (const fact of facts)
      expect(fact.superseded ?? fact.filing.filed).toBeGreaterThanOrEqual(fact.filing.filed)
  })
  fc.assert(property, { numRuns: rounds(500, 1_500) })
}, 180_000)

test('a quarter whose days another filing of the day refines is not derived again for the filing that stated it', () => {
  const of = (accession: string, form: string): Filing => ({
    accession,
    form,
    filed: 17_736,
    acceptedAt: null,
  })
  const [prospectus, annual] = [of('0000000001-15-000001', 'S-1'), of('0000000001-15-000003', '10-K')]
  const revenue = (start: number, end: number, filing: Filing, rounded = false): ReportedFact => ({
    ...{ metric: 'revenue', tag: 'us-gaap:Revenues', unit: 'USD', value: 0 },
    ...{ start, end, filing, rounded },
  })
  const { facts } = derive(
    [
      revenue(17_075, 17_347, prospectus),
      revenue(17_076, 17_439, prospectus),
      revenue(17_348, 17_439, prospectus, true),
      revenue(17_341, 17_438, annual),
    ],
    null,
  )
  const quarters = facts.filter(({ metric, fp }) => metric === 'revenue' && fp === 4)
  expect(quarters.map(({ end, filing }) => [end, filing.accession])).toEqual([
    [17_439, prospectus.accession],
    [17_438, annual.accession],
  ])
})

test('any accounts: at most one vintage of a period is current on any day', () => {
  const property = fc.property(accounts, yearEndOnFile, (reportedFacts, yearEnd) => {
    const { facts } = derive(reportedFacts, yearEnd)
    for (const day of new Set(facts.map(fact => fact.filing.filed))) {
      const current = facts.filter(
        fact => fact.filing.filed <= day && (fact.superseded === null || fact.superseded > day),
      )
      // Two reports of one day may count the shares of one day, each on its own cover.
      const year = (fact: FactRow) => (fact.metric === 'shares_outstanding' ? fact.fy : '')
      const keys = current.map(fact => `${fact.metric} ${fact.end} ${fact.fp} ${year(fact)}`)
      expect(new Set(keys).size).toBe(keys.length)
    }
  })
  fc.assert(property, { numRuns: rounds(350, 1_000) })
}, 180_000)

test('amounts beyond all bounds give no quarter that is not finite', () => {
  const filing = (accession: string, filed: string, form = '10-K'): Filing => ({
    accession,
    form,
    filed: dayNumber(filed),
    acceptedAt: null,
  })
  const stated = (end: string, value: number, of: Filing): ReportedFact => ({
    metric: 'revenue',
    tag: 'us-gaap:Revenues',
    unit: 'USD',
    rounded: false,
    start: dayNumber('2016-01-01'),
    end: dayNumber(end),
    value,
    filing: of,
  })
  const nineMonths = stated('2016-09-30', -1.7e308, filing('q', '2016-11-01', '10-Q'))
  const year = stated('2016-12-31', 1.7e308, filing('y', '2017-02-01'))
  const { facts } = derive([nineMonths, year], '1231')
  expect(facts.map(fact => [fact.fp, fact.value])).toContainEqual([0, 1.7e308])
  expect(facts.filter(fact => !Number.isFinite(fact.value))).toEqual([])
  // The amendment of the year withdraws a quarter that was finite.
  const plain = stated('2016-12-31', -8.5e307, filing('x', '2017-01-20'))
  const amended = derive([nineMonths, plain, year], '1231').facts.filter(fact => fact.fp === 4)
  expect(amended.map(fact => [fact.value, fact.superseded])).toEqual([[8.5e307, dayNumber('2017-02-01')]])
})
