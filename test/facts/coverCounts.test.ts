import { expect, test } from 'bun:test'
import { dayNumber, isoDate, nearestMonthEnd, startOfMonths } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive, sampleOf } from './derivation.ts'

const counts = (reportedFacts: readonly ReportedFact[], yearEnd: string | null = null) =>
  derive(reportedFacts, yearEnd)
    .facts.filter(fact => fact.metric === 'shares_outstanding')
    .map(({ fy, fp, end, value, filing, superseded }) => ({
      fy,
      fp,
      value,
      end: isoDate(end),
      filed: isoDate(filing.filed),
      until: superseded === null ? null : isoDate(superseded),
    }))

test('a count on the cover of a report belongs to the report, not to the quarter of its day', async () => {
  // LPA's 20-F of 2024-04-26 (0001493152-24-016772) is on 2023. Its cover counts 31,709,747 shares on 2024-03-28, after the
  // business combination; its balance sheet 168,142,740 on 2023-12-31.
  const lpa = counts((await sampleOf('0001997711')).reportedFacts)
  expect(lpa.filter(({ fy, fp }) => fy === 2023 && fp === 0)).toEqual([
    { fy: 2023, fp: 0, value: 31_709_747, end: '2024-03-28', filed: '2024-04-26', until: null },
  ])
  expect(lpa.map(({ fy, fp, value }) => [fy, fp, value]).sort()).toEqual([
    [2022, 0, 168_142_740],
    [2023, 0, 31_709_747],
    [2024, 0, 31_668_601],
  ])
  // Apple's 10-K of 2024-11-01 and 10-Q of 2025-01-31.
  const apple = counts((await sampleOf('0000320193')).reportedFacts, '0926')
  expect(apple.find(({ end }) => end === '2024-10-18')).toMatchObject({
    fy: 2024,
    fp: 0,
    value: 15_115_823_000,
  })
  expect(apple.find(({ end }) => end === '2025-01-17')).toMatchObject({
    fy: 2025,
    fp: 1,
    value: 15_022_073_000,
  })
})

test('no two counts share a fiscal period on any day', async () => {
  for (const issuerId of ['0000320193', '0001652044', '0001640147', '0001997711']) {
    const { reportedFacts, profile } = await sampleOf(issuerId)
    const rows = counts(reportedFacts, profile.fiscalYearEnd)
    for (const day of nonEmpty(new Set(rows.map(({ filed }) => filed)))) {
      const known = rows.filter(({ filed, until }) => filed <= day && (until === null || until > day))
      const periods = known.map(({ fy, fp }) => `${fy} ${fp}`)
      expect(periods).toEqual([...new Set(periods)])
    }
  }
})

const filing = (number: number, form: string, filed: string): Filing => ({
  accession: `0000000001-00-00000${number}`,
  form,
  filed: dayNumber(filed),
  acceptedAt: null,
})

const shares = (
  from: Filing,
  end: string,
  value: number,
  tag = 'dei:EntityCommonStockSharesOutstanding',
) => ({
  metric: 'shares_outstanding',
  tag,
  unit: 'shares',
  start: null,
  end: dayNumber(end),
  value,
  rounded: false,
  filing: from,
})

const money = (from: Filing, metric: string, tag: string, end: string, start: string | null = null) => ({
  metric,
  tag: `us-gaap:${tag}`,
  unit: 'USD',
  start: start === null ? null : dayNumber(start),
  end: dayNumber(end),
  value: 1,
  rounded: false,
  filing: from,
})

const onYear2023 = (from: Filing) => [
  money(from, 'revenue', 'Revenues', '2023-12-31', '2023-01-01'),
  money(from, 'equity', 'StockholdersEquity', '2023-12-31'),
]

test('a balance sheet’s count ends where the cover of the same period becomes known, and never comes back', () => {
  const before = filing(1, '8-K', '2024-01-30')
  const annual = filing(2, '10-K', '2024-02-20')
  const next = filing(3, '10-K', '2025-02-20')
  const ofBalance = 'us-gaap:CommonStockSharesOutstanding'
  const rows = counts([
    ...onYear2023(before),
    shares(before, '2023-12-31', 100, ofBalance),
    ...onYear2023(annual),
    shares(annual, '2023-12-31', 100, ofBalance),
    shares(annual, '2024-02-10', 90),
    money(next, 'revenue', 'Revenues', '2024-12-31', '2024-01-01'),
    money(next, 'equity', 'StockholdersEquity', '2024-12-31'),
    shares(next, '2023-12-31', 101, ofBalance),
  ])
  expect(rows).toEqual([
    { fy: 2023, fp: 0, value: 100, end: '2023-12-31', filed: '2024-01-30', until: '2024-02-20' },
    { fy: 2023, fp: 0, value: 90, end: '2024-02-10', filed: '2024-02-20', until: null },
  ])
})

test('an amendment with a cover alone belongs to the last year that was over', () => {
  const annual = filing(2, '10-K', '2024-02-20')
  const amended = filing(3, '10-K/A', '2024-04-25')
  const rows = counts([
    ...onYear2023(annual),
    shares(annual, '2024-02-10', 90),
    shares(amended, '2024-04-15', 95),
  ])
  expect(rows).toEqual([
    { fy: 2023, fp: 0, value: 90, end: '2024-02-10', filed: '2024-02-20', until: '2024-04-25' },
    { fy: 2023, fp: 0, value: 95, end: '2024-04-15', filed: '2024-04-25', until: null },
  ])
})

test('the covers of two reports of one day belong to one each, though they count on one day', () => {
  const annual = filing(2, '10-K', '2024-05-01')
  const quarterly = filing(3, '10-Q', '2024-05-01')
  const rows = counts([
    ...onYear2023(annual),
    shares(annual, '2024-04-20', 90),
    money(quarterly, 'revenue', 'Revenues', '2024-03-31', '2024-01-01'),
    money(quarterly, 'equity', 'StockholdersEquity', '2024-03-31'),
    shares(quarterly, '2024-04-20', 90),
  ])
  expect(rows.map(({ fy, fp, until }) => [fy, fp, until])).toEqual([
    [2023, 0, null],
    [2024, 1, null],
  ])
})

test('a data set beside the exact figures of a report leaves its count with the report', () => {
  // Advance Auto’s first quarter of 2009 has sixteen weeks and ends on 04-25, which a data set rounds to 04-30: a day of the second
  // quarter, if its quarters were equal.
  const annual = filing(1, '10-K', '2009-03-04')
  const quarterly = filing(2, '10-Q', '2009-06-03')
  const ofQuarter = [
    money(quarterly, 'revenue', 'Revenues', '2009-04-25', '2009-01-04'),
    money(quarterly, 'assets', 'Assets', '2009-04-25'),
    money(quarterly, 'equity', 'StockholdersEquity', '2009-04-25'),
    shares(quarterly, '2009-05-28', 95_000_000),
  ]
  const exact = [
    money(annual, 'revenue', 'Revenues', '2009-01-03', '2007-12-30'),
    money(annual, 'equity', 'StockholdersEquity', '2009-01-03'),
    shares(annual, '2009-02-25', 94_000_000),
    ...ofQuarter,
  ]
  const rounded = ofQuarter.map(reported => {
    const end = nearestMonthEnd(reported.end)
    return { ...reported, end, start: reported.start === null ? null : startOfMonths(end, 3), rounded: true }
  })
  const served = (reportedFacts: readonly ReportedFact[]) =>
    derive(reportedFacts, '0103')
      .facts.filter(({ metric }) => ['shares_outstanding', 'book_value_per_share'].includes(metric))
      .map(({ metric, fy, fp, superseded }) => [metric, fy, fp, superseded])
  expect(served(exact)).toContainEqual(['shares_outstanding', 2009, 1, null])
  expect(served(exact)).toContainEqual(['book_value_per_share', 2009, 1, null])
  expect(served([...exact, ...rounded])).toEqual(served(exact))
})
