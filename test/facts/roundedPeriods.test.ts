import { expect, test } from 'bun:test'
import { dayNumber, isoDate, nearestMonthEnd, startOfMonths } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { spanOf } from '../../src/facts/spans.ts'
import { FinancialStatementData } from '../../src/ingest/registers/us/dataSets.ts'
import { derive, sampleOf, spell } from './derivation.ts'

/* A Financial Statement Data Set rounds the end of a period to the end of a month and its length to quarters. Costco and
 * AutoZone have quarters of twelve weeks, three of them, and one of sixteen: 24 weeks are called two quarters, which seem to
 * begin a month before the fiscal year did. */

const labels = (reportedFacts: readonly ReportedFact[], yearEnd: string | null = null) =>
  derive(reportedFacts, yearEnd)
    .facts.filter(fact => ['equity', 'revenue', 'revenue_ytd'].includes(fact.metric))
    .map(fact => `${fact.metric} ${isoDate(fact.end)} ${fact.fy} ${fact.fp} ${fact.value}`)
    .sort()

function dataSet(sub: string, ...num: string[]): readonly ReportedFact[] {
  const data = new FinancialStatementData()
  data.readSubmission('adsh\tcik\tname\tfye\tform\tfiled\taccepted')
  data.readSubmission(sub)
  data.readFigure('adsh\ttag\tversion\tddate\tqtrs\tuom\tcoreg\tvalue')
  for (const line of num) data.readFigure(`${sub.split('\t')[0]}\t${line}`)
  return [...data.take()].flatMap(({ reportedFacts }) => reportedFacts)
}

// The lines of Costco's 10-Q in the set 2010q1.
const costco = dataSet(
  '0001193125-10-059399\t909832\tCOSTCO WHOLESALE CORP /NEW\t0831\t10-Q\t20100317\t2010-03-17 13:53:00.0',
  'Revenues\tus-gaap/2009\t20100131\t1\tUSD\t\t18742000000.0000',
  'Revenues\tus-gaap/2009\t20100131\t2\tUSD\t\t36041000000.0000',
  'StockholdersEquity\tus-gaap/2009\t20090831\t0\tUSD\t\t10024000000.0000',
  'StockholdersEquity\tus-gaap/2009\t20100131\t0\tUSD\t\t10651000000.0000',
)

/** The same figures with the days of the report: twelve and 24 weeks ended 2010-02-14. */
const costcoExact = costco.map((reported): ReportedFact => {
  const start = { 0: null, 1: '2009-11-23', 2: '2009-08-31', 3: null, 4: null }[
    spanOf(reported.start, reported.end) ?? 0
  ]
  const end = isoDate(reported.end) === '2009-08-31' ? '2009-08-30' : '2010-02-14'
  return { ...reported, start: start === null ? null : dayNumber(start), end: dayNumber(end), rounded: false }
})

test('a balance of a company with quarters of twelve weeks gets the fiscal year of the year end on file', () => {
  expect(labels(costco)).toEqual([
    'equity 2009-08-31 2009 0 10024000000',
    'equity 2010-01-31 2010 2 10651000000',
    'revenue 2010-01-31 2010 2 18742000000',
    'revenue_ytd 2010-01-31 2010 2 36041000000',
  ])
  // AutoZone, 10-Q 0000950123-10-025907.
  const autozone = dataSet(
    '0000950123-10-025907\t866787\tAUTOZONE INC\t0831\t10-Q\t20100318\t2010-03-18 14:19:00.0',
    'SalesRevenueNet\tus-gaap/2009\t20100131\t2\tUSD\t\t3095469000.0000',
    'StockholdersEquity\tus-gaap/2009\t20090831\t0\tUSD\t\t-433074000.0000',
    'StockholdersEquity\tus-gaap/2009\t20100131\t0\tUSD\t\t-421671000.0000',
  )
  expect(labels(autozone)).toEqual([
    'equity 2009-08-31 2009 0 -433074000',
    'equity 2010-01-31 2010 2 -421671000',
    'revenue_ytd 2010-01-31 2010 2 3095469000',
  ])
})

test('exact periods of the same filing win over rounded ones', () => {
  const exact = labels(costcoExact)
  expect(exact).toEqual([
    'equity 2009-08-30 2009 0 10024000000',
    'equity 2010-02-14 2010 2 10651000000',
    'revenue 2010-02-14 2010 2 18742000000',
    'revenue_ytd 2010-02-14 2010 2 36041000000',
  ])
  expect(labels([...costco, ...costcoExact])).toEqual(exact)
  expect(labels([...costcoExact, ...costco].reverse())).toEqual(exact)
})

test('sixteen weeks to the end of a month beyond the quarter are a quarter', () => {
  // Advance Auto Parts: the first quarter of 2010 ended on 2010-04-24, its fiscal year on 2011-01-01 (`fye` 1231).
  const first = dataSet(
    '0001193125-10-131247\t1158449\tADVANCE AUTO PARTS INC\t1231\t10-Q\t20100602\t2010-06-02 16:00:00.0',
    'Revenues\tus-gaap/2009\t20100430\t1\tUSD\t\t1830606000.0000',
    'StockholdersEquity\tus-gaap/2009\t20091231\t0\tUSD\t\t1282365000.0000',
    'StockholdersEquity\tus-gaap/2009\t20100430\t0\tUSD\t\t1200000000.0000',
  )
  expect(labels(first)).toEqual([
    'equity 2009-12-31 2009 0 1282365000',
    'equity 2010-04-30 2010 1 1200000000',
    'revenue 2010-04-30 2010 1 1830606000',
  ])
})

/** Some figures as a data set states them. */
const rounded = (reportedFacts: readonly ReportedFact[]): ReportedFact[] =>
  reportedFacts.flatMap(reported => {
    const span = spanOf(reported.start, reported.end)
    if (span === null) return []
    const end = nearestMonthEnd(reported.end)
    return [{ ...reported, end, start: span === 0 ? null : startOfMonths(end, span * 3), rounded: true }]
  })

test('a data set beside the exact figures removes none, whichever filings it holds', async () => {
  for (const issuerId of ['0000320193', '0001652044', '0001640147', '0001997711']) {
    const { reportedFacts, profile } = await sampleOf(issuerId)
    const accessions = [...new Set(reportedFacts.map(({ filing }) => filing.accession))]
    const alone = derive(reportedFacts, profile.fiscalYearEnd ?? null)
    for (const [every, offset] of [
      [1, 0],
      [2, 1],
      [3, 0],
      [7, 3],
    ]) {
      const inSet = new Set(accessions.filter((_, index) => index % every === offset))
      const set = rounded(reportedFacts.filter(({ filing }) => inSet.has(filing.accession)))
      const both = derive([...reportedFacts, ...set], profile.fiscalYearEnd ?? null)
      const known = new Set(both.facts.map(fact => JSON.stringify(spell(fact))))
      const missing = alone.facts.map(fact => JSON.stringify(spell(fact))).filter(row => !known.has(row))
      expect(missing).toEqual([])
    }
  }
}, 180_000)

const quarterly = (number: number, filed: string): Filing => ({
  accession: `0001195933-09-00000${number}`,
  form: '10-Q',
  filed: dayNumber(filed),
  acceptedAt: null,
})

const figure = (filing: Filing, metric: string, period: string, value: number): ReportedFact => {
  const [start, end] = period.includes(' ') ? period.split(' ') : [null, period]
  const tag = { equity: 'us-gaap:StockholdersEquity', revenue: 'us-gaap:Revenues' }[metric] ?? metric
  const days = { start: start === null ? null : dayNumber(start), end: dayNumber(end) }
  return { metric, tag, unit: 'USD', ...days, value, rounded: false, filing }
}

test('the balance day of a quarterly report ends no fiscal year', () => {
  // Like Infinity P&C's first 10-Q with tagged figures (CIK 1195933): six months to 2009-06-30, and one stray figure of nine
  // months from 2008-07-01, whose year would end on the day of the report.
  const first = quarterly(1, '2009-08-06')
  const second = quarterly(2, '2009-11-05')
  const reportedFacts = [
    figure(first, 'net_income', '2008-07-01 2009-03-31', 5),
    figure(first, 'revenue', '2009-01-01 2009-06-30', 500),
    figure(first, 'revenue', '2009-04-01 2009-06-30', 250),
    figure(first, 'equity', '2009-06-30', 600),
    figure(first, 'equity', '2008-12-31', 550),
    figure(second, 'revenue', '2009-01-01 2009-09-30', 760),
    figure(second, 'equity', '2009-09-30', 620),
  ]
  const expected = [
    'equity 2008-12-31 2008 0 550',
    'equity 2009-06-30 2009 2 600',
    'equity 2009-09-30 2009 3 620',
    'revenue 2009-06-30 2009 2 250',
    'revenue 2009-09-30 2009 3 260',
    'revenue_ytd 2009-06-30 2009 2 500',
    'revenue_ytd 2009-09-30 2009 3 760',
  ]
  expect(labels(reportedFacts)).toEqual(expected)
  // It does not either if the register has it on file as the current end of the year.
  expect(labels(reportedFacts, '0630')).toEqual(expected)
})
