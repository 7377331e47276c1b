import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
import { deriveFacts } from '../../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../../src/facts/factRow.ts'
import type { ReportedFact } from '../../../src/facts/reportedFact.ts'
import {
  factsFromObservations,
  type ObservedFiling,
} from '../../../src/ingest/observations/factsFromObservations.ts'
import { mergeObservations } from '../../../src/ingest/observations/mergeObservations.ts'
import { nzRegister } from '../../../src/ingest/registers/nz/register.ts'
import { readReturns } from '../../../src/ingest/registers/nz/returns.ts'
import { spellAll } from '../../facts/derivation.ts'

interface Return {
  number: number
  year: number
  fields: Record<string, number>
}

/** The facts of one charity after each observation. */
class Store {
  facts: readonly FactRow[] = []
  private observed: readonly ObservedFiling[] = []

  observe(returns: readonly Return[], day: string): void {
    const reportedFacts = reportedFactsOf(returns)
    this.observed = mergeObservations(this.observed, [{ day: dayNumber(day), reportedFacts }]).all
    const reported = factsFromObservations(this.observed, { replaces: true, rules: nzRegister.rules })
    this.facts = deriveFacts(reported, { rules: nzRegister.rules, fiscalYearEnd: null }).facts
  }
}

function reportedFactsOf(returns: readonly Return[]): readonly ReportedFact[] {
  const rows = returns.map(({ number, year, fields }) => ({
    CharityRegistrationNumber: 'CC10000',
    AnnualReturnId: number,
    YearEnded: `${year}-06-30T00:00:00Z`,
    ...fields,
  }))
  return readReturns({ d: rows }).parsed.flatMap(({ reportedFacts }) => reportedFacts)
}

/** What was visible on a day, superseded as known on that day. */
const seen = (facts: readonly FactRow[], day: string) =>
  spellAll(
    facts.filter(fact => fact.filing.filed <= dayNumber(day)),
    day,
  )

const names = ['TotalGrossIncome', 'SurplusDeficit', 'TotalAssets', 'TotalEquity', 'CashAndBankBalances']
const fieldsOf = fc.dictionary(fc.constantFrom(...names), fc.integer({ min: -5, max: 5 }), {
  minKeys: 1,
  noNullPrototype: true,
})

/** What happened to the register between two observations. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('edit' as const), at: fc.nat(20), fields: fieldsOf }),
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(20), fields: fieldsOf }),
  fc.record({ kind: fc.constant('omit' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('next' as const), fields: fieldsOf }),
)

describe('observations in the order of their days', () => {
  test('nothing of an observation is seen before its day, and what was seen stays', () => {
    let edits = 0
    const property = fc.property(
      fc.array(fieldsOf, { minLength: 1, maxLength: 4 }),
      fc.array(
        fc.record({ days: fc.integer({ min: 1, max: 500 }), changes: fc.array(change, { maxLength: 4 }) }),
        {
          minLength: 1,
          maxLength: 6,
        },
      ),
      (first, observations) => {
        let number = 99_998 // the next ones have more digits
        let day = '2020-07-01'
        let returns: Return[] = first.map((fields, index) => ({
          number: number++,
          year: 2016 + index,
          fields,
        }))
        const store = new Store()
        store.observe(returns, day)
        for (const { days, changes } of observations) {
          day = addDays(day, days)
          let omitted = -1
          for (const made of changes) {
            const at = made.kind === 'next' ? 0 : made.at % returns.length
            if (made.kind === 'edit')
              returns = returns.with(at, {
                ...returns[at],
                fields: { ...returns[at].fields, ...made.fields },
              })
            else if (made.kind === 'replace')
              returns = returns.with(at, { ...returns[at], number: number++, fields: made.fields })
            // A return that is first observed after its deadline would count from the deadline.
            else if (made.kind === 'omit') omitted = made.at % first.length
            else {
              // A year whose return is not late: it is due on 31 December.
              const year = Number(day.slice(0, 4))
              if (returns.every(known => known.year < year))
                returns.push({ number: number++, year, fields: made.fields })
            }
          }
          const before = store.facts
          const observed = returns.filter((_, index) => index !== omitted)
          store.observe(observed, day)
          const eve = addDays(day, -1)
          for (const asOf of ['2017-01-01', '2019-01-01', '2020-06-30', eve])
            if (asOf <= eve) expect(seen(store.facts, asOf)).toEqual(seen(before, asOf))
          if (store.facts.length > before.length) edits++
          const whole = spellAll(store.facts)
          store.observe(observed, day)
          store.observe(observed, addDays(day, 1))
          expect(spellAll(store.facts)).toEqual(whole)
          day = addDays(day, 1)
        }
      },
    )
    fc.assert(property, { numRuns: 300 })
    expect(edits).toBeGreaterThan(100)
  })

  test('an edit is a vintage of the day on which it was observed', () => {
    const store = new Store()
    const returned = (value: number) => [{ number: 420137, year: 2024, fields: { TotalAssets: value } }]
    store.observe(returned(10), '2025-02-01')
    store.observe(returned(12), '2025-09-01')
    store.observe(returned(10), '2026-01-05')
    expect(store.facts.map(({ value, filing }) => [value, filing.filed, filing.accession])).toEqual([
      [10, dayNumber('2025-01-03'), 'NZ:000420137'],
      [12, dayNumber('2025-09-01'), 'NZ:000420137@2025-09-01'],
      [10, dayNumber('2026-01-05'), 'NZ:000420137@2026-01-05'],
    ])
  })

  test('a return that replaces another counts from the first observation of it, not from the deadline', () => {
    const store = new Store()
    store.observe([{ number: 99_999, year: 2024, fields: { TotalAssets: 10 } }], '2025-02-01')
    store.observe([{ number: 100_000, year: 2024, fields: { TotalAssets: 12 } }], '2025-09-01')
    store.observe([{ number: 99_999, year: 2024, fields: { TotalAssets: 11 } }], '2025-10-01')
    expect(store.facts.map(({ value, filing }) => [value, filing.filed])).toEqual([
      [10, dayNumber('2025-01-03')],
      [12, dayNumber('2025-09-01')],
    ])
  })

  test('two fields for one metric are not edits of one another', () => {
    const store = new Store()
    const both = [{ number: 1, year: 2015, fields: { NetSurplusDeficitForTheYear: 5, SurplusDeficit: 7 } }]
    store.observe(both, '2016-02-01')
    store.observe(both, '2017-02-01')
    expect(store.facts.map(({ value, tag }) => [value, tag])).toEqual([[5, 'NetSurplusDeficitForTheYear']])
  })

  test('an observation from before the edit on record is placed before it', () => {
    const store = new Store()
    const returned = (value: number) => [{ number: 1, year: 2023, fields: { TotalAssets: value } }]
    store.observe(returned(10), '2024-02-01')
    store.observe(returned(12), '2025-09-01')
    store.observe(returned(11), '2025-01-01')
    expect(store.facts.map(({ value, filing }) => [value, filing.filed])).toEqual([
      [10, dayNumber('2024-01-03')],
      [11, dayNumber('2025-01-01')],
      [12, dayNumber('2025-09-01')],
    ])
  })

  test('what was observed twice before its deadline counts from the deadline, the later observation last', () => {
    const store = new Store()
    const returned = (value: number) => [{ number: 1, year: 2023, fields: { TotalAssets: value } }]
    store.observe(returned(12), '2023-11-01')
    store.observe(returned(10), '2023-10-01')
    expect(store.facts.map(({ value, filing, superseded }) => [value, filing.filed, superseded])).toEqual([
      [10, dayNumber('2024-01-03'), dayNumber('2024-01-03')],
      [12, dayNumber('2024-01-03'), null],
    ])
  })

  test('of two observations of one day the one with news counts, in either order', () => {
    const returned = (value: number) => [{ number: 1, year: 2023, fields: { TotalAssets: value } }]
    const vintages = [[returned(10), returned(9)] as const, [returned(9), returned(10)] as const].map(
      observations => {
        const store = new Store()
        for (const observation of observations) store.observe(observation, '2025-01-01')
        store.observe(returned(10), '2024-02-01')
        return store.facts.map(({ value, filing }) => [value, filing.filed])
      },
    )
    const expected = [
      [10, dayNumber('2024-01-03')],
      [9, dayNumber('2025-01-01')],
    ]
    expect(vintages).toEqual([expected, expected])
  })
})
