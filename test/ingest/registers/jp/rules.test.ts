import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { reportContribution } from '../../../../src/ingest/registers/jp/figures.ts'
import { readDocument } from '../../../../src/ingest/registers/jp/readDocument.ts'
import {
  LeftOut,
  parseReportName,
  type Report,
  type ReportFigure,
} from '../../../../src/ingest/registers/jp/report.ts'

const filed = dayNumber('2024-06-28')

function figure(tag: string, value: string | null, change: Partial<ReportFigure> = {}): ReportFigure {
  const [start, end] = [dayNumber('2023-04-01'), dayNumber('2024-03-31')]
  const isFlow = /Sales|Profit|Income|EarningsPerShare/.test(tag)
  return { tag, isSolo: false, start: isFlow ? start : null, end, unit: 'JPY', value, ...change }
}

const solo = { isSolo: true }
const before = { start: dayNumber('2022-04-01'), end: dayNumber('2023-03-31') }

/** `metric tag day value` of all that is taken, and what is left out. */
function read(figures: ReportFigure[], groupYearEnd: number | null = null) {
  const report: Report = {
    ...{ accession: 'JP:S100TEST', edinetCode: 'E00001', form: '120', filed, name: null, englishName: null },
    ...{ figures, figuresRead: figures.length, groupYearEnd },
  }
  const leftOut = new LeftOut()
  const { contribution, malformed } = reportContribution(report, leftOut)
  const taken = contribution.statements.map(
    ({ metric, tag, end, value }) => `${metric} ${tag.replace(/^\w+:/, '')} ${isoDate(end)} ${value}`,
  )
  return { taken, malformed, leftOut: leftOut.counts }
}

describe('one basis a year', () => {
  test('is the group, where the report states any amount of it, even one that no metric is', () => {
    const { taken, leftOut } = read([
      figure('jpcrp_cor:OrdinaryIncomeLossSummaryOfBusinessResults', '7'),
      figure('jppfs_cor:GrossProfit', '5', solo),
      figure('jppfs_cor:NetSales', '6', { ...solo, ...before }),
    ])
    expect(taken).toEqual(['revenue NetSales_NonConsolidatedMember 2023-03-31 6'])
    expect(leftOut).toEqual({ "the company's own figure beside the group's": 1 })
  })

  test('is the company alone, where there is no group, and the tag says so', () => {
    const { taken } = read([
      figure('jppfs_cor:ProfitLoss', '-3', solo),
      figure('jppfs_cor:NetAssets', '4', solo),
      // What the company owns and pays its auditors is stated without a word on the group.
      figure('jpcrp_cor:AuditFeesReportingCompany', '1'),
      figure('jpcrp_cor:TotalAssetsSummaryOfBusinessResults', null),
    ])
    expect(taken).toEqual([
      'net_income ProfitLoss_NonConsolidatedMember 2024-03-31 -3',
      'equity NetAssets_NonConsolidatedMember 2024-03-31 4',
    ])
  })

  test('is the group where the filer says that it consolidates, though an amendment states its own accounts only', () => {
    const own = [
      figure('jppfs_cor:Assets', '4', solo),
      figure('jppfs_cor:Assets', '3', { ...solo, end: before.end }),
    ]
    const { taken, leftOut } = read(own, own[0].end)
    expect(taken).toEqual(['assets Assets_NonConsolidatedMember 2023-03-31 3'])
    expect(leftOut).toEqual({ "the company's own figure beside the group's": 1 })
  })

  test('is of one set of standards, in the year of a change too', () => {
    const { taken, leftOut } = read([
      figure('jpcrp_cor:NetSalesSummaryOfBusinessResults', '100'),
      figure('jpigp_cor:ProfitLossAttributableToOwnersOfParentIFRS', '9'),
      figure('jpcrp_cor:NetSalesSummaryOfBusinessResults', '90', before),
    ])
    expect(taken).toEqual([
      'net_income ProfitLossAttributableToOwnersOfParentIFRS 2024-03-31 9',
      'revenue NetSalesSummaryOfBusinessResults 2023-03-31 90',
    ])
    expect(leftOut).toEqual({ 'a figure under other standards than those of the year': 1 })
  })

  test('of a filer under US GAAP is its summary and not its own accounts under Japanese GAAP', () => {
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
  test('a year of other than twelve months: its balance sheet stays', () => {
    const nineMonths = { start: dayNumber('2023-07-01') }
    const { taken, leftOut } = read([
      figure('jppfs_cor:NetSales', '6', nineMonths),
      figure('jppfs_cor:Assets', '9'),
    ])
    expect(taken).toEqual(['assets Assets 2024-03-31 9'])
    expect(leftOut).toEqual({ 'a year of other than twelve months': 1 })
  })

  test('an element that is misused: an amount for a figure a share, a day for a year', () => {
    const eps = 'jpcrp_cor:BasicEarningsLossPerShareSummaryOfBusinessResults'
    const { taken, leftOut } = read([
      figure(eps, '12.5'),
      figure('jppfs_cor:Assets', '9', { unit: 'JPY/shares' }),
      figure('jppfs_cor:NetSales', '9', { unit: 'pure' }),
      figure('jppfs_cor:NetSales', '9', { start: null }),
      figure(eps, '13.5', { ...before, unit: 'JPY/shares' }),
    ])
    expect(taken).toEqual(['eps BasicEarningsLossPerShareSummaryOfBusinessResults 2023-03-31 13.5'])
    expect(leftOut).toEqual({ 'a figure of another kind than its element': 4 })
  })

  test('a figure that is stated twice otherwise; repeated it counts once', () => {
    const { taken, leftOut } = read([
      figure('jppfs_cor:NetSales', '6'),
      figure('jppfs_cor:NetSales', '7'),
      figure('jppfs_cor:Assets', '9'),
      figure('jppfs_cor:Assets', '9.0'),
    ])
    expect(taken).toEqual(['assets Assets 2024-03-31 9'])
    expect(leftOut).toEqual({
      'a figure that the report states twice, each otherwise': 2,
      'a figure that the report repeats': 1,
    })
  })

  test('a row of the summary that contradicts the statements: rounded, it would look like a restatement', () => {
    const summary = 'jpcrp_cor:NetSalesSummaryOfBusinessResults'
    const figures = (value: string) => [
      figure('jppfs_cor:NetSales', '1234567'),
      figure(summary, value),
      figure(summary, '2000000', before),
    ]
    expect(read(figures('1234567')).taken).toHaveLength(3)
    const rounded = read(figures('1000000'))
    expect(rounded.taken).toEqual(['revenue NetSales 2024-03-31 1234567'])
    expect(rounded.leftOut).toEqual({ 'a row of the five-year summary at odds with the statements': 2 })
  })

  test('a row of the summary that is another amount than the one taken from the statements', () => {
    const { taken } = read([
      figure('jpigp_cor:RevenueIFRS', '120', { start: dayNumber('2023-04-01') }),
      figure('jpigp_cor:NetSalesIFRS', '100'),
      figure('jpcrp_cor:RevenueIFRSSummaryOfBusinessResults', '100', { start: dayNumber('2023-04-01') }),
    ])
    expect(taken).toEqual(['revenue RevenueIFRS 2024-03-31 120', 'revenue NetSalesIFRS 2024-03-31 100'])
  })

  test('numbers that could be two and days after the filing are malformed', () => {
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

describe('the day of filing', () => {
  const fixture = `${import.meta.dir}/fixtures/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl`
  const filedOf = async (named: string, onCover: string, change: (text: string) => string = text => text) => {
    const text = change(
      (await Bun.file(fixture).text()).replace(
        '>2024-06-28</jpcrp_cor:Filing',
        `>${onCover}</jpcrp_cor:Filing`,
      ),
    )
    const name = `jpcrp030000-asr-001_E02367-000_2024-03-31_${named}.xbrl`
    const { contributions, leftOut } = readDocument({ name, bytes: new TextEncoder().encode(text) })
    const filing = contributions[0]?.filings[0]
    return filing === undefined ? leftOut : `${filing.form} ${isoDate(filing.filed)}`
  }

  test('is the later of those in the name and on the cover', async () => {
    expect(await filedOf('01_2024-06-27', '2024-06-28')).toBe('120 2024-06-28')
    expect(await filedOf('01_2024-06-28', '2024-06-27')).toBe('120 2024-06-28')
    expect(await filedOf('01_2024-06-28', '')).toBe('120 2024-06-28')
    expect(await filedOf('01_2024-02-31', '2024-06-28')).toBe('120 2024-06-28')
  })

  test('is not guessed where there is none or the two are far apart', async () => {
    const reason = { 'a report without a day of filing': 1 }
    expect(await filedOf('01_2024-02-31', '28 June')).toMatchObject(reason)
    expect(await filedOf('01_2024-06-28', '2204-06-28')).toMatchObject(reason)
  })

  test('of an amendment is its own', async () => {
    expect(await filedOf('02_2024-08-01', '2024-08-01')).toBe('130 2024-08-01')
    const flagged = (text: string) => text.replace(/(<jpdei_cor:AmendmentFlagDEI [^>]*>)false/, '$1true')
    expect(await filedOf('01_2024-08-01', '2024-08-01', flagged)).toBe('130 2024-08-01')
  })

  test('is of the filer that the report is of', async () => {
    const other = (text: string) =>
      text.replace('>E02367</jpdei_cor:EDINETCodeDEI', '>E00001</jpdei_cor:EDINETCodeDEI')
    await expect(filedOf('01_2024-06-28', '2024-06-28', other)).rejects.toThrow(
      'named after E02367 and is of E00001',
    )
  })
})

test('contexts that contradict their names are not believed', async () => {
  const fixture = `${import.meta.dir}/fixtures/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl`
  const text = (await Bun.file(fixture).text()).replace(
    /(<xbrli:context id="CurrentYearInstant">.*?)<xbrli:instant>2024-03-31<\/xbrli:instant>/s,
    '$1<xbrli:startDate>2023-04-01</xbrli:startDate><xbrli:endDate>2024-03-31</xbrli:endDate>',
  )
  const { contributions, leftOut } = readDocument({ name: fixture, bytes: new TextEncoder().encode(text) })
  expect(leftOut?.['a figure whose context is other than its name says']).toBeGreaterThan(5)
  const ends = contributions[0].statements
    .filter(({ metric }) => metric === 'assets')
    .map(({ end }) => isoDate(end))
  expect(new Set(ends)).not.toContain('2024-03-31')
})

test('reports are known by the names that EDINET gives', () => {
  const kinds = (path: string) => parseReportName(path)?.kind ?? null
  expect(kinds('a/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl')).toBe('jpcrp030000-asr')
  expect(kinds('S100W523.zip!XBRL_TO_CSV/jpsps070000-asr-001_G02262-000_2025-05-09_01_2025-08-08.csv')).toBe(
    'jpsps070000-asr',
  )
  expect(kinds('0101010_honbun_jpcrp030000-asr-001_E02144-000_2025-03-31_01_2025-06-18_ixbrl.htm')).toBe(
    'jpcrp030000-asr',
  )
  expect(kinds('jpaud-aar-cn-001_E11348-000_2025-05-12_01_2025-08-08.csv')).toBe('jpaud-aar-cn')
  expect(kinds('EdinetcodeDlInfo.csv')).toBe(null)
  expect(() => readDocument({ name: 'report.xbrl', bytes: new Uint8Array() })).toThrow(
    'under the name that EDINET gave it',
  )
})
