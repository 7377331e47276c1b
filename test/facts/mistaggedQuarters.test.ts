import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { derive } from './derivation.ts'

const filing = (number: number, form: string, filed: string): Filing => ({
  accession: `0000000001-00-00000${number}`,
  form,
  filed: dayNumber(filed),
  acceptedAt: null,
})

const starts = { Q2: '2020-04-01', Q3: '2020-07-01', Q4: '2020-10-01' }
const ends = {
  Q1: '2020-03-31',
  Q2: '2020-06-30',
  H1: '2020-06-30',
  Q3: '2020-09-30',
  '9M': '2020-09-30',
  Q4: '2020-12-31',
  FY: '2020-12-31',
}
type Span = keyof typeof ends

const tags: Readonly<Record<string, string>> = {
  revenue: 'us-gaap:Revenues',
  operating_income: 'us-gaap:OperatingIncomeLoss',
  dividends_paid: 'us-gaap:PaymentsOfDividends',
}

const state = (from: Filing, metric: string, values: Partial<Record<Span, number>>): ReportedFact[] =>
  (Object.keys(values) as Span[]).map(span => ({
    metric,
    tag: tags[metric],
    unit: 'USD',
    value: values[span] ?? 0,
    rounded: false,
    filing: from,
    start: dayNumber(span in starts ? starts[span as keyof typeof starts] : '2020-01-01'),
    end: dayNumber(ends[span]),
  }))

const q1 = filing(1, '10-Q', '2020-05-01')
const q2 = filing(2, '10-Q', '2020-08-01')
const q3 = filing(3, '10-Q', '2020-11-01')
const annual = filing(4, '10-K', '2021-02-20')

const quarterly = (metric: string, [first, second, third, fourth]: readonly number[]) => [
  ...state(q1, metric, { Q1: first }),
  ...state(q2, metric, { Q2: second, H1: first + second }),
  ...state(q3, metric, { Q3: third, '9M': first + second + third }),
  ...state(annual, metric, { FY: first + second + third + fourth }),
]

const current = (reportedFacts: readonly ReportedFact[], metric: string, fp: number) =>
  derive(reportedFacts, '1231')
    .facts.filter(fact => fact.metric === metric && fact.fp === fp && fact.superseded === null)
    .map(fact => [fact.value, isoDate(fact.filing.filed)])

const revenue = quarterly('revenue', [100, 114, 120, 130])

test('a second quarter that an annual report tags as six months displaces neither the quarter nor the half-year', () => {
  // The report restates the first quarter, so that the half-year seems restated with it: the second quarter would be 114 - 101.
  const mistagged = [...revenue, ...state(annual, 'revenue', { Q1: 101, H1: 114 })]
  expect(current(mistagged, 'revenue', 2)).toEqual([[114, '2020-08-01']])
  expect(current(mistagged, 'revenue_ytd', 2)).toEqual([[214, '2020-08-01']])
  expect(current(mistagged, 'revenue', 3)).toEqual([[120, '2020-11-01']])
  // In the 10-Q itself, with the quarter next to it.
  const inReport = [
    ...state(q1, 'revenue', { Q1: 100 }),
    ...state(q2, 'revenue', { Q2: 114, H1: 114 }),
    ...state(q3, 'revenue', { '9M': 334 }),
  ]
  expect(current(inReport, 'revenue', 2)).toEqual([[114, '2020-08-01']])
  expect(current(inReport, 'revenue_ytd', 2)).toEqual([])
  // Nine months less a quarter are no third quarter.
  expect(current(inReport, 'revenue', 3)).toEqual([])
})

test('the operating margin of the quarter stays that of the quarter', () => {
  const income = quarterly('operating_income', [30, 31, 32, 33])
  const reportedFacts = [...revenue, ...income, ...state(annual, 'revenue', { Q1: 101, H1: 114 })]
  expect(current(reportedFacts, 'operating_margin', 2)).toEqual([[31 / 114, '2020-08-01']])
})

test('what began in the second quarter is a half-year of the same amount', () => {
  // First dividend in May: the first quarter is 0, or is not stated at all.
  for (const before of [state(q1, 'dividends_paid', { Q1: 0 }), []]) {
    const reportedFacts = [
      ...before,
      ...state(q2, 'dividends_paid', { Q2: 50, H1: 50 }),
      ...state(q3, 'dividends_paid', { '9M': 105 }),
    ]
    expect(current(reportedFacts, 'dividends_paid_ytd', 2)).toEqual([[50, '2020-08-01']])
    expect(current(reportedFacts, 'dividends_paid', 3)).toEqual([[55, '2020-11-01']])
  }
})

test('what was earned before may be lost in the rounding', () => {
  const inMillions = filing(2, '10-Q', '2020-08-01')
  const reportedFacts = [
    ...state(q1, 'revenue', { Q1: 263_000 }),
    ...state(inMillions, 'revenue', { Q2: 1_000_000, H1: 1_000_000 }),
  ]
  expect(current(reportedFacts, 'revenue_ytd', 2)).toEqual([[1_000_000, '2020-08-01']])
})

test('a year that is the stated last quarter displaces no other year', () => {
  const reportedFacts = [...revenue, ...state(annual, 'revenue', { Q4: 130 })]
  const amended = filing(5, '10-K/A', '2021-03-20')
  expect(current([...reportedFacts, ...state(amended, 'revenue', { FY: 130 })], 'revenue', 0)).toEqual([
    [464, '2021-02-20'],
  ])
})

test('a real restatement of the half-year still counts', () => {
  const restated = [...revenue, ...state(annual, 'revenue', { Q1: 101, H1: 216 })]
  expect(current(restated, 'revenue_ytd', 2)).toEqual([[216, '2021-02-20']])
  expect(current(restated, 'revenue', 2)).toEqual([[115, '2021-02-20']])
})
