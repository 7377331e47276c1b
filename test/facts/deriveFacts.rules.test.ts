import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { fiscalYearName } from '../../src/facts/spans.ts'
import { derive } from './derivation.ts'

/** The rules that the shipped companies happen not to test, each with the smallest filer that does. */

const filing = (accession: string, form: string, filed: string): Filing => ({
  accession,
  form,
  filed: dayNumber(filed),
  acceptedAt: null,
})

const tags: Record<string, string> = {
  revenue: 'us-gaap:Revenues',
  net_income: 'us-gaap:NetIncomeLoss',
  assets: 'us-gaap:Assets',
  equity: 'us-gaap:StockholdersEquity',
}

function state(
  from: Filing,
  metric: string,
  period: string,
  value: number,
  { unit = 'USD', tag = tags[metric] } = {},
): ReportedFact {
  const [start, end] = period.includes(' ') ? period.split(' ') : [null, period]
  return {
    metric,
    tag,
    unit,
    start: start === null ? null : dayNumber(start),
    end: dayNumber(end),
    value,
    rounded: false,
    filing: from,
  }
}

const rows = (reportedFacts: readonly ReportedFact[], metric: string) =>
  derive(reportedFacts)
    .facts.filter(fact => fact.metric === metric)
    .map(fact => [fact.fy, fact.fp, fact.value, fact.unit, isoDate(fact.filing.filed)])

const annual = filing('0000000001-21-000001', '10-K', '2021-02-20')
const later = filing('0000000001-22-000001', '10-K', '2022-02-20')
const year = '2020-01-01 2020-12-31'
const nineMonths = '2020-01-01 2020-09-30'

test('a year that ends in the first week of January is named after the year before', () => {
  // Johnson & Johnson's fiscal years 2020 and 2022 ended on 2021-01-03 and 2023-01-01 (10-K of 2021-02-22 and
  // 2023-02-16).
  const names = ['2021-01-03', '2023-01-01', '2021-01-07', '2021-01-08', '2020-12-31', '2021-01-31']
  expect(names.map(day => fiscalYearName(dayNumber(day)))).toEqual([2020, 2022, 2020, 2021, 2020, 2021])
  const jnj = filing('0000200406-21-000008', '10-K', '2021-02-22')
  expect(rows([state(jnj, 'revenue', '2019-12-30 2021-01-03', 82_584e6)], 'revenue')).toEqual([
    [2020, 0, 82_584e6, 'USD', '2021-02-22'],
  ])
})

test('a tag of a later group stands in until one of an earlier group is reported, and never again after that', () => {
  const standIn = { tag: 'us-gaap:SalesRevenueGoodsNet' }
  const again = filing('0000000001-23-000001', '10-K', '2023-02-20')
  const reportedFacts = [
    state(annual, 'revenue', year, 90, standIn),
    state(later, 'revenue', year, 100),
    state(again, 'revenue', year, 91, standIn),
  ]
  expect(rows(reportedFacts, 'revenue').map(row => row[2])).toEqual([90, 100])
})

test('of one filing only the currency of most of its figures is served', () => {
  const reportedFacts = [
    state(annual, 'revenue', year, 100),
    state(annual, 'assets', '2020-12-31', 400),
    state(annual, 'equity', '2020-12-31', 200),
    state(annual, 'revenue', year, 700, { unit: 'CNY' }),
    state(annual, 'net_income', year, 70, { unit: 'CNY' }),
  ]
  expect(rows(reportedFacts, 'revenue')).toEqual([[2020, 0, 100, 'USD', '2021-02-20']])
  expect(rows(reportedFacts, 'net_income')).toEqual([])
})

const currencyMoves = () => {
  const interim = filing('0000000001-20-000003', '10-Q', '2020-11-01')
  return [
    state(interim, 'revenue', nineMonths, 500, { unit: 'CNY' }),
    state(interim, 'net_income', nineMonths, 50, { unit: 'CNY' }),
    state(annual, 'revenue', year, 100),
    state(annual, 'net_income', year, 10),
  ]
}

test('no quarter is derived from two currencies', () => {
  expect(rows(currencyMoves(), 'revenue')).toEqual([[2020, 0, 100, 'USD', '2021-02-20']])
})

test('there is no ratio of two currencies, and the one before ends', () => {
  const reportedFacts = [
    state(annual, 'net_income', year, 10),
    state(annual, 'revenue', year, 100),
    state(later, 'revenue', year, 700, { unit: 'CNY' }),
    state(later, 'revenue', '2021-01-01 2021-12-31', 800, { unit: 'CNY' }),
    state(later, 'assets', '2021-12-31', 900, { unit: 'CNY' }),
  ]
  const margins = derive(reportedFacts).facts.filter(fact => fact.metric === 'net_margin')
  expect(margins.map(fact => [fact.value, isoDate(fact.superseded ?? 0)])).toEqual([[0.1, '2022-02-20']])
})

test('a balance at the end of a fourth quarter is the year’s, also where only the quarter was reported by then', () => {
  const before = filing('0000000001-20-000001', '10-K', '2020-02-20')
  const early = filing('0000000001-21-000000', '8-K', '2021-01-28')
  const reportedFacts = [
    state(before, 'revenue', '2019-01-01 2019-12-31', 80),
    state(early, 'revenue', '2020-10-01 2020-12-31', 30),
    state(early, 'assets', '2020-12-31', 400),
  ]
  expect(rows(reportedFacts, 'revenue')).toContainEqual([2020, 4, 30, 'USD', '2021-01-28'])
  expect(rows(reportedFacts, 'assets')).toEqual([[2020, 0, 400, 'USD', '2021-01-28']])
})

test('a data set’s end of month, up to half a month off, and the exact day are one period', () => {
  // SUPERVALU's first quarter of fiscal 2010 has sixteen weeks, 2009-03-01 to 2009-06-20; the data set 2009q3 has
  // 20090630 over one quarter (10-Q 0000950123-09-026905, net sales 12,715 million).
  const interim = filing('0000950123-09-026905', '10-Q', '2009-07-29')
  const exact = state(interim, 'revenue', '2009-03-01 2009-06-20', 12_715e6)
  const rough = { ...state(interim, 'revenue', '2009-04-01 2009-06-30', 12_715e6), rounded: true }
  for (const reportedFacts of [
    [exact, rough],
    [rough, exact],
  ]) {
    const facts = derive(reportedFacts).facts.map(fact => [isoDate(fact.end), fact.fp, fact.value])
    expect(facts).toEqual([['2009-06-20', 1, 12_715e6]])
  }
})

test('a balance sheet days off the anniversary of a 52/53-week year still belongs to that year', () => {
  // Apple's fiscal years 2008 and 2005 ended on 2008-09-27 and 2005-09-24.
  const reportedFacts = [
    state(filing('0000000001-08-000001', '10-K', '2008-11-05'), 'revenue', '2007-09-30 2008-09-27', 1),
    state(filing('0000000001-08-000001', '10-K', '2008-11-05'), 'equity', '2005-09-24', 2),
  ]
  expect(rows(reportedFacts, 'equity')).toEqual([[2005, 0, 2, 'USD', '2008-11-05']])
})

test('a last quarter that ends days after the anniversary is the fourth, also before the annual report', () => {
  // Apple's fiscal year 2011 ended on 2011-09-24, its fiscal year 2012 on 2012-09-29.
  const reportedFacts = [
    state(filing('0000000001-11-000001', '10-K', '2011-10-26'), 'revenue', '2010-09-26 2011-09-24', 1),
    state(filing('0000000001-12-000001', '8-K', '2012-10-25'), 'revenue', '2012-07-01 2012-09-29', 2),
  ]
  expect(rows(reportedFacts, 'revenue')).toEqual([
    [2011, 0, 1, 'USD', '2011-10-26'],
    [2012, 4, 2, 'USD', '2012-10-25'],
  ])
})

test('twelve months in one line of an annual report move no fiscal year', () => {
  const lines = ['revenue', 'gross_profit', 'operating_income', 'income_tax', 'pretax_income', 'net_income']
  const reportedFacts = [
    ...lines.map(metric => state(annual, metric, year, 9, { tag: `us-gaap:${metric}` })),
    state(annual, 'net_income', '2019-10-01 2020-09-30', 7),
    state(annual, 'revenue', '2020-07-01 2020-09-30', 3),
  ]
  expect(rows(reportedFacts, 'revenue')).toContainEqual([2020, 3, 3, 'USD', '2021-02-20'])
  // They are no fiscal year themselves.
  expect(rows(reportedFacts, 'net_income')).toEqual([[2020, 0, 9, 'USD', '2021-02-20']])
})

test('a quarter that was derived from a rounded one, and is then reported with its days, is one period', () => {
  // Half a year with its days, its first quarter from a data set alone: the second is their difference. Later a
  // filing reports it. Found by the property of one current vintage, after some 13,000 random filers.
  const half = filing('0000000001-15-000002', '10-Q', '2015-11-05')
  const next = filing('0000000001-16-000001', '10-Q', '2016-11-04')
  const reportedFacts = [
    state(half, 'revenue', '2015-04-05 2015-10-03', 50),
    { ...state(half, 'revenue', '2015-04-01 2015-06-30', 20), rounded: true },
    state(next, 'revenue', '2015-07-05 2015-10-03', 31),
  ]
  const quarter = derive(reportedFacts).facts.filter(
    fact => isoDate(fact.end) === '2015-10-03' && fact.metric === 'revenue',
  )
  expect(quarter.map(fact => [fact.value, isoDate(fact.filing.filed), fact.superseded === null])).toEqual([
    [30, '2015-11-05', false],
    [31, '2016-11-04', true],
  ])
})

test('a period that was not over when it was filed, or ended a century before, is stored and not served', () => {
  // As if a filer wrote 2108 or 0020 for 2020. Neither moves a fiscal year.
  const { facts, unplaced } = derive([
    state(annual, 'revenue', year, 100),
    state(annual, 'revenue', '2108-01-01 2108-12-31', 90),
    state(annual, 'revenue', '0020-01-01 0020-12-31', 80),
    state(annual, 'assets', '2021-02-20', 500),
    state(annual, 'assets', '2021-02-21', 600),
  ])
  expect(facts.map(fact => [fact.metric, isoDate(fact.end), fact.value])).toEqual([
    ['revenue', '2020-12-31', 100],
    ['assets', '2021-02-20', 500],
  ])
  expect(unplaced).toBe(3)
})

test('a month end in a data set may be later than the filing', () => {
  // 10-K 0001193125-09-214859 of 2009-10-27 reports Apple's shares on 2009-10-16, which the data set calls 2009-10-31.
  const apple = filing('0001193125-09-214859', '10-K', '2009-10-27')
  const shares = state(apple, 'shares_outstanding', '2009-10-31', 900_678_473, {
    unit: 'shares',
    tag: 'dei:EntityCommonStockSharesOutstanding',
  })
  expect(rows([{ ...shares, rounded: true }], 'shares_outstanding')).toHaveLength(1)
})

test('no quarter is derived from two kinds of profit: the owners’ of the year, the whole company’s of nine months', () => {
  const whole = state(annual, 'net_income', nineMonths, 75, { tag: 'us-gaap:ProfitLoss' })
  const quarters = (reportedFacts: readonly ReportedFact[]) =>
    rows(reportedFacts, 'net_income').filter(([, fp]) => fp === 4)
  expect(quarters([whole, state(annual, 'net_income', year, 90)])).toEqual([])
  expect(quarters([whole, state(annual, 'net_income', year, 90, { tag: 'us-gaap:ProfitLoss' })])).toEqual([
    [2020, 4, 15, 'USD', '2021-02-20'],
  ])
  // A filing reports the nine months as the owners', too: from then on there is a quarter.
  expect(
    quarters([whole, state(annual, 'net_income', year, 90), state(later, 'net_income', nineMonths, 75)]),
  ).toEqual([[2020, 4, 15, 'USD', '2022-02-20']])
})

test('a ratio ends with the quarter that it was computed from', () => {
  const reportedFacts = [
    state(annual, 'revenue', year, 200),
    state(annual, 'revenue', nineMonths, 150),
    state(annual, 'net_income', year, 90, { tag: 'us-gaap:ProfitLoss' }),
    state(annual, 'net_income', nineMonths, 75, { tag: 'us-gaap:ProfitLoss' }),
    // The year is reported again as the owners', the nine months are not.
    state(later, 'net_income', year, 80),
  ]
  const ended = derive(reportedFacts)
    .facts.filter(fact => fact.fp === 4 && /^net_/.test(fact.metric))
    .map(({ metric, value, superseded }) => [metric, value, isoDate(superseded ?? 0)])
  expect(ended).toEqual([
    ['net_income', 15, '2022-02-20'],
    ['net_margin', 0.3, '2022-02-20'],
  ])
})

test('a quarter that one filing gives twice, by two years to date that end on one day, is one vintage', () => {
  // Found by the property of unique keys, after some 4,000 random filers.
  const first = filing('0000000001-15-000003', '10-K', '2017-05-05')
  const same = filing('0000000001-15-000004', '10-K', '2017-05-05')
  const last = filing('0000000001-15-000001', '10-K', '2017-06-21')
  const reportedFacts = [
    { ...state(first, 'revenue', '2016-10-01 2017-03-31', 0), rounded: true },
    state(same, 'revenue', '2016-06-18 2016-12-30', 1),
    { ...state(last, 'revenue', '2016-10-01 2016-12-31', 0), rounded: true },
    state(last, 'revenue', '2016-06-25 2017-03-31', 0),
  ]
  const quarter = derive(reportedFacts).facts.filter(
    fact => fact.metric === 'revenue' && isoDate(fact.end) === '2017-03-31',
  )
  expect(new Set(quarter.map(fact => fact.filing.accession)).size).toBe(quarter.length)
})
