import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import { deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { MetricRules } from '../../src/facts/metricRules.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive, sampleOf, spell, vintages } from './derivation.ts'

const apple = derive((await sampleOf('0000320193')).reportedFacts, '0926')
const snowflake = derive((await sampleOf('0001640147')).reportedFacts)
const alphabet = derive((await sampleOf('0001652044')).reportedFacts)

const million = 1e6

test('a quarter stated under a lesser tag does not stand in for the difference under the better one', () => {
  // Snowflake's cash flow statements, DepreciationDepletionAndAmortization: 23,163 thousand after three months (10-Q
  // 0001640147-23-000102), 52,447 after six (0001640147-23-000199), 84,917 after nine (0001640147-23-000260). A note
  // gives the depreciation of equipment alone, 8.5 and 10.0 million, under Depreciation.
  expect(vintages(snowflake, 'depreciation_amortization', 2024, 2)).toEqual([
    [29_284_000, '2023-08-31', '0001640147-23-000199'],
  ])
  expect(vintages(snowflake, 'depreciation_amortization', 2024, 3)).toEqual([
    [32_470_000, '2023-12-01', '0001640147-23-000260'],
  ])
  // Alphabet's cash flow statements: 2,769 and 5,525 million after three and six months of 2019 (0001652044-19-000015,
  // -19-000023). The note rounds the quarter to 2.9 billion.
  expect(vintages(alphabet, 'stock_based_compensation', 2019, 2)).toEqual([
    [2_756 * million, '2019-07-26', '0001652044-19-000023'],
  ])
  // Apple's nine months of fiscal 2017: 9,499 million, 6,030 of them in the first half (0001628280-17-004790), which was
  // restated to 6,134 on 2018-05-02; the 10-Q of 2018-08-01 confirms the nine months.
  expect(vintages(apple, 'dividends_paid', 2017, 3)).toEqual([
    [3_469 * million, '2017-08-02', '0000320193-17-000009'],
    [3_365 * million, '2018-08-01', '0000320193-18-000100'],
  ])
})

test('a stated quarter ends where both years to date are restated; the same amount under a lesser tag restates nothing', () => {
  // Apple states 3,071 million for the last quarter of fiscal 2016 (10-K 0001628280-16-020309) and 2,988 for the second of 2017
  // (10-Q 0001628280-17-004790). It restates nine months of 2016 to 9,058 on 2017-08-02, and repeats the year's 11,965
  // under PaymentsOfDividendsCommonStock alone, and the year to 12,150 on 2017-11-03 (10-K 0000320193-17-000070). It restates three
  // months of 2017 to 3,130 on 2018-02-02, and six to 6,134 on 2018-05-02 (10-Q 0000320193-18-000070).
  expect(vintages(apple, 'dividends_paid', 2016, 4)).toEqual([
    [3_071 * million, '2016-10-26', '0001628280-16-020309'],
    [(12_150 - 9_058) * million, '2017-11-03', '0000320193-17-000070'],
  ])
  expect(vintages(apple, 'dividends_paid', 2017, 2)).toEqual([
    [2_988 * million, '2017-05-03', '0001628280-17-004790'],
    [(6_134 - 3_130) * million, '2018-05-02', '0000320193-18-000070'],
  ])
  // Trailing years, too, wait for the restated year: 12,150 + 9,499 - 9,058.
  const trailing = vintages(apple, 'dividends_paid_ttm', 2017, 5).filter(([value]) => Number(value) < 12.7e9)
  expect(trailing).toContainEqual([12_591 * million, '2017-11-03', '0000320193-17-000070'])
  expect(trailing.map(([value]) => value)).not.toContain((11_965 + 9_499 - 9_058) * million)
})

test('the quarters of a year add up to it where notes state some of them under lesser tags', () => {
  for (const [derived, metric, years] of [
    [alphabet, 'stock_based_compensation', [2019, 2020, 2021, 2022, 2023, 2024]],
    [snowflake, 'depreciation_amortization', [2024]],
    [apple, 'dividends_paid', [2017]],
  ] as const) {
    for (const fy of nonEmpty(years)) {
      const last = (fp: number) => Number(vintages(derived, metric, fy, fp).at(-1)?.[0])
      expect([metric, fy, last(1) + last(2) + last(3) + last(4)]).toEqual([metric, fy, last(0)])
    }
  }
})

test('a difference mixes no generations: the quarter before a restatement stays until both figures are restated', () => {
  // Fiscal 2009: 36,537 million (10-K 0001193125-09-214859), restated to 42,905 on 2010-01-25 (10-K/A). Nine months: 26,667,
  // restated to 30,698 on 2010-07-21 (10-Q 0001193125-10-162840).
  const quarter = apple.facts
    .filter(fact => fact.metric === 'revenue' && fact.fy === 2009 && fact.fp === 4)
    .map(fact => spell(fact))
  expect(quarter.map(row => [row.v, row.filed, row.superseded, row.earlierSince])).toEqual([
    [9_870 * million, '2009-10-27', '2010-07-21', '2010-01-25'],
    [12_207 * million, '2010-07-21', null, null],
  ])
  // As of the day before, nobody could know that the year would be restated.
  expect(
    spell(apple.facts.find(fact => fact.value === 9_870 * million) ?? apple.facts[0], '2010-01-24'),
  ).toMatchObject({
    superseded: null,
    earlierSince: null,
  })
})

test('a ratio says, too, that its figures are of an earlier generation', () => {
  const margins = apple.facts.filter(
    fact => fact.metric === 'net_margin' && fact.fy === 2009 && fact.fp === 4,
  )
  expect(margins.map(fact => [isoDate(fact.filing.filed), fact.earlierSince === null])).toEqual([
    ['2009-10-27', false],
    ['2010-07-21', true],
  ])
})

const filing = (number: number, form: string, filed: string, acceptedAt: number | null = null): Filing => ({
  accession: `0000000001-00-00000${number}`,
  form,
  filed: dayNumber(filed),
  acceptedAt,
})

function state(
  from: Filing,
  span: 'Q1' | 'H1' | '9M' | 'FY',
  value: number,
  tag = 'us-gaap:Revenues',
): ReportedFact {
  const ends = { Q1: '2020-03-31', H1: '2020-06-30', '9M': '2020-09-30', FY: '2020-12-31' }
  return {
    metric: 'revenue',
    tag,
    unit: 'USD',
    value,
    rounded: false,
    filing: from,
    start: dayNumber('2020-01-01'),
    end: dayNumber(ends[span]),
  }
}

const quarterOf = (reportedFacts: readonly ReportedFact[]) =>
  derive(reportedFacts, '1231')
    .facts.filter(fact => fact.fp === 4)
    .map(fact => {
      const { v, filed, earlierSince } = spell(fact)
      return [v, filed, earlierSince]
    })

const nineMonths = filing(1, '10-Q', '2020-11-01')
const year = filing(2, '10-K', '2021-02-20')
const nextNineMonths = filing(3, '10-Q', '2021-11-01')
const nextYear = filing(4, '10-K', '2022-02-20')
const first = [state(nineMonths, '9M', 70), state(year, 'FY', 100)]

test('whichever figure is restated first, the quarter waits for the other', () => {
  // The comparatives of the next year: nine months first.
  expect(quarterOf([...first, state(nextNineMonths, '9M', 75), state(nextYear, 'FY', 110)])).toEqual([
    [30, '2021-02-20', '2021-11-01'],
    [35, '2022-02-20', null],
  ])
})

test('a repeat on or after the restatement of the other figure confirms it', () => {
  // The nine months move between quarters; the year stays 100.
  expect(quarterOf([...first, state(nextNineMonths, '9M', 75), state(nextYear, 'FY', 100)])).toEqual([
    [30, '2021-02-20', '2021-11-01'],
    [25, '2022-02-20', null],
  ])
  // On the day itself.
  const amended = filing(5, '10-K/A', '2021-06-01')
  expect(quarterOf([...first, state(amended, 'FY', 110), state(amended, '9M', 70)])).toEqual([
    [30, '2021-02-20', null],
    [40, '2021-06-01', null],
  ])
})

test('a repeat before the restatement of the other figure confirms nothing', () => {
  const repeat = filing(5, '10-K/A', '2021-06-01')
  expect(quarterOf([...first, state(repeat, 'FY', 100), state(nextNineMonths, '9M', 75)])).toEqual([
    [30, '2021-02-20', '2021-11-01'],
  ])
})

test('a quarter that both restatements leave as it was returns to one generation', () => {
  expect(quarterOf([...first, state(nextNineMonths, '9M', 75), state(nextYear, 'FY', 105)])).toEqual([
    [30, '2021-02-20', '2021-11-01'],
    [30, '2022-02-20', null],
  ])
})

test('a filing day has one vintage of a derived figure, that of its end', () => {
  // On 2010-01-25 Apple filed the 10-Q 0001193125-10-012085 (assets of 2009-09-26: 47,501 million) and the 10-K/A
  // 0001193125-10-012091 (revenue 42,905, profit 8,235). Old revenue over new assets is a state that nobody could use.
  expect(vintages(apple, 'asset_turnover', 2009, 0).slice(0, 2)).toEqual([
    [36_537 / 53_851, '2009-10-27', '0001193125-09-214859'],
    [42_905 / 47_501, '2010-01-25', '0001193125-10-012091'],
  ])
  const derivedFigures = apple.facts.filter(fact => fact.tag === null)
  const days = new Set(
    derivedFigures.map(({ metric, fp, end, filing: { filed } }) => `${metric} ${fp} ${end} ${filed}`),
  )
  expect(days.size).toBe(derivedFigures.length)
})

test('figures that two filings of one day state stay, told apart by accession', () => {
  const other = filing(6, '10-K/A', '2021-02-20')
  const stated = derive([...first, state(other, 'FY', 101)], '1231')
  expect(vintages(stated, 'revenue', 2020, 0)).toEqual([
    [100, '2021-02-20', year.accession],
    [101, '2021-02-20', other.accession],
  ])
  expect(vintages(stated, 'revenue', 2020, 4)).toEqual([[31, '2021-02-20', other.accession]])
})

test('a quarter stays where a later report repeats the year for other accounts', () => {
  // Of the group and of the company alone: the year has one value in both, the nine months are known of the group.
  const rules: MetricRules = {
    rule: () => ({ kind: 'flow', additive: true }),
    rank: () => 0,
    group: (_metric, tag) => (tag.endsWith('Better') ? 0 : 1),
    annualForm: /^10-K/,
    quarterlyForm: /^10-Q/,
    basis: tag => (tag.startsWith('Group') ? 0 : 1),
  }
  const facts = [
    state(nineMonths, '9M', 70, 'Group'),
    state(year, 'FY', 100, 'Group'),
    state(nextYear, 'FY', 100, 'CompanyBetter'),
    { ...state(nextYear, 'FY', 50, 'CompanyBetter'), metric: 'net_income' },
  ]
  const derived = deriveFacts(facts, { rules, fiscalYearEnd: '1231' })
  const [quarter] = derived.facts.filter(fact => fact.fp === 4)
  expect([quarter.value, quarter.superseded]).toEqual([30, null])
})
