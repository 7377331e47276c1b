import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../../../src/facts/factRow.ts'
import { mergeParsedDocuments } from '../../../../src/ingest/import/mergeDocuments.ts'
import { krRegister } from '../../../../src/ingest/registers/kr/register.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { derive, fixture, fixtures, read, vintages } from './documents.ts'

const samsung = await fixture('005930.jsonl')
const hynix = [
  await fixture('fnlttSinglAcntAll_00164779_2019_11011_CFS.json'),
  await fixture('fnlttSinglAcntAll_00164779_2020_11011_CFS.json'),
  await fixture('fnlttSinglAcntAll_00164779_2020_11014_CFS.json'),
]

describe('Samsung Electronics, corporate code 00126380', () => {
  const facts = derive(samsung.parsed)

  test('has the suffixes of both boards until one is named', () => {
    expect(samsung.parsed.map(one => one.profile)).toEqual([
      {
        market: 'KR',
        issuerId: '00126380',
        name: '삼성전자',
        nameIsFallback: true,
        tickers: ['005930.KS', '005930.KQ'],
        tickersAssumed: true,
        registers: true,
      },
    ])
  })

  test('years come from the reports, and older ones from their prior-year columns', () => {
    // Annual reports 20230307000542, 20240312000736 and 20250311001085.
    expect(vintages(facts, 'revenue', 2022, 0)).toEqual([
      ['2023-03-07', 302_231_360_000_000, 'KR:20230307000542'],
    ])
    expect(vintages(facts, 'revenue', 2023, 0)).toEqual([
      ['2024-03-12', 258_935_494_000_000, 'KR:20240312000736'],
    ])
    expect(vintages(facts, 'revenue', 2024, 0)).toEqual([
      ['2025-03-11', 300_870_903_000_000, 'KR:20250311001085'],
    ])
    expect(vintages(facts, 'net_income', 2021, 0)).toEqual([
      ['2023-03-07', 39_907_450_000_000, 'KR:20230307000542'],
    ])
    expect(vintages(facts, 'net_income', 2020, 0)).toEqual([
      ['2023-03-07', 26_407_832_000_000, 'KR:20230307000542'],
    ])
  })

  test('quarters are three months, the year to date is served as well, and the fourth is a difference', () => {
    // 20220816001711: three months 77,203,607, six 154,985,105; 20221114001832: nine 231,766,785 (million won).
    expect(vintages(facts, 'revenue', 2022, 2)).toContainEqual([
      '2022-08-16',
      77_203_607_000_000,
      'KR:20220816001711',
    ])
    expect(vintages(facts, 'revenue_ytd', 2022, 2)).toEqual([
      ['2022-08-16', 154_985_105_000_000, 'KR:20220816001711'],
    ])
    expect(vintages(facts, 'revenue', 2022, 4)).toEqual([
      ['2023-03-07', 302_231_360_000_000 - 231_766_785_000_000, 'KR:20230307000542'],
    ])
  })

  test('cash flows are year to date, and their quarters are differences', () => {
    // 20220516001751: 10,453,069; 20220816001711: 24,589,135 (million won).
    expect(vintages(facts, 'operating_cash_flow_ytd', 2022, 2)).toEqual([
      ['2022-08-16', 24_589_135_000_000, 'KR:20220816001711'],
    ])
    expect(vintages(facts, 'operating_cash_flow', 2022, 2)).toEqual([
      ['2022-08-16', 24_589_135_000_000 - 10_453_069_000_000, 'KR:20220816001711'],
    ])
  })

  test('an interim report has a balance sheet of its own day and that of the prior year', () => {
    // 20220516001751: 439,326,959 on 31 March 2022 and 426,621,158 on 31 December 2021 (million won).
    expect(vintages(facts, 'assets', 2022, 1)).toEqual([
      ['2022-05-16', 439_326_959_000_000, 'KR:20220516001751'],
    ])
    expect(vintages(facts, 'assets', 2021, 0)).toEqual([
      ['2022-05-16', 426_621_158_000_000, 'KR:20220516001751'],
    ])
  })
})

test('a prior-year column that differs is a vintage of the later filing: SK hynix, year 2019', () => {
  const facts = derive(hynix.flatMap(one => one.parsed))
  // Annual report 20200330004441 and, one year later, 20210330000776.
  expect(vintages(facts, 'net_income', 2019, 0)).toEqual([
    ['2020-03-30', 2_016_391_000_000, 'KR:20200330004441'],
    ['2021-03-30', 2_009_078_000_000, 'KR:20210330000776'],
  ])
  expect(vintages(facts, 'eps', 2019, 0).map(([, value]) => value)).toEqual([2_943, 2_933])
  expect(facts.filter(fact => fact.metric === 'eps').map(fact => fact.unit)).toContain('KRW/shares')
})

describe('the group and the company alone', () => {
  const overview = JSON.stringify({
    ...{ status: '000', message: '정상', corp_code: '00164742', corp_name: '현대자동차(주)' },
    ...{ corp_name_eng: 'HYUNDAI MOTOR CO', stock_code: '005380', corp_cls: 'Y', acc_mt: '12' },
  })

  test('only the group of a filing is served; the company alone is stored', async () => {
    const text = await Bun.file(`${fixtures}/005380.jsonl`).text()
    const { parsed } = read('005380.jsonl', `${overview}\n${text}`)
    const statements = parsed.flatMap(one => one.reportedFacts)
    const { facts, repeats } = deriveFacts(statements, { rules: krRegister.rules, fiscalYearEnd: null })
    // 20240314001466 (amendment of the report on 2021): group 117,610,626, company alone 55,605,120 (million won).
    expect(vintages(facts, 'revenue', 2021, 0)).toEqual([
      ['2024-03-14', 117_610_626_000_000, 'KR:20240314001466'],
    ])
    expect(facts.filter(fact => fact.tag?.startsWith('OFS:'))).toEqual([])
    expect(
      repeats.some(
        ({ reported }) => reported.tag === 'OFS:ifrs-full_Revenue' && reported.value === 55_605_120_000_000,
      ),
    ).toBe(true)
    // The common share's earnings are known by their name; the preferred share's are another account.
    expect(vintages(facts, 'eps', 2021, 0)).toEqual([['2024-03-14', 18_979, 'KR:20240314001466']])
  })

  test('give the same facts in two files and any order', async () => {
    const text = await Bun.file(`${fixtures}/005380.jsonl`).text()
    const lines = text.trim().split('\n')
    const parts = lines.map(line => read('005380.jsonl', `${overview}\n${line}`).parsed)
    const whole = derive(read('005380.jsonl', `${overview}\n${text}`).parsed)
    expect(derive(parts.flat())).toEqual(whole)
    expect(derive(parts.toReversed().flat())).toEqual(whole)
  })

  test('the company alone is served where there is no group, and no figure mixes both', async () => {
    const lines = (await Bun.file(`${fixtures}/005380.jsonl`).text()).trim().split('\n')
    const alone = lines.filter(line => line.includes('"fs_div": "OFS"') && line.includes('20240314001466'))
    const facts = derive(read('005380.jsonl', [overview, ...alone].join('\n')).parsed)
    expect(vintages(facts, 'revenue', 2021, 0)).toEqual([
      ['2024-03-14', 55_605_120_000_000, 'KR:20240314001466'],
    ])
    expect(vintages(facts, 'net_income', 2021, 0).map(([, value]) => value)).toEqual([645_526_000_000])
  })

  describe('of SK hynix, as if some reports were of the company alone', () => {
    const as = async (basis: string, report: string) => {
      const text = await Bun.file(`${fixtures}/fnlttSinglAcntAll_00164779_${report}_CFS.json`).text()
      return read(`${report}_${basis}.json`, text).parsed
    }

    test('a year of one minus nine months of the other is no quarter', async () => {
      // 20210330000776: the year 31,900,418; 20201116001609: nine months 23,934,193 (million won).
      const group = derive([...(await as('CFS', '2020_11014')), ...(await as('CFS', '2020_11011'))])
      expect(vintages(group, 'revenue', 2020, 4).map(([, value]) => value)).toEqual([7_966_225_000_000])
      const mixed = derive([...(await as('CFS', '2020_11014')), ...(await as('OFS', '2020_11011'))])
      expect(vintages(mixed, 'revenue', 2020, 4)).toEqual([])
      expect(vintages(mixed, 'revenue', 2020, 0).map(([, value]) => value)).toEqual([31_900_418_000_000])
    })

    test("the group's prior-year column replaces the company's figure, never the other way round", async () => {
      const groupLater = derive([...(await as('OFS', '2019_11011')), ...(await as('CFS', '2020_11011'))])
      expect(vintages(groupLater, 'net_income', 2019, 0).map(([, value]) => value)).toEqual([
        2_016_391_000_000, 2_009_078_000_000,
      ])
      const soloLater = derive([...(await as('CFS', '2019_11011')), ...(await as('OFS', '2020_11011'))])
      expect(vintages(soloLater, 'net_income', 2019, 0).map(([, value]) => value)).toEqual([
        2_016_391_000_000,
      ])
    })

    test('no ratio mixes both', async () => {
      const year = await as('OFS', '2019_11011')
      const [later] = await as('CFS', '2020_11011')
      const incomeOnly = later.reportedFacts.filter(one => one.metric === 'net_income')
      const facts = derive([...year, { ...later, reportedFacts: incomeOnly }])
      // 2,016,391 / 26,990,733 of 20200330004441, until the profit is the group's and the revenue is not.
      const [margin, ...more] = facts.filter(fact => fact.metric === 'net_margin' && fact.fy === 2019)
      expect([margin.value, more]).toEqual([2_016_391 / 26_990_733, []])
      expect(isoDate(margin.superseded ?? 0)).toBe('2021-03-30')
    })
  })

  test('a document that does not state which of the two it is is refused', () => {
    const bare = JSON.stringify({ status: '000', list: [{ rcept_no: '20200330004441' }] })
    expect(() => read('answer.json', bare)).toThrow(
      /It is not stated whether these statements are consolidated/,
    )
  })
})

describe('hostile input is refused with the place of the fault, or counted', () => {
  const cases: [string, string, string, RegExp][] = [
    ['a cut list', 'CORPCODE.xml', '<result><list><corp_code>001', /line 1, column \d+: .*unclosed/i],
    ['a bomb', 'CORPCODE.xml', '<!DOCTYPE result [<!ENTITY a "b">]><result/>', /a DOCTYPE is not allowed/],
    ['another list', 'CORPCODE.xml', '<corps/>', /in <result>, not <corps>/],
    [
      'a cut line',
      'x.jsonl',
      '{"status":"013"}\n{"status":',
      /^line 2: line 1, column 11 \(byte 10\): expected a value/,
    ],
    ['a line that is no object', 'x.jsonl', '\n\n7\n', /^line 3: This is not a response of OpenDART/],
    ['an answer without lines', 'x_CFS.json', '{"status":"000"}', /must have its lines in `list`/],
  ]
  for (const [what, name, text, message] of cases) {
    test(what, () => expect(() => read(name, text)).toThrow(message))
  }

  test('an answer without data, and malformed or empty amounts', () => {
    expect(read('x.json', '{"status":"013","message":"조회된 데이타가 없습니다."}').leftOut).toEqual({
      'a response without statements (status 013)': 1,
    })
    const line = (amount: string, currency = 'KRW') => ({
      ...{ rcept_no: '20230321000001', reprt_code: '11011', bsns_year: '2022', corp_code: '00126380' },
      ...{ sj_div: 'IS', account_id: 'ifrs_Revenue', account_nm: '매출액', thstrm_amount: amount, currency },
    })
    const values = (...lines: ReturnType<typeof line>[]) => {
      const content = read('x_CFS.json', JSON.stringify({ status: '000', list: lines }))
      return [content.parsed.flatMap(one => one.reportedFacts).map(one => one.value), content.malformed]
    }
    expect(values(line('1.234.567,89'))).toEqual([[], 1])
    expect(values(line('1,234'))).toEqual([[], 1])
    expect(values(line('-0'))).toEqual([[0], 0])
    expect(values(line('12', 'won'))).toEqual([[], 1])
    expect(values(line(''), line('-'))).toEqual([[], 0])
    // Twice with different figures: either could be right.
    expect(values(line('1'), line('2'))).toEqual([[], 0])
    expect(values(line('1'), line('1'))).toEqual([[1], 0])
    const dateless = { ...line('1'), rcept_no: '20231321000001' }
    expect(values(dateless)).toEqual([[], 1])
  })
})

test('no vintage is filed before the receipt that states it, and files in any order give the same rows', () => {
  const documents = [samsung, ...hynix].map(one => one.parsed)
  const whole = new Map(
    mergeParsedDocuments(documents.flat()).map(one => [one.profile.issuerId, derive([one])]),
  )
  for (const facts of nonEmpty(whole.values())) {
    for (const { filing, end } of facts) {
      expect(isoDate(filing.filed).replaceAll('-', '')).toBe(filing.accession.slice(3, 11))
      expect(end).toBeLessThan(filing.filed)
    }
  }
  const statements = documents.flat().flatMap(one => one.reportedFacts.map(statement => ({ one, statement })))
  fc.assert(
    fc.property(
      fc.shuffledSubarray(statements, { minLength: statements.length }),
      fc.integer({ min: dayNumber('2020-01-01'), max: dayNumber('2025-06-30') }),
      (shuffled, day) => {
        for (const [issuerId, facts] of nonEmpty(whole)) {
          const own = shuffled
            .filter(({ one }) => one.profile.issuerId === issuerId)
            .map(({ statement }) => statement)
          const again = deriveFacts(own, { rules: krRegister.rules, fiscalYearEnd: null }).facts
          expect(again).toEqual([...facts])
          const early = deriveFacts(
            own.filter(({ filing }) => filing.filed <= day),
            { rules: krRegister.rules, fiscalYearEnd: null },
          ).facts
          // Both days may come later; that of the restatement counts once it is there.
          const plain = (rows: readonly FactRow[]) =>
            rows.map(({ superseded: _, earlierSince, ...row }) => ({
              ...row,
              isEarlier: earlierSince !== null && earlierSince <= day,
            }))
          expect(plain(early)).toEqual(plain(facts.filter(({ filing }) => filing.filed <= day)))
        }
      },
    ),
    { numRuns: 25 },
  )
})
