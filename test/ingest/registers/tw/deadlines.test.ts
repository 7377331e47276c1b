import { describe, expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { factsOf, fixture, read } from './documents.ts'

const history = await fixture('income_2023-2024.csv')

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
      公司代號: code,
      公司名稱: company,
      '本期淨利（淨損）': '81259953',
      '基本每股盈餘（元）': '5.97',
    }
    const [contribution] = read(name, JSON.stringify([{ ...row, ...more }])).parsed
    return isoDate(contribution.reportedFacts[0].filing.filed)
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

  test('of a foreign company, marked KY, or of a row without a name, which may be one', () => {
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
  test('moves to the day after a festival', () => {
    expect(dueOf('t187ap06_L_fh.json', 2017, 1)).toBe('2017-05-31')
    expect(dueOf('t187ap06_L_fh.json', 2016, 1)).toBe('2016-05-30')
  })

  test('is the later one where a table does not state its filers, or contradicts itself', () => {
    expect([1, 2, 3, 4].map(quarter => dueOf('income.json', 2024, quarter, '2330', '台積電'))).toEqual([
      '2024-05-30',
      '2024-09-02',
      '2024-11-29',
      '2025-04-30',
    ])
    expect(dueOf('t187ap06_X_ci.json', 2024, 4, '1204', '津津')).toBe('2025-04-30')
    expect(dueOf('t187ap06_L_ci.json', 2024, 3, '2330', '台積電', { 利息淨收益: '1' })).toBe('2024-11-29')
  })

  test('before 2013, under the earlier Act', () => {
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

  test('depends on the home country for a depositary receipt, which is left out', () => {
    const row = { 出表日期: '1130814', 年度: '113', 季別: '2', 公司代號: '9103', '基本每股盈餘（元）': '1' }
    const content = read('t187ap06_L_ci.json', JSON.stringify([row]))
    expect(content.parsed).toEqual([])
    expect(content.leftOut).toEqual({ 'a secondary listing, whose deadlines its home country sets': 1 })
  })

  test('is the later one in an archive, which distinguishes neither industries nor later listings', () => {
    expect(factsOf('2881', history)('net_income_ytd', 2024, 2)).toEqual([
      ['2024-06-30', '2024-09-02', 81_259_953_000, 'TWD'],
    ])
    expect(factsOf('2881', history)('net_income', 2024, 1).map(([, filed]) => filed)).toEqual(['2024-05-30'])
    const head = 'company_id,fiscal_year,fiscal_quarter,period_start,period_end,eps'
    const ends = ['03-31', '06-30', '09-30', '12-31']
    const dueOfRows = (...quarters: number[]) => {
      const lines = quarters.map(one => `1294,2024,${one},2024-01-01,2024-${ends[one - 1]},1`)
      const { parsed } = read('x.csv', [head, ...lines].join('\n'))
      return parsed[0].reportedFacts.map(one => isoDate(one.filing.filed))
    }
    expect(dueOfRows(1, 2)).toEqual(['2024-05-15', '2024-09-02'])
    expect(dueOfRows(1, 2, 3, 4)).toEqual(['2024-05-15', '2024-09-02', '2024-11-14', '2025-03-31'])
    expect(dueOfRows(2, 4)).toEqual(['2024-09-02', '2025-04-30'])
    expect(dueOfRows(2, 3, 4)).toEqual(['2024-09-02', '2024-11-29', '2025-04-30'])
    expect(dueOfRows(1, 2, 4)).toEqual(['2024-05-30', '2024-09-02', '2025-04-30'])
  })
})
