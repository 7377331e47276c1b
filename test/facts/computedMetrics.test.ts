import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { computedMetrics } from '../../src/markets/metrics.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive } from './derivation.ts'

const filing = (number: number, filed: string): Filing => ({
  accession: `0000000001-00-00000${number}`,
  form: '10-K',
  filed: dayNumber(filed),
  acceptedAt: null,
})

const tags: Record<string, string> = {
  revenue: 'Revenues',
  cost_of_revenue: 'CostOfRevenue',
  gross_profit: 'GrossProfit',
}

const state = (from: Filing, metric: string, value: number): ReportedFact => ({
  metric,
  tag: `us-gaap:${tags[metric]}`,
  unit: 'USD',
  value,
  rounded: false,
  filing: from,
  start: dayNumber('2020-01-01'),
  end: dayNumber('2020-12-31'),
})

const first = filing(1, '2021-02-20')
const second = filing(2, '2022-02-20')
const values = (reportedFacts: readonly ReportedFact[]) =>
  derive(reportedFacts, '1231')
    .facts.filter(fact => fact.metric === 'gross_profit')
    .map(fact => [fact.value, fact.tag === null, fact.superseded !== null])

test('a register’s own figure wins from its day over the computed one', () => {
  const parts = [state(first, 'revenue', 100), state(first, 'cost_of_revenue', 60)]
  expect(values(parts)).toEqual([[40, true, false]])
  expect(values([...parts, state(second, 'gross_profit', 38)])).toEqual([
    [40, true, true],
    [38, false, false],
  ])
  expect(values([...parts, state(first, 'gross_profit', 38)])).toEqual([[38, false, false]])
})

test('no component is ever taken as 0', () => {
  expect(values([state(first, 'revenue', 100)])).toEqual([])
  expect(values([state(first, 'cost_of_revenue', 60)])).toEqual([])
})

test('the catalogue states the formula of what is computed', () => {
  for (const { description, components, operation } of nonEmpty(computedMetrics))
    expect(description).toContain(components.join(` ${operation} `))
})

test('a day on which rounded days become exact and a part is restated has one vintage of what is computed from it', () => {
  // A data set's annual report, rounded to 12-31; the report of the next year names 01-02 and restates the cost.
  const fiscal2009 = { start: dayNumber('2009-01-04'), end: dayNumber('2010-01-02') }
  const before = filing(1, '2010-03-01')
  const after = filing(2, '2011-03-01')
  const derived = derive(
    [
      ...[state(before, 'revenue', 100), state(before, 'cost_of_revenue', 60)].map(reported => ({
        ...reported,
        rounded: true,
        start: dayNumber('2009-01-01'),
        end: dayNumber('2009-12-31'),
      })),
      { ...state(after, 'revenue', 100), ...fiscal2009 },
      { ...state(after, 'cost_of_revenue', 65), ...fiscal2009 },
    ],
    '1231',
  )
  const served = derived.facts
    .filter(fact => fact.metric === 'gross_profit')
    .map(({ value, end, filing: { filed }, superseded }) => [
      value,
      isoDate(end),
      isoDate(filed),
      superseded === null ? null : isoDate(superseded),
    ])
  expect(served).toEqual([
    [40, '2009-12-31', '2010-03-01', '2011-03-01'],
    [35, '2010-01-02', '2011-03-01', null],
  ])
})
