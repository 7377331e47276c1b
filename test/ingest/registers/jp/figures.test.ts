import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { factsOfReport } from '../../../../src/ingest/registers/jp/figures.ts'
import type { Report, ReportFigure } from '../../../../src/ingest/registers/jp/report.ts'
import { Tally } from '../../../../src/ingest/registers/registerInterface.ts'

const filed = dayNumber('2024-06-28')

function figure(tag: string, value: string | null, change: Partial<ReportFigure> = {}): ReportFigure {
  const [start, end] = [dayNumber('2023-04-01'), dayNumber('2024-03-31')]
  const isFlow = /Sales|Profit|Income|EarningsPerShare/.test(tag)
  return { tag, isSolo: false, start: isFlow ? start : null, end, unit: 'JPY', value, ...change }
}

const solo = { isSolo: true }
const before = { start: dayNumber('2022-04-01'), end: dayNumber('2023-03-31') }

/** The facts as `metric tag day value`, and what is left out. */
function read(figures: ReportFigure[], groupYearEnd: number | null = null) {
  const report: Report = {
    accession: 'JP:S100TEST',
    edinetCode: 'E00001',
    form: '120',
    filed,
    name: null,
    englishName: null,
    figures,
    figuresRead: figures.length,
    groupYearEnd,
    periodEnd: dayNumber('2024-03-31'),
    whole: {
      taxonomies: new Map(),
      figures: [],
      statements: [],
      sums: [],
      defaultMembers: new Map(),
      source: 'figures',
    },
  }
  const tally = new Tally()
  const taken = factsOfReport(report, tally).reportedFacts.map(
    ({ metric, tag, end, value }) => `${metric} ${tag.replace(/^\w+:/, '')} ${isoDate(end)} ${value}`,
  )
  return { taken, ...tally.counts }
}

describe('one basis per year', () => {
  test('is the group where the report states any amount of it, even one without a metric', () => {
    const { taken, leftOut } = read([
      figure('jpcrp_cor:OrdinaryIncomeLossSummaryOfBusinessResults', '7'),
      figure('jppfs_cor:GrossProfit', '5', solo),
      figure('jppfs_cor:NetSales', '6', { ...solo, ...before }),
    ])
    expect(taken).toEqual(['revenue NetSales_NonConsolidatedMember 2023-03-31 6'])
    expect(leftOut).toEqual({ 'a figure of the company alone, in a report with figures of the group': 1 })
  })

  test('is the company alone where there is no group, and the tag shows it', () => {
    const { taken } = read([
      figure('jppfs_cor:ProfitLoss', '-3', solo),
      figure('jppfs_cor:NetAssets', '4', solo),
      // These are not of the group, although their contexts do not name the company alone.
      figure('jpcrp_cor:AuditFeesReportingCompany', '1'),
      figure('jpcrp_cor:TotalAssetsSummaryOfBusinessResults', null),
    ])
    expect(taken).toEqual([
      'net_income ProfitLoss_NonConsolidatedMember 2024-03-31 -3',
      'equity NetAssets_NonConsolidatedMember 2024-03-31 4',
    ])
  })

  test('is the group where the filer consolidates, even if an amendment states its own accounts only', () => {
    const own = [
      figure('jppfs_cor:Assets', '4', solo),
      figure('jppfs_cor:Assets', '3', { ...solo, end: before.end }),
    ]
    const { taken, leftOut } = read(own, own[0].end)
    expect(taken).toEqual(['assets Assets_NonConsolidatedMember 2023-03-31 3'])
    expect(leftOut).toEqual({ 'a figure of the company alone, in a report with figures of the group': 1 })
  })

  test('has one set of standards, even in the year of a change', () => {
    const { taken, leftOut } = read([
      figure('jpcrp_cor:NetSalesSummaryOfBusinessResults', '100'),
      figure('jpigp_cor:ProfitLossAttributableToOwnersOfParentIFRS', '9'),
      figure('jpcrp_cor:NetSalesSummaryOfBusinessResults', '90', before),
    ])
    expect(taken).toEqual([
      'net_income ProfitLossAttributableToOwnersOfParentIFRS 2024-03-31 9',
      'revenue NetSalesSummaryOfBusinessResults 2023-03-31 90',
    ])
    expect(leftOut).toEqual({ 'a figure under accounting standards other than those of its year': 1 })
  })

  test('is the summary for a filer under US GAAP, and not its own accounts under Japanese GAAP', () => {
    const usGaap = (name: string, value: string) =>
      figure(`jpcrp_cor:${name}USGAAPSummaryOfBusinessResults`, value)
    const { taken } = read([
      { ...usGaap('Revenues', '50'), start: dayNumber('2023-04-01') },
      usGaap('TotalAssets', '80'),
      usGaap('EquityIncludingPortionAttributableToNonControllingInterest', '30'),
      usGaap('EquityAttributableToOwnersOfParent', '29'),
      figure('jppfs_cor:GrossProfit', '5', solo),
    ])
    expect(taken.map(one => one.split(' ')[0])).toEqual(['revenue', 'assets', 'equity'])
  })
})

describe('left out, and counted', () => {
  test('a flow over a period other than twelve months, but not the balance sheet', () => {
    const nineMonths = { start: dayNumber('2023-07-01') }
    const { taken, leftOut } = read([
      figure('jppfs_cor:NetSales', '6', nineMonths),
      figure('jppfs_cor:Assets', '9'),
    ])
    expect(taken).toEqual(['assets Assets 2024-03-31 9'])
    expect(leftOut).toEqual({ 'a flow over a period other than twelve months': 1 })
  })

  test('an element that is misused: an amount for a figure per share, a day for a year', () => {
    const eps = 'jpcrp_cor:BasicEarningsLossPerShareSummaryOfBusinessResults'
    const { taken, leftOut } = read([
      figure(eps, '12.5'),
      figure('jppfs_cor:Assets', '9', { unit: 'JPY/shares' }),
      figure('jppfs_cor:NetSales', '9', { unit: 'pure' }),
      figure('jppfs_cor:NetSales', '9', { start: null }),
      figure(eps, '13.5', { ...before, unit: 'JPY/shares' }),
    ])
    expect(taken).toEqual(['eps BasicEarningsLossPerShareSummaryOfBusinessResults 2023-03-31 13.5'])
    expect(leftOut).toEqual({ 'a figure whose period or unit does not match its element': 4 })
  })

  test('a figure that is stated twice with different values; one that is repeated counts once', () => {
    const { taken, leftOut } = read([
      figure('jppfs_cor:NetSales', '6'),
      figure('jppfs_cor:NetSales', '7'),
      figure('jppfs_cor:Assets', '9'),
      figure('jppfs_cor:Assets', '9.0'),
    ])
    expect(taken).toEqual(['assets Assets 2024-03-31 9'])
    expect(leftOut).toEqual({
      'a figure that the report states twice with different values': 2,
      'a figure that the report states more than once': 1,
    })
  })

  test('a summary row that differs from the statements: rounded, it would look like a restatement', () => {
    const summary = 'jpcrp_cor:NetSalesSummaryOfBusinessResults'
    const figures = (value: string) => [
      figure('jppfs_cor:NetSales', '1234567'),
      figure(summary, value),
      figure(summary, '2000000', before),
    ]
    expect(read(figures('1234567')).taken).toHaveLength(3)
    const rounded = read(figures('1000000'))
    expect(rounded.taken).toEqual(['revenue NetSales 2024-03-31 1234567'])
    expect(rounded.leftOut).toEqual({ 'a row of the five-year summary that differs from the statements': 2 })
  })

  test('a summary row whose amount differs from the one taken from the statements', () => {
    const { taken } = read([
      figure('jpigp_cor:RevenueIFRS', '120', { start: dayNumber('2023-04-01') }),
      figure('jpigp_cor:NetSalesIFRS', '100'),
      figure('jpcrp_cor:RevenueIFRSSummaryOfBusinessResults', '100', { start: dayNumber('2023-04-01') }),
    ])
    expect(taken).toEqual(['revenue RevenueIFRS 2024-03-31 120', 'revenue NetSalesIFRS 2024-03-31 100'])
  })

  test('ambiguous numbers and days after the filing are malformed', () => {
    const { taken, malformed } = read([
      figure('jppfs_cor:NetSales', '1.234.567,89'),
      figure('jppfs_cor:GrossProfit', '△5'),
      figure('jppfs_cor:Assets', '9', { end: filed + 1 }),
      figure('jppfs_cor:Liabilities', '-0'),
    ])
    expect(taken).toEqual(['liabilities Liabilities 2024-03-31 0'])
    expect(malformed).toBe(3)
  })
})
