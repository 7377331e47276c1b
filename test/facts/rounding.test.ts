import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { FactRow } from '../../src/facts/factRow.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive, sampleOf, spell, vintages } from './derivation.ts'

const snowflake = await sampleOf('0001640147')
const million = 1e6

/** The value that a filing in millions would state. */
const inMillions = (reported: ReportedFact): ReportedFact =>
  Math.abs(reported.value) < million
    ? reported
    : { ...reported, value: Math.round(reported.value / million) * million }

/** The trailing years that were derived, with what is said about their generation. */
const trailing = (facts: readonly FactRow[]) =>
  facts.filter(({ metric }) => metric.endsWith('_ttm') && metric !== 'shares_basic_ttm')
const placeOf = ({ metric, end }: FactRow) => `${metric} ${isoDate(end)}`

test('a filer that changes from thousands to millions, or back, keeps its trailing years', () => {
  const original = derive(snowflake.reportedFacts)
  const reports = snowflake.reportedFacts.filter(({ filing }) => /^10-[KQ]/.test(filing.form))
  const days = [...new Set(reports.map(({ filing }) => filing.filed))].sort((a, b) => a - b)
  const expected = new Set(trailing(original.facts).map(placeOf))
  expect(expected.size).toBeGreaterThan(100)
  for (const at of [Math.floor(days.length / 3), Math.floor(days.length / 2)]) {
    for (const isCoarse of [(day: number) => day >= days[at], (day: number) => day < days[at]]) {
      const changed = derive(
        snowflake.reportedFacts.map(one => (isCoarse(one.filing.filed) ? inMillions(one) : one)),
      )
      expect(new Set(trailing(changed.facts).map(placeOf))).toEqual(expected)
      const marked = changed.facts.filter(({ earlierSince }) => earlierSince !== null).map(placeOf)
      const before = new Set(original.facts.filter(({ earlierSince }) => earlierSince !== null).map(placeOf))
      expect(marked.filter(place => !before.has(place))).toEqual([])
    }
  }
})

const filing = (number: number, form: string, filed: string): Filing => ({
  accession: `0000000001-00-00000${number}`,
  form,
  filed: dayNumber(filed),
  acceptedAt: null,
})

const spans = { Q1: '2020-03-31', H1: '2020-06-30', '9M': '2020-09-30', FY: '2020-12-31' }

const state = (from: Filing, span: keyof typeof spans, value: number, metric = 'revenue'): ReportedFact => ({
  metric,
  tag: metric === 'revenue' ? 'us-gaap:Revenues' : 'us-gaap:NetIncomeLoss',
  unit: 'USD',
  value,
  rounded: false,
  filing: from,
  start: dayNumber('2020-01-01'),
  end: dayNumber(spans[span]),
})

const year = filing(1, '10-K', '2021-02-20')
const repeat = filing(2, '10-K', '2022-02-20')
const yearOf = (reportedFacts: readonly ReportedFact[]) =>
  vintages(derive(reportedFacts, '1231'), 'revenue', 2020, 0).map(([value, filed]) => [value, filed])

test('of two statements that differ by rounding the finer is served, from its own day', () => {
  expect(yearOf([state(year, 'FY', 1_234_567_000), state(repeat, 'FY', 1_235_000_000)])).toEqual([
    [1_234_567_000, '2021-02-20'],
  ])
  expect(yearOf([state(year, 'FY', 1_235_000_000), state(repeat, 'FY', 1_234_567_000)])).toEqual([
    [1_235_000_000, '2021-02-20'],
    [1_234_567_000, '2022-02-20'],
  ])
  // The exact amount in thousands, too; and a loss.
  expect(yearOf([state(year, 'FY', -4_567_890), state(repeat, 'FY', -4_568_000)])).toEqual([
    [-4_567_890, '2021-02-20'],
  ])
})

test('a change beyond the rounding is a restatement, and so is one between equally round amounts', () => {
  const changed = [
    [1_234_567_000, 1_236_000_000],
    [1_234_000_000, 1_235_000_000],
    [1_234_567_000, 1_234_568_000],
    [400_000, 0],
    // Figures in hundreds show no rounding to thousands or millions.
    [1_234_560, 1_234_600],
  ]
  for (const [first, second] of nonEmpty(changed)) {
    const rows = yearOf([state(year, 'FY', first), state(repeat, 'FY', second)])
    expect(rows.map(([value]) => value)).toEqual([first, second])
  }
})

test('a round amount among finer ones is not taken for one in millions', () => {
  const others = [1_234_567_000, 89_123_000].map(value => state(repeat, 'FY', value, 'net_income'))
  const rows = yearOf([
    state(year, 'FY', 5_234_000),
    state(repeat, 'FY', 5_000_000),
    { ...others[0], metric: 'gross_profit', tag: 'us-gaap:GrossProfit' },
    others[1],
  ])
  expect(rows.map(([value]) => value)).toEqual([5_234_000, 5_000_000])
})

test('a quarter is no difference of two generations where one year to date was only rounded', () => {
  const nineMonths = filing(3, '10-Q', '2020-11-01')
  const later = filing(4, '10-Q', '2021-11-01')
  const quarter = derive(
    [state(nineMonths, '9M', 70_400_000), state(year, 'FY', 100_300_000), state(later, '9M', 70_000_000)],
    '1231',
  ).facts.filter(({ metric, fp }) => metric === 'revenue' && fp === 4)
  expect(quarter.map(fact => [fact.value, spell(fact).filed, fact.earlierSince])).toEqual([
    [29_900_000, '2021-02-20', null],
  ])
})
