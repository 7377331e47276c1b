import { expect, test } from 'bun:test'
import { dayNumber } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { derive, filingsOf, spellAll, storeAndLoad, vintages } from './derivation.ts'

const million = 1e6

const filing = (accession: string, form: string, filed: string): Filing => ({
  accession,
  form,
  filed: dayNumber(filed),
  acceptedAt: null,
})

/** A flow in millions, under each of the tags. */
const flow = (
  [metric, ...tags]: readonly string[],
  from: Filing,
  [start, end]: readonly [string, string],
  value: number,
): ReportedFact[] =>
  tags.map(tag => ({
    metric,
    tag: `us-gaap:${tag}`,
    unit: 'USD',
    value: value * million,
    rounded: false,
    filing: from,
    start: dayNumber(start),
    end: dayNumber(end),
  }))

// Alphabet states the profit before tax of its years under both tags, that of its quarters under the lesser one.
const minority =
  'IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments'
const both = [
  'pretax_income',
  'IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest',
  minority,
]
const lesser = ['pretax_income', minority]
const thirdOf2019 = filing('0001652044-19-000032', '10-Q', '2019-10-29')
const yearOf2019 = filing('0001652044-20-000008', '10-K', '2020-02-04')
const firstOf2020 = filing('0001652044-20-000021', '10-Q', '2020-04-29')
const thirdOf2020 = filing('0001652044-20-000050', '10-Q', '2020-10-30')
const yearOf2020 = filing('0001652044-21-000010', '10-K', '2021-02-03')
const alphabet = [
  flow(lesser, thirdOf2019, ['2019-01-01', '2019-09-30'], 28_921),
  flow(both, yearOf2019, ['2018-01-01', '2018-12-31'], 34_913),
  flow(both, yearOf2019, ['2019-01-01', '2019-12-31'], 39_625),
  flow(lesser, firstOf2020, ['2019-01-01', '2019-03-31'], 8_146),
  flow(lesser, firstOf2020, ['2020-01-01', '2020-03-31'], 7_757),
  flow(lesser, thirdOf2020, ['2019-01-01', '2019-09-30'], 28_921),
  flow(lesser, thirdOf2020, ['2020-01-01', '2020-09-30'], 29_393),
  flow(both, yearOf2020, ['2019-01-01', '2019-12-31'], 39_625),
  flow(both, yearOf2020, ['2020-01-01', '2020-12-31'], 48_082),
].flat()

test('a year under two tags gives quarters and trailing years with figures under either of them', () => {
  const derived = derive(alphabet, '1231')
  expect(vintages(derived, 'pretax_income', 2019, 4)).toEqual([
    [10_704 * million, '2020-02-04', '0001652044-20-000008'],
  ])
  expect(vintages(derived, 'pretax_income', 2020, 4)).toEqual([
    [18_689 * million, '2021-02-03', '0001652044-21-000010'],
  ])
  // 39,625 + 7,757 - 8,146 and 39,625 + 29,393 - 28,921.
  expect(vintages(derived, 'pretax_income_ttm', 2020, 5)).toEqual([
    [39_236 * million, '2020-04-29', '0001652044-20-000021'],
    [40_097 * million, '2020-10-30', '0001652044-20-000050'],
  ])
})

test('the lesser tag may say something else: no difference mixes the two', () => {
  const other = alphabet.map(reported =>
    reported.tag === `us-gaap:${minority}` && reported.filing.form === '10-K'
      ? { ...reported, value: reported.value - million }
      : reported,
  )
  const derived = derive(other, '1231')
  expect(vintages(derived, 'pretax_income', 2019, 4)).toEqual([])
  expect(vintages(derived, 'pretax_income_ttm', 2020, 5)).toEqual([])
})

test('both tags of a filing survive the store, whichever comes first', () => {
  const full = derive(alphabet, '1231')
  for (const isFirst of [
    ({ tag }: ReportedFact) => tag === `us-gaap:${minority}`,
    ({ tag }: ReportedFact) => tag !== `us-gaap:${minority}`,
    () => true,
  ]) {
    const first = derive(alphabet.filter(isFirst), '1231')
    const stored = storeAndLoad(first, filingsOf(alphabet))
    const second = derive([...stored, ...alphabet.filter(reported => !isFirst(reported))], '1231')
    expect(spellAll(second.facts)).toEqual(spellAll(full.facts))
    expect(second.repeats.length).toBe(full.repeats.length)
  }
})

// Depreciation and amortization: in the cash flow statement, of property only, and under either tag for the same.
const statement = ['depreciation_amortization', 'DepreciationAmortizationAndAccretionNet']
const property = ['depreciation_amortization', 'DepreciationDepletionAndAmortization']
const nineMonthsOf2017 = filing('0000320193-17-000009', '10-Q', '2017-08-02')
const of2017 = filing('0000320193-17-000070', '10-K', '2017-11-03')
const nineMonthsOf2018 = filing('0000320193-18-000100', '10-Q', '2018-08-01')
const of2018 = filing('0000320193-18-000145', '10-K', '2018-11-05')
const fiscal2017 = ['2016-09-25', '2017-09-30'] as const
const apple = [
  flow(statement, nineMonthsOf2017, ['2016-09-25', '2017-07-01'], 7_673),
  flow(statement, of2017, fiscal2017, 10_157),
  flow(property, of2017, fiscal2017, 8_200),
  flow(statement, nineMonthsOf2018, ['2016-09-25', '2017-07-01'], 7_673),
  flow(statement, nineMonthsOf2018, ['2017-10-01', '2018-06-30'], 8_149),
  flow(property, of2018, fiscal2017, 10_157),
  flow(property, of2018, ['2017-10-01', '2018-09-29'], 10_903),
].flat()

test('the depreciation of the cash flow statement counts where a note states less for the same year', () => {
  const derived = derive(apple, '0930')
  expect(vintages(derived, 'depreciation_amortization', 2017, 0)).toEqual([
    [10_157 * million, '2017-11-03', '0000320193-17-000070'],
  ])
  expect(vintages(derived, 'depreciation_amortization', 2017, 4)).toEqual([
    [2_484 * million, '2017-11-03', '0000320193-17-000070'],
  ])
  // 10,157 + 8,149 - 7,673.
  expect(vintages(derived, 'depreciation_amortization_ttm', 2018, 5)).toEqual([
    [10_633 * million, '2018-08-01', '0000320193-18-000100'],
  ])
  // The statement of the next year uses the other tag for the same: 10,903 - 8,149.
  expect(vintages(derived, 'depreciation_amortization', 2018, 4)).toEqual([
    [2_754 * million, '2018-11-05', '0000320193-18-000145'],
  ])
})

test('a tag that the filing itself tells from another is not compared with it', () => {
  // Valero: a year of 1,476 in the cash flow statement and of 1,363 under the other tag (10-K 0000950123-10-018097), which alone gives
  // halves of 736 and 767. 1,476 + 767 - 736 is nothing.
  const half = filing('0000000001-09-000001', '10-Q', '2009-08-07')
  const year = filing('0000950123-10-018097', '10-K', '2010-02-26')
  const halves = [
    flow(property, half, ['2008-01-01', '2008-06-30'], 736),
    flow(property, half, ['2009-01-01', '2009-06-30'], 767),
    flow(statement, year, ['2008-01-01', '2008-12-31'], 1_476),
  ].flat()
  const trailing = (reportedFacts: readonly ReportedFact[]) =>
    vintages(derive(reportedFacts, '1231'), 'depreciation_amortization_ttm', 2009, 5)
  expect(trailing([...halves, ...flow(property, year, ['2008-01-01', '2008-12-31'], 1_363)])).toEqual([])
  // HP and Cigna never state both: the tags mean the same.
  expect(trailing(halves)).toEqual([[1_507 * million, '2010-02-26', '0000950123-10-018097']])
})
