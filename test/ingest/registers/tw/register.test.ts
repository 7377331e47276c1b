import { describe, expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import type { Contribution } from '../../../../src/facts/reportedFact.ts'
import { readUnits } from '../../../../src/ingest/import/documents.ts'
import { listFiles } from '../../../../src/ingest/import/files.ts'
import { startReading } from '../../../../src/ingest/reading/progress.ts'
import { tw } from '../../../../src/ingest/registers/tw/register.ts'
import { sharedPath } from '../../../shared.ts'

const fixtures = `${import.meta.dir}/fixtures`
const read = (name: string, text: string) => tw.readDocument({ name, bytes: new TextEncoder().encode(text) })
const fixture = async (name: string) => read(name, await Bun.file(`${fixtures}/${name}`).text())

const history = await fixture('income_2023-2024.csv')
const income = await fixture('t187ap06_L_ci.json')
const position = await fixture('t187ap07_L_ci.json')

function factsOf(code: string, ...contents: { contributions: readonly Contribution[] }[]) {
  const own = contents.flatMap(one => one.contributions).filter(one => one.profile.issuerId === code)
  const { facts } = deriveFacts(
    own.flatMap(one => one.statements),
    { rules: tw.rules, fiscalYearEnd: null },
  )
  return (metric: string, fy: number, fp: number) =>
    facts
      .filter(fact => fact.metric === metric && fact.fy === fy && fact.fp === fp)
      .map(fact => [isoDate(fact.end), isoDate(fact.filing.filed), fact.value, fact.unit])
}

describe('TSMC (2330) in 2024, cumulative income made single quarters', () => {
  const facts = factsOf('2330', history)

  // The register's own rows of 2024Q1 and 2024Q2 (thousand NT$): 營業收入 592,644,201 and 1,266,154,378.
  test('half a year is served as it is stated, under a name of its own', () => {
    expect(facts('revenue_ytd', 2024, 2)).toEqual([['2024-06-30', '2024-09-02', 1_266_154_378_000, 'TWD']])
    expect(facts('revenue', 2024, 1)).toEqual([['2024-03-31', '2024-05-15', 592_644_201_000, 'TWD']])
  })

  test('quarters are differences under the later deadline, and the year is the fourth sum', () => {
    expect(facts('revenue', 2024, 2)).toEqual([
      ['2024-06-30', '2024-09-02', (1_266_154_378 - 592_644_201) * 1_000, 'TWD'],
    ])
    expect(facts('revenue', 2024, 3)).toEqual([
      ['2024-09-30', '2024-11-14', (2_025_846_521 - 1_266_154_378) * 1_000, 'TWD'],
    ])
    expect(facts('revenue', 2024, 4)).toEqual([
      ['2024-12-31', '2025-03-31', (2_894_307_699 - 2_025_846_521) * 1_000, 'TWD'],
    ])
    expect(facts('revenue', 2024, 0)).toEqual([['2024-12-31', '2025-03-31', 2_894_307_699_000, 'TWD']])
  })

  test('earnings per share are not subtracted', () => {
    expect(facts('eps', 2024, 1)).toEqual([['2024-03-31', '2024-05-15', 8.7, 'TWD/shares']])
    expect(facts('eps_ytd', 2024, 2)).toEqual([['2024-06-30', '2024-09-02', 18.25, 'TWD/shares']])
    expect(facts('eps', 2024, 2)).toEqual([])
    expect(facts('eps', 2024, 0)).toEqual([['2024-12-31', '2025-03-31', 45.25, 'TWD/shares']])
  })
})

test('the latest quarter as the open data have it: Taiwan Cement (1101), second quarter of 2026', () => {
  const facts = factsOf('1101', income, position)
  expect(facts('revenue_ytd', 2026, 2)).toEqual([['2026-06-30', '2026-08-14', 71_289_957_000, 'TWD']])
  expect(facts('gross_profit_ytd', 2026, 2).map(([, , value]) => value)).toEqual([12_991_724_000])
  // The owners' part, not the whole profit of 4,569,799 thousand.
  expect(facts('net_income_ytd', 2026, 2).map(([, , value]) => value)).toEqual([3_279_780_000])
  expect(facts('assets', 2026, 2)).toEqual([['2026-06-30', '2026-08-14', 596_016_531_000, 'TWD']])
  expect(facts('debt_to_equity', 2026, 2).map(([, , value]) => value)).toEqual([296_694_465 / 299_322_066])
  const [contribution] = income.contributions
  expect(isoDate(contribution.pulledOn ?? 0)).toBe('2026-08-17')
  expect(contribution.profile).toEqual({
    market: 'TW',
    issuerId: '1101',
    name: '台泥',
    tickers: ['1101.TW'],
    registers: true,
  })
  expect(contribution.statements[0].filing.accession).toBe('TW:1101:2026Q2')
})

test('the profit of the whole company stands in for that of the owners', () => {
  const row = { 出表日期: '1130814', 年度: '113', 季別: '2', 公司代號: '2330', 公司名稱: '台積電' }
  const of = (owners: string) => {
    const cells = {
      '淨利（淨損）歸屬於母公司業主': owners,
      '本期淨利（淨損）': '472882701',
      '基本每股盈餘（元）': '18.25',
    }
    const content = read('t187ap06_L_ci.json', JSON.stringify([{ ...row, ...cells }]))
    return factsOf('2330', content)('net_income_ytd', 2024, 2).map(([, , value]) => value)
  }
  expect(of('')).toEqual([472_882_701_000])
  expect(of('473000000')).toEqual([473_000_000_000])
})

describe('the last lawful day counts', () => {
  // Fubon Financial Holding's half-year 2024: the archive gives a profit of 81,259,953 thousand.
  const dueOf = (
    name: string,
    year: number,
    quarter: number,
    code = '2881',
    company = '富邦金',
    more = {},
  ) => {
    const row = {
      ...{ 出表日期: `${year - 1910}1231`, 年度: String(year - 1911), 季別: String(quarter) },
      ...{ 公司代號: code, 公司名稱: company, '本期淨利（淨損）': '81259953', '基本每股盈餘（元）': '5.97' },
    }
    const [contribution] = read(name, JSON.stringify([{ ...row, ...more }])).contributions
    return isoDate(contribution.statements[0].filing.filed)
  }
  const ofYear = (year: number, variant: string, code?: string, company?: string) =>
    [1, 2, 3, 4].map(quarter => dueOf(`t187ap06_L_${variant}.json`, year, quarter, code, company))

  // Of 2025: 15 May, 14 August, 14 November, 31 March 2026; no weekend, no holiday.
  test('of each kind of industry in a year of working days', () => {
    const general = ['2025-05-15', '2025-08-14', '2025-11-14', '2026-03-31']
    expect(ofYear(2025, 'ci', '2330', '台積電')).toEqual(general)
    // 31 August 2025 is a Sunday.
    const halfYearLater = general.with(1, '2025-09-01')
    for (const variant of ['basi', 'bd', 'ins', 'mim']) expect(ofYear(2025, variant)).toEqual(halfYearLater)
    // 30 May 2025 was a Friday off for the Dragon Boat Festival on the 31st; 29 November is a Saturday.
    expect(ofYear(2025, 'fh')).toEqual(['2025-06-02', '2025-09-01', '2025-12-01', '2026-03-31'])
  })

  test('of a foreign company, which bears KY, or may where the row has no name', () => {
    for (const name of ['臻鼎-KY', 'ＫＹ', '']) {
      expect(ofYear(2023, 'ci', '4958', name)).toEqual([
        '2023-05-15',
        '2023-08-31',
        '2023-11-14',
        '2024-04-01',
      ])
    }
    expect(dueOf('t187ap06_L_ci.json', 2023, 2, '4958', 'KY石')).toBe('2023-08-14')
  })

  // The exchange's own notices: the first quarter of 2021, due on Saturday 15 May, was due on the 17th, and that of financial
  // holdings, due on Sunday 30 May, on the 31st; financial institutions' half-year 2024, due on Saturday 31 August, on
  // 2 September; the third quarter of 2024 on 14 November and, of financial holdings, on the 29th.
  test('as the exchange announced them', () => {
    expect(dueOf('t187ap06_L_ci.json', 2021, 1, '2330', '台積電')).toBe('2021-05-17')
    expect(dueOf('t187ap06_L_basi.json', 2021, 1, '2801', '彰銀')).toBe('2021-05-17')
    expect(dueOf('t187ap06_L_fh.json', 2021, 1)).toBe('2021-05-31')
    expect(dueOf('t187ap06_L_ci.json', 2024, 2, '2330', '台積電')).toBe('2024-08-14')
    expect(dueOf('t187ap06_L_fh.json', 2024, 2)).toBe('2024-09-02')
    expect(dueOf('t187ap06_L_ins.json', 2024, 2, '2832', '台產')).toBe('2024-09-02')
    expect(dueOf('t187ap06_L_bd.json', 2024, 3, '6005', '群益證')).toBe('2024-11-14')
    expect(dueOf('t187ap06_L_fh.json', 2024, 3)).toBe('2024-11-29')
  })

  // 30 May 2017 was the Dragon Boat Festival, a Tuesday.
  test('a festival moves it', () => {
    expect(dueOf('t187ap06_L_fh.json', 2017, 1)).toBe('2017-05-31')
    expect(dueOf('t187ap06_L_fh.json', 2016, 1)).toBe('2016-05-30')
  })

  test('where a table does not say whose it is, or says two things, the later one', () => {
    expect([1, 2, 3, 4].map(quarter => dueOf('income.json', 2024, quarter, '2330', '台積電'))).toEqual([
      '2024-05-30',
      '2024-09-02',
      '2024-11-29',
      '2025-04-30',
    ])
    expect(dueOf('t187ap06_X_ci.json', 2024, 4, '1204', '津津')).toBe('2025-04-30')
    expect(dueOf('t187ap06_L_ci.json', 2024, 3, '2330', '台積電', { 利息淨收益: '1' })).toBe('2024-11-29')
  })

  test('before the Act was as it is', () => {
    expect(ofYear(2012, 'ci', '2330', '台積電')).toEqual([
      '2012-05-30',
      '2012-09-13',
      '2012-11-29',
      '2013-04-30',
    ])
    expect(ofYear(2013, 'ci', '2330', '台積電')).toEqual([
      '2013-05-15',
      '2013-08-14',
      '2013-11-14',
      '2014-03-31',
    ])
  })

  test('a depositary receipt follows its home country, and is left out', () => {
    const row = { 出表日期: '1130814', 年度: '113', 季別: '2', 公司代號: '9103', '基本每股盈餘（元）': '1' }
    const content = read('t187ap06_L_ci.json', JSON.stringify([row]))
    expect(content.contributions).toEqual([])
    expect(content.leftOut).toEqual({ 'a secondary listing, whose days its home country sets': 1 })
  })

  test('an archive does not tell industries apart, nor who was listed only later', () => {
    expect(factsOf('2881', history)('net_income_ytd', 2024, 2)).toEqual([
      ['2024-06-30', '2024-09-02', 81_259_953_000, 'TWD'],
    ])
    expect(factsOf('2881', history)('net_income', 2024, 1).map(([, filed]) => filed)).toEqual(['2024-05-30'])
    const head = 'company_id,fiscal_year,fiscal_quarter,period_start,period_end,eps'
    const ends = ['03-31', '06-30', '09-30', '12-31']
    const dueOfRows = (...quarters: number[]) => {
      const lines = quarters.map(one => `1294,2024,${one},2024-01-01,2024-${ends[one - 1]},1`)
      const { contributions } = read('x.csv', [head, ...lines].join('\n'))
      return contributions[0].statements.map(one => isoDate(one.filing.filed))
    }
    expect(dueOfRows(1, 2)).toEqual(['2024-05-15', '2024-09-02'])
    expect(dueOfRows(1, 2, 3, 4)).toEqual(['2024-05-15', '2024-09-02', '2024-11-14', '2025-03-31'])
    expect(dueOfRows(2, 4)).toEqual(['2024-09-02', '2025-04-30'])
    expect(dueOfRows(2, 3, 4)).toEqual(['2024-09-02', '2024-11-29', '2025-04-30'])
    expect(dueOfRows(1, 2, 4)).toEqual(['2024-05-30', '2024-09-02', '2025-04-30'])
  })
})

describe('hostile input is refused with its place, or counted', () => {
  const head = 'id,company_id,fiscal_year,fiscal_quarter,period_start,period_end,revenue,eps'
  const cases: [string, string, string, RegExp][] = [
    ['no array', 'x.json', '{"d":[]}', /A table of the TWSE is an array/],
    ['a foreign row', 'x.json', '[{"a":"1"}]', /^row 1: an income statement has/],
    ['a cut table', 'x.json', '[{"出表日期":"11508', /^line 1, column 16 \(byte 23\): a value was expected/],
    [
      'another archive',
      'x.csv',
      'a,b\n1,2',
      /^line 1: an archive of income statements has columns company_id/,
    ],
    [
      'a cut line',
      'x.csv',
      `${head}\n1,2330,2024`,
      /^line 2: 8 cells without quotation marks are needed, there are 3/,
    ],
    ['a quoted cell', 'x.csv', `${head}\n1,2330,2024,1,2024-01-01,2024-03-31,"5",1`, /^line 2: 8 cells/],
  ]
  for (const [what, name, text, message] of cases) {
    test(what, () => expect(() => read(name, text)).toThrow(message))
  }
  test('not UTF-8', () => {
    const big5 = new Uint8Array([0x5b, 0x22, 0xa4, 0xbd, 0x22, 0x5d])
    expect(() => tw.readDocument({ name: 'x.json', bytes: big5 })).toThrow('not UTF-8')
  })

  const values = (revenue: string, more: object = {}) => {
    const row = { 出表日期: '1130814', 年度: '113', 季別: '2', 公司代號: '2330', '基本每股盈餘（元）': '' }
    const content = read('x.json', JSON.stringify([{ ...row, 營業收入: revenue, ...more }]))
    return [content.contributions.flatMap(one => one.statements).map(one => one.value), content.malformed]
  }
  test('amounts that are none', () => {
    expect(values('1.234.567,89')).toEqual([[], 1])
    expect(values('1,234')).toEqual([[], 1])
    expect(values('1e9')).toEqual([[], 1])
    expect(values('--')).toEqual([[], 1])
    expect(values('')).toEqual([[], 0])
    expect(values('-0.00')).toEqual([[0], 0])
    expect(values('0.01')).toEqual([[10], 0])
    expect(values('1234567.89')).toEqual([[1_234_567_890], 0])
  })

  test('a row without its place is left out and counted', () => {
    for (const wrong of [{ 出表日期: '1131314' }, { 年度: '' }, { 季別: '5' }, { 公司代號: '２３３０' }]) {
      expect(values('1', wrong)).toEqual([[], 0])
    }
    const half = `${head}\n1,2330,2024,2,2024-04-01,2024-06-30,5,1`
    expect(read('x.csv', half).leftOut).toEqual({ 'a row that is not of a year to date': 2 })
    const twice = `${head}\n1,2330,2024,1,2024-01-01,2024-03-31,5,1\n2,2330,2024,1,2024-01-01,2024-03-31,6,1`
    expect(read('x.csv', twice).leftOut).toEqual({ 'another row of the company and quarter': 2 })
  })
})

const folder = sharedPath('registers/tw')

test.skipIf(folder === null)('every real figure is imported or left out for a reason', async () => {
  const progress = startReading()
  const files = await listFiles([`${folder}`], tw.documentNames)
  let imported = 0
  const companies = new Set<string>()
  const quarters = new Set<string>()
  for await (const { contributions } of readUnits(tw, files, new Set(), progress)) {
    for (const { profile, statements } of contributions) {
      imported += statements.length
      companies.add(profile.issuerId)
      for (const { filing } of statements) quarters.add(filing.accession.slice(3))
    }
  }
  expect(progress.skipped).toEqual([])
  expect(progress.malformed).toBe(0)
  expect(progress.documents).toBe(files.length)
  const others = ['a day of trading', 'a description of the interface']
  const figures = [...progress.leftOut].filter(([reason]) => !others.includes(reason))
  expect(figures.map(([reason]) => reason).sort()).toEqual([
    'a column that only stands in for another',
    'a column that the service does not carry',
  ])
  expect(imported + figures.reduce((sum, [, count]) => sum + count, 0)).toBe(progress.figuresRead)
  expect([...progress.leftOut.keys()].filter(reason => others.includes(reason)).sort()).toEqual(others)
  // 1,896 companies, as the register's README counts them.
  expect(companies.size).toBe(1_896)
  expect(quarters.size).toBeGreaterThan(14_000)
})
