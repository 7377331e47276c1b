import { describe, expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { twRegister } from '../../../../src/ingest/registers/tw/register.ts'
import { factsOf, fixture, read } from './documents.ts'

const history = await fixture('income_2023-2024.csv')
const income = await fixture('t187ap06_L_ci.json')
const position = await fixture('t187ap07_L_ci.json')

describe('TSMC (2330) in 2024: single quarters from cumulative income', () => {
  const facts = factsOf('2330', history)

  // The register's own rows of 2024Q1 and 2024Q2 (thousand NT$): 營業收入 592,644,201 and 1,266,154,378.
  test('half a year is served as stated, under a name of its own', () => {
    expect(facts('revenue_ytd', 2024, 2)).toEqual([['2024-06-30', '2024-09-02', 1_266_154_378_000, 'TWD']])
    expect(facts('revenue', 2024, 1)).toEqual([['2024-03-31', '2024-05-15', 592_644_201_000, 'TWD']])
  })

  test('quarters are differences, filed at the later deadline, and the fourth cumulative figure is the year', () => {
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

test('the latest quarter in the open data: Taiwan Cement (1101), second quarter of 2026', () => {
  const facts = factsOf('1101', income, position)
  expect(facts('revenue_ytd', 2026, 2)).toEqual([['2026-06-30', '2026-08-14', 71_289_957_000, 'TWD']])
  expect(facts('gross_profit_ytd', 2026, 2).map(([, , value]) => value)).toEqual([12_991_724_000])
  // The owners' part, not the whole profit of 4,569,799 thousand.
  expect(facts('net_income_ytd', 2026, 2).map(([, , value]) => value)).toEqual([3_279_780_000])
  expect(facts('assets', 2026, 2)).toEqual([['2026-06-30', '2026-08-14', 596_016_531_000, 'TWD']])
  expect(facts('debt_to_equity', 2026, 2).map(([, , value]) => value)).toEqual([296_694_465 / 299_322_066])
  const [contribution] = income.parsed
  expect(isoDate(contribution.observedOn ?? 0)).toBe('2026-08-17')
  expect(contribution.profile).toEqual({
    market: 'TW',
    issuerId: '1101',
    name: '台泥',
    tickers: ['1101.TW'],
    registers: true,
  })
  expect(contribution.reportedFacts[0].filing.accession).toBe('TW:1101:2026Q2')
})

// The columns are those of t187ap03_L in the exchange's description of its interface; TSMC's names are its own.
test('the list of companies adds their full and English names', () => {
  const row = { 出表日期: '1150821', 公司代號: '2330', 公司名稱: '台灣積體電路製造股份有限公司' }
  const content = read(
    't187ap03_L.json',
    JSON.stringify([
      { ...row, 公司簡稱: '台積電', 英文簡稱: 'TSMC' },
      { ...row, 公司代號: '910322', 公司簡稱: '康師傅-DR', 英文簡稱: 'TINGYI-DR' },
    ]),
  )
  expect(content.parsed.map(({ profile }) => profile)).toEqual([
    {
      market: 'TW',
      issuerId: '2330',
      name: '台積電',
      otherNames: ['台灣積體電路製造股份有限公司', 'TSMC'],
      tickers: ['2330.TW'],
      registers: true,
    },
  ])
  expect(content.leftOut).toEqual({ 'a secondary listing, whose deadlines its home country sets': 1 })
})

test("the profit of the whole company is used where the owners' profit is missing", () => {
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

describe('hostile input is refused with the place of the fault, or counted', () => {
  const head = 'id,company_id,fiscal_year,fiscal_quarter,period_start,period_end,revenue,eps'
  const cases: [string, string, string, RegExp][] = [
    ['no array', 'x.json', '{"d":[]}', /A table of the TWSE must be an array/],
    ['a foreign row', 'x.json', '[{"a":"1"}]', /^row 1: an income statement has/],
    [
      'a cut table',
      'x.json',
      '[{"出表日期":"11508',
      /^line 1, column 10 \(byte 17\): the string has no closing/,
    ],
    [
      'another archive',
      'x.csv',
      'a,b\n1,2',
      /^line 1: an archive of income statements must have the columns company_id/,
    ],
    [
      'a cut line',
      'x.csv',
      `${head}\n1,2330,2024`,
      /^line 2 has 3 cells; a line has 8 cells without quotation marks/,
    ],
    [
      'a quoted cell',
      'x.csv',
      `${head}\n1,2330,2024,1,2024-01-01,2024-03-31,"5",1`,
      /^line 2 has a quotation mark/,
    ],
  ]
  for (const [what, name, text, message] of cases) {
    test(what, () => expect(() => read(name, text)).toThrow(message))
  }
  test('not UTF-8', () => {
    const big5 = new Uint8Array([0x5b, 0x22, 0xa4, 0xbd, 0x22, 0x5d])
    expect(() => twRegister.readDocument({ name: 'x.json', bytes: big5 })).toThrow('not UTF-8')
  })

  const values = (revenue: string, more: object = {}) => {
    const row = { 出表日期: '1130814', 年度: '113', 季別: '2', 公司代號: '2330', '基本每股盈餘（元）': '' }
    const content = read('x.json', JSON.stringify([{ ...row, 營業收入: revenue, ...more }]))
    return [content.parsed.flatMap(one => one.reportedFacts).map(one => one.value), content.malformed]
  }
  test('malformed and empty amounts', () => {
    expect(values('1.234.567,89')).toEqual([[], 1])
    expect(values('1,234')).toEqual([[], 1])
    expect(values('1e9')).toEqual([[], 1])
    expect(values('--')).toEqual([[], 1])
    expect(values('')).toEqual([[], 0])
    expect(values('-0.00')).toEqual([[0], 0])
    expect(values('0.01')).toEqual([[10], 0])
    expect(values('1234567.89')).toEqual([[1_234_567_890], 0])
  })

  test('a row without a quarter or a company is left out and counted', () => {
    for (const wrong of [{ 出表日期: '' }, { 年度: '' }, { 季別: '5' }, { 公司代號: '２３３０' }]) {
      expect(values('1', wrong)).toEqual([[], 0])
    }
    const half = `${head}\n1,2330,2024,2,2024-04-01,2024-06-30,5,1`
    expect(read('x.csv', half).leftOut).toEqual({ 'a row that is not for a year to date': 2 })
    const twice = `${head}\n1,2330,2024,1,2024-01-01,2024-03-31,5,1\n2,2330,2024,1,2024-01-01,2024-03-31,6,1`
    expect(read('x.csv', twice).leftOut).toEqual({ 'another row of the same company and quarter': 2 })
  })
})
