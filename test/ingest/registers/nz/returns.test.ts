import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { readReturns } from '../../../../src/ingest/registers/nz/returns.ts'
import { factsOf, spellFact } from '../factLines.ts'

const factsIn = (document: unknown) => factsOf(readReturns(document))

const row = {
  CharityRegistrationNumber: 'CC10000',
  AnnualReturnId: 1000,
  Name: 'A  Trust',
  YearEnded: '2024-06-30T00:00:00Z',
  TotalAssets: 10,
}
const list = (...changes: object[]) => ({ d: changes.map(change => ({ ...row, ...change })) })

describe('annual returns', () => {
  test('give flows of a year and balances at its end, filed at the statutory deadline, in the currency that they name', async () => {
    const document = await Bun.file(new URL('fixtures/returns.json', import.meta.url)).json()
    const { parsed, leftOut, malformed } = readReturns(document)
    expect(parsed.map(({ profile }) => [profile.issuerId, profile.tickers, profile.name])).toEqual([
      ['CC40675', ['CC40675.NZ'], 'St John Of God Health Care Incorporated'],
      ['CC45255', ['CC45255.NZ'], 'University of Canterbury and Trust Funds Group'],
    ])
    const ofYear = parsed[0].reportedFacts.filter(({ end }) => end === dayNumber('2025-06-30'))
    expect(ofYear.map(spellFact).sort()).toEqual([
      'assets TotalAssets ..2025-06-30 1914923000 AUD',
      'cash CashAndBankBalances ..2025-06-30 51312000 AUD',
      'equity TotalEquity ..2025-06-30 632305000 AUD',
      'expenses TotalExpenditure 2024-07-01..2025-06-30 2239406000 AUD',
      'liabilities TotalLiabilities ..2025-06-30 1282618000 AUD',
      'net_income SurplusDeficit 2024-07-01..2025-06-30 -25025000 AUD',
      'revenue TotalGrossIncome 2024-07-01..2025-06-30 2214381000 AUD',
    ])
    expect(ofYear[0].filing).toEqual({
      accession: 'NZ:000420137',
      form: 'annual return',
      // 31 December 2025 and the two days after it are holidays, 3 January 2026 is a Saturday.
      filed: dayNumber('2026-01-05'),
      acceptedAt: null,
    })
    expect(malformed).toBe(0)
    expect(leftOut).toEqual({
      'a return without a currency, of a charity that also names one other than NZD': 1,
      'a return without YearEnded or its number': 1,
    })
  })

  test.each([
    ['its modification', { ModifiedOn: '2024-11-03T03:00:00Z' }, '2024-11-03'],
    ['its modification, on the day in New Zealand', { ModifiedOn: '2024-11-03T18:13:49Z' }, '2024-11-04'],
    [
      'the deadline where the modification is before the year ended',
      { ModifiedOn: '2024-01-01T00:00:00Z' },
      '2025-01-03',
    ],
    ['six months later, at the end of a month', { YearEnded: '2023-08-31T00:00:00Z' }, '2024-02-29'],
    ['six months later, within a month', { YearEnded: '2024-03-15T00:00:00Z' }, '2024-09-16'],
  ])('are filed on the day of %s', (_, change, day) => {
    expect(factsIn(list(change)).map(({ filing }) => isoDate(filing.filed))).toEqual([day])
  })

  test('for one year: the highest number counts, whatever the order and the number of digits', () => {
    for (const numbers of [
      [99_999, 100_000],
      [100_000, 99_999],
    ]) {
      const document = list(...numbers.map(number => ({ AnnualReturnId: number, TotalAssets: number })))
      const { parsed, leftOut } = readReturns(document)
      expect(parsed.flatMap(({ reportedFacts }) => reportedFacts).map(({ value }) => value)).toEqual([
        100_000,
      ])
      expect(leftOut).toEqual({ 'an older return of the year': 1 })
    }
  })

  test('are in NZD where no return of the charity names another currency', () => {
    const units = (...changes: object[]) => factsIn(list(...changes)).map(({ unit }) => unit)
    const next = { AnnualReturnId: 1001, YearEnded: '2025-06-30T00:00:00Z' }
    expect(units({}, next)).toEqual(['NZD', 'NZD'])
    expect(units({}, { ...next, ReportingCurrency: 'NZD' })).toEqual(['NZD', 'NZD'])
    expect(units({}, { ...next, ReportingCurrency: 'AUD' })).toEqual(['AUD'])
    expect(units({}, { ...next, ReportingCurrency: 'AUD', CharityRegistrationNumber: 'CC10001' })).toEqual([
      'NZD',
      'AUD',
    ])
    expect(readReturns(list({ ReportingCurrency: 'dollars' }))).toMatchObject({
      figuresRead: 1,
      malformed: 1,
    })
  })

  test('that are malformed are named with their return and field', () => {
    const named = (change: object) => readReturns(list(change)).faults?.named
    const number = list({}).d[0]?.AnnualReturnId
    expect(named({ TotalAssets: 'nil' })).toEqual([`return ${number}, TotalAssets: "nil" is not a number`])
    expect(named({ TotalAssets: JSON.parse('1e400') })).toEqual([
      `return ${number}, TotalAssets: a number beyond 1.8e308 is not a number`,
    ])
    expect(named({ ReportingCurrency: 'dollars' })).toEqual([
      `return ${number}, TotalAssets: its currency is "dollars"`,
    ])
  })

  test('that are malformed are counted', () => {
    const reasons = (change: object) => readReturns(list(change)).leftOut
    expect(reasons({ CharityRegistrationNumber: '10000' })).toEqual({
      'a row without a registration number': 1,
    })
    expect(reasons({ YearEnded: null })).toEqual({ 'a return without YearEnded or its number': 1 })
    expect(reasons({ AnnualReturnId: 'x' })).toEqual({ 'a return without YearEnded or its number': 1 })
    expect(readReturns(list({ TotalAssets: '1.234.567,89' }))).toMatchObject({
      figuresRead: 1,
      malformed: 1,
    })
    expect(Object.is(factsIn(list({ TotalAssets: -0 }))[0].value, 0)).toBe(true)
    expect(() => readReturns({ value: [] })).toThrow(/rows in `d`/)
  })
})
