import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import type { Contribution, FactRow } from '../../../../src/facts/reportedFact.ts'
import { readUnits } from '../../../../src/ingest/import/documents.ts'
import { listFiles } from '../../../../src/ingest/import/files.ts'
import { mergeContributions } from '../../../../src/ingest/import/prepareBatch.ts'
import { startReading } from '../../../../src/ingest/reading/progress.ts'
import { kr } from '../../../../src/ingest/registers/kr/register.ts'
import { readContributions } from '../../../../src/ingest/sample/makeSample.ts'
import { sharedPath } from '../../../shared.ts'

const fixtures = `${import.meta.dir}/fixtures`
const encode = (text: string) => new TextEncoder().encode(text)
const read = (name: string, text: string) => kr.readDocument({ name, bytes: encode(text) })
const fixture = async (name: string) =>
  kr.readDocument({ name, bytes: await Bun.file(`${fixtures}/${name}`).bytes() })

const samsung = await fixture('005930.jsonl')
const hynix = [
  await fixture('fnlttSinglAcntAll_00164779_2019_11011_CFS.json'),
  await fixture('fnlttSinglAcntAll_00164779_2020_11011_CFS.json'),
  await fixture('fnlttSinglAcntAll_00164779_2020_11014_CFS.json'),
]

const derive = (contributions: readonly Contribution[]) =>
  deriveFacts(
    contributions.flatMap(one => one.statements),
    { rules: kr.rules, fiscalYearEnd: null },
  ).facts

/** Vintages of a figure as [filed, value], the first first. */
const vintages = (facts: readonly FactRow[], metric: string, fy: number, fp: number) =>
  facts
    .filter(fact => fact.metric === metric && fact.fy === fy && fact.fp === fp)
    .map(fact => [isoDate(fact.filing.filed), fact.value, fact.filing.accession])

describe('Samsung Electronics, corporate code 00126380', () => {
  const facts = derive(samsung.contributions)

  test('is called by both boards until one is named', () => {
    expect(samsung.contributions.map(one => one.profile)).toEqual([
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

  test('years are those of the reports, and older ones those of their prior-year columns', () => {
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

  test('quarters are three months, the year to date stands beside them, and the fourth is a difference', () => {
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

  test('cash flows are year to date, and their quarters differences', () => {
    // 20220516001751: 10,453,069; 20220816001711: 24,589,135 (million won).
    expect(vintages(facts, 'operating_cash_flow_ytd', 2022, 2)).toEqual([
      ['2022-08-16', 24_589_135_000_000, 'KR:20220816001711'],
    ])
    expect(vintages(facts, 'operating_cash_flow', 2022, 2)).toEqual([
      ['2022-08-16', 24_589_135_000_000 - 10_453_069_000_000, 'KR:20220816001711'],
    ])
  })

  test('an interim balance sheet stands beside that of the year before', () => {
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
  const facts = derive(hynix.flatMap(one => one.contributions))
  // Annual report 20200330004441 and, one year on, 20210330000776.
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

  test('of one filing only the group is served; the other is kept on record', async () => {
    const text = await Bun.file(`${fixtures}/005380.jsonl`).text()
    const { contributions } = read('005380.jsonl', `${overview}\n${text}`)
    const statements = contributions.flatMap(one => one.statements)
    const { facts, repeats } = deriveFacts(statements, { rules: kr.rules, fiscalYearEnd: null })
    // 20240314001466 (amendment of the report on 2021): group 117,610,626, company alone 55,605,120 (million won).
    expect(vintages(facts, 'revenue', 2021, 0)).toEqual([
      ['2024-03-14', 117_610_626_000_000, 'KR:20240314001466'],
    ])
    expect(facts.filter(fact => fact.tag?.startsWith('OFS:'))).toEqual([])
    expect(
      repeats.some(
        ({ statement }) =>
          statement.tag === 'OFS:ifrs-full_Revenue' && statement.value === 55_605_120_000_000,
      ),
    ).toBe(true)
    // The common share's earnings go by their name, and the preferred share's are another account.
    expect(vintages(facts, 'eps', 2021, 0)).toEqual([['2024-03-14', 18_979, 'KR:20240314001466']])
  })

  test('in two files and any order it is the same', async () => {
    const text = await Bun.file(`${fixtures}/005380.jsonl`).text()
    const lines = text.trim().split('\n')
    const parts = lines.map(line => read('005380.jsonl', `${overview}\n${line}`).contributions)
    const whole = derive(read('005380.jsonl', `${overview}\n${text}`).contributions)
    expect(derive(parts.flat())).toEqual(whole)
    expect(derive(parts.toReversed().flat())).toEqual(whole)
  })

  test('the company alone is served where there is no group, and no figure is made of both', async () => {
    const lines = (await Bun.file(`${fixtures}/005380.jsonl`).text()).trim().split('\n')
    const alone = lines.filter(line => line.includes('"fs_div": "OFS"') && line.includes('20240314001466'))
    const facts = derive(read('005380.jsonl', [overview, ...alone].join('\n')).contributions)
    expect(vintages(facts, 'revenue', 2021, 0)).toEqual([
      ['2024-03-14', 55_605_120_000_000, 'KR:20240314001466'],
    ])
    expect(vintages(facts, 'net_income', 2021, 0).map(([, value]) => value)).toEqual([645_526_000_000])
  })

  describe('of SK hynix, as if some reports were of the company alone', () => {
    const as = async (basis: string, report: string) => {
      const text = await Bun.file(`${fixtures}/fnlttSinglAcntAll_00164779_${report}_CFS.json`).text()
      return read(`${report}_${basis}.json`, text).contributions
    }

    test('a year of one less nine months of the other is no quarter', async () => {
      // 20210330000776: the year 31,900,418; 20201116001609: nine months 23,934,193 (million won).
      const group = derive([...(await as('CFS', '2020_11014')), ...(await as('CFS', '2020_11011'))])
      expect(vintages(group, 'revenue', 2020, 4).map(([, value]) => value)).toEqual([7_966_225_000_000])
      const mixed = derive([...(await as('CFS', '2020_11014')), ...(await as('OFS', '2020_11011'))])
      expect(vintages(mixed, 'revenue', 2020, 4)).toEqual([])
      expect(vintages(mixed, 'revenue', 2020, 0).map(([, value]) => value)).toEqual([31_900_418_000_000])
    })

    test("the group's prior-year column takes the place of the company's figure, never the other way round", async () => {
      const groupLater = derive([...(await as('OFS', '2019_11011')), ...(await as('CFS', '2020_11011'))])
      expect(vintages(groupLater, 'net_income', 2019, 0).map(([, value]) => value)).toEqual([
        2_016_391_000_000, 2_009_078_000_000,
      ])
      const soloLater = derive([...(await as('CFS', '2019_11011')), ...(await as('OFS', '2020_11011'))])
      expect(vintages(soloLater, 'net_income', 2019, 0).map(([, value]) => value)).toEqual([
        2_016_391_000_000,
      ])
    })

    test('no ratio is made of both', async () => {
      const year = await as('OFS', '2019_11011')
      const [later] = await as('CFS', '2020_11011')
      const incomeOnly = later.statements.filter(one => one.metric === 'net_income')
      const facts = derive([...year, { ...later, statements: incomeOnly }])
      // 2,016,391 / 26,990,733 of 20200330004441, until the profit is the group's and the revenue is not.
      const [margin, ...more] = facts.filter(fact => fact.metric === 'net_margin' && fact.fy === 2019)
      expect([margin.value, more]).toEqual([2_016_391 / 26_990_733, []])
      expect(isoDate(margin.superseded ?? 0)).toBe('2021-03-30')
    })
  })

  test('which of the two it is has to be said', () => {
    const bare = JSON.stringify({ status: '000', list: [{ rcept_no: '20200330004441' }] })
    expect(() => read('answer.json', bare)).toThrow(/Nothing says whether these statements are consolidated/)
  })
})

describe('periods', () => {
  test('amendments alone do not tell when the year ends: their figures wait for the overview', async () => {
    const { contributions, leftOut, figuresRead } = await fixture('005380.jsonl')
    expect(contributions.flatMap(one => one.statements)).toEqual([])
    expect(leftOut).toEqual({
      'a report whose closing month is not to be told (import its overview with it)': figuresRead,
    })
  })

  const line = (receipt: string, report: string, year: string) => ({
    ...{ rcept_no: receipt, reprt_code: report, bsns_year: year, corp_code: '00126380', sj_div: 'BS' },
    ...{ account_id: 'ifrs-full_Assets', account_nm: '자산총계', thstrm_amount: '1', currency: 'KRW' },
  })
  const endsOf = (month: string | null, ...lines: ReturnType<typeof line>[]) => {
    const request = { fs_div: 'CFS', ...(month === null ? {} : { acc_mt: month }) }
    const { contributions } = read(
      'x.json',
      JSON.stringify({ status: '000', _request: request, list: lines }),
    )
    return contributions.flatMap(one => one.statements).map(one => isoDate(one.end))
  }

  test('follow from year, report and closing month; receipts tell which year a year is called by', () => {
    expect(endsOf('12', line('20230515000001', '11013', '2023'))).toEqual(['2023-03-31'])
    // A year from April to March, by its first calendar year and by its last.
    expect(endsOf('03', line('20230620000001', '11011', '2022'))).toEqual(['2023-03-31'])
    expect(endsOf('03', line('20230620000001', '11011', '2023'))).toEqual(['2023-03-31'])
    expect(endsOf('03', line('20230814000001', '11013', '2023'))).toEqual(['2023-06-30'])
    expect(endsOf('02', line('20240529000001', '11011', '2023'))).toEqual(['2024-02-29'])
  })

  test('December is assumed only where receipts bear it out, and never against one', () => {
    expect(endsOf(null, line('20230321000001', '11011', '2022'))).toEqual(['2022-12-31'])
    expect(endsOf(null, line('20230620000001', '11011', '2022'))).toEqual([])
    expect(
      endsOf(null, line('20230321000001', '11011', '2022'), line('20230814000001', '11014', '2023')),
    ).toEqual([])
    expect(endsOf('12', line('20220321000001', '11011', '2022'))).toEqual([])
  })
})

test('an overview names the board and the closing month', () => {
  const overview = (board: string) =>
    JSON.stringify({
      ...{
        status: '000',
        corp_code: '00261443',
        corp_name: '주식회사 엔씨',
        corp_name_eng: 'NC Corporation',
      },
      ...{ stock_code: '036570', corp_cls: board, acc_mt: '12' },
    })
  const [main] = read('company.json', overview('Y')).contributions
  expect(main.profile).toEqual({
    market: 'KR',
    issuerId: '00261443',
    name: '주식회사 엔씨',
    nameIsFallback: true,
    otherNames: ['NC Corporation'],
    tickers: ['036570.KS'],
    tickersRefuted: ['036570.KQ'],
    fiscalYearEnd: '1231',
    registers: true,
  })
  expect(read('company.json', overview('K')).contributions[0].profile.tickers).toEqual(['036570.KQ'])
  expect(read('company.json', overview('E')).leftOut).toEqual({
    'an overview of a company on neither board': 1,
  })
})

test('the list of companies: the listed ones, in Korean and English', async () => {
  const { contributions, leftOut } = await fixture('CORPCODE.xml')
  expect(
    contributions.map(({ profile }) => [profile.issuerId, profile.name, profile.otherNames, profile.tickers]),
  ).toEqual([
    ['00164779', 'SK하이닉스', ['SK hynix Inc.'], ['000660.KS', '000660.KQ']],
    ['00164742', '현대자동차', ['HYUNDAI MOTOR CO'], ['005380.KS', '005380.KQ']],
    ['00126380', '삼성전자', ['SAMSUNG ELECTRONICS CO,.LTD'], ['005930.KS', '005930.KQ']],
    ['01781999', '에임드바이오', ['Aimed Bio Inc.'], ['0009K0.KS', '0009K0.KQ']],
  ])
  expect(leftOut?.['a company without a stock code']).toBe(2)
})

describe('hostile input is refused with its place, or counted', () => {
  const cases: [string, string, string, RegExp][] = [
    ['a cut list', 'CORPCODE.xml', '<result><list><corp_code>001', /line 1, column \d+: .*unclosed/i],
    ['a bomb', 'CORPCODE.xml', '<!DOCTYPE result [<!ENTITY a "b">]><result/>', /a DOCTYPE is not read/],
    ['another list', 'CORPCODE.xml', '<corps/>', /in <result>, not <corps>/],
    [
      'a cut line',
      'x.jsonl',
      '{"status":"013"}\n{"status":',
      /^line 2: line 1, column 11 \(byte 10\): a value/,
    ],
    ['a line that is no object', 'x.jsonl', '\n\n7\n', /^line 3: This is no answer of OpenDART/],
    ['an answer without lines', 'x_CFS.json', '{"status":"000"}', /has its lines in `list`/],
  ]
  for (const [what, name, text, message] of cases) {
    test(what, () => expect(() => read(name, text)).toThrow(message))
  }

  test('an answer without data, and amounts that are none', () => {
    expect(read('x.json', '{"status":"013","message":"조회된 데이타가 없습니다."}').leftOut).toEqual({
      'an answer without statements (status 013)': 1,
    })
    const line = (amount: string, currency = 'KRW') => ({
      ...{ rcept_no: '20230321000001', reprt_code: '11011', bsns_year: '2022', corp_code: '00126380' },
      ...{ sj_div: 'IS', account_id: 'ifrs_Revenue', account_nm: '매출액', thstrm_amount: amount, currency },
    })
    const values = (...lines: ReturnType<typeof line>[]) => {
      const content = read('x_CFS.json', JSON.stringify({ status: '000', list: lines }))
      return [content.contributions.flatMap(one => one.statements).map(one => one.value), content.malformed]
    }
    expect(values(line('1.234.567,89'))).toEqual([[], 1])
    expect(values(line('1,234'))).toEqual([[], 1])
    expect(values(line('-0'))).toEqual([[0], 0])
    expect(values(line('12', 'won'))).toEqual([[], 1])
    expect(values(line(''), line('-'))).toEqual([[], 0])
    // Twice with other figures: it could be either.
    expect(values(line('1'), line('2'))).toEqual([[], 0])
    expect(values(line('1'), line('1'))).toEqual([[1], 0])
    const dateless = { ...line('1'), rcept_no: '20231321000001' }
    expect(values(dateless)).toEqual([[], 0])
  })
})

test('no vintage is filed before the receipt that states it, and files in any order give the same rows', () => {
  const documents = [samsung, ...hynix].map(one => one.contributions)
  const whole = new Map(
    mergeContributions(documents.flat()).map(one => [one.profile.issuerId, derive([one])]),
  )
  for (const facts of whole.values()) {
    for (const { filing, end } of facts) {
      expect(isoDate(filing.filed).replaceAll('-', '')).toBe(filing.accession.slice(3, 11))
      expect(end).toBeLessThan(filing.filed)
    }
  }
  const statements = documents.flat().flatMap(one => one.statements.map(statement => ({ one, statement })))
  fc.assert(
    fc.property(
      fc.shuffledSubarray(statements, { minLength: statements.length }),
      fc.integer({ min: dayNumber('2020-01-01'), max: dayNumber('2025-06-30') }),
      (shuffled, day) => {
        for (const [issuerId, facts] of whole) {
          const own = shuffled
            .filter(({ one }) => one.profile.issuerId === issuerId)
            .map(({ statement }) => statement)
          const again = deriveFacts(own, { rules: kr.rules, fiscalYearEnd: null }).facts
          expect(again).toEqual([...facts])
          const early = deriveFacts(
            own.filter(({ filing }) => filing.filed <= day),
            { rules: kr.rules, fiscalYearEnd: null },
          ).facts
          const plain = (rows: readonly FactRow[]) => rows.map(({ superseded: _, ...row }) => row)
          expect(plain(early)).toEqual(plain(facts.filter(({ filing }) => filing.filed <= day)))
        }
      },
    ),
    { numRuns: 25 },
  )
})

const folder = sharedPath('registers/kr')

test.skipIf(folder === null)('every real figure is imported or left out for a reason', async () => {
  const progress = startReading()
  const files = await listFiles([`${folder}`], kr.documentNames)
  const imported = new Set<string>()
  let companies = 0
  for await (const { contributions } of readUnits(kr, files, new Set(), progress)) {
    for (const { statements } of contributions) {
      if (statements.length === 0) companies++
      for (const { tag, start, end, filing } of statements)
        imported.add(`${filing.accession} ${tag} ${start} ${end}`)
    }
  }
  expect(progress.skipped).toEqual([])
  expect(progress.malformed).toBe(0)
  expect(progress.documents).toBe(files.length)
  // 117,284 companies, as the register's README counts them.
  const unlisted = progress.leftOut.get('a company without a stock code') ?? 0
  expect([companies, unlisted, companies + unlisted]).toEqual([3_961, 113_323, 117_284])
  const figures = [...progress.leftOut].filter(([reason]) => !reason.startsWith('a company'))
  expect(imported.size + figures.reduce((sum, [, count]) => sum + count, 0)).toBe(progress.figuresRead)
  expect(figures.map(([reason]) => reason).sort()).toEqual([
    'a column whose period is not certain',
    'a line of changes in equity (SCE)',
    'a line of comprehensive income that the income statement has too',
    'a line that stands there twice with other figures',
    'a line that the service does not carry',
    'a second column of one period',
  ])
})

test.skipIf(folder === null)('the sums of real balance sheets hold', async () => {
  const contributions = mergeContributions(await readContributions(kr, [`${folder}/fnlttSinglAcntAll`]))
  let sheets = 0
  const uneven: string[] = []
  for (const { statements } of contributions) {
    const sides = Map.groupBy(
      statements.filter(one => ['assets', 'liabilities', 'equity'].includes(one.metric)),
      one => `${one.filing.accession} ${one.tag.startsWith('OFS:') ? 'OFS' : 'CFS'} ${isoDate(one.end)}`,
    )
    for (const [key, side] of sides) {
      const [assets, liabilities, equity] = ['assets', 'liabilities', 'equity'].map(
        metric => side.find(one => one.metric === metric)?.value ?? Number.NaN,
      )
      sheets++
      // Filers round each line for itself, in millions.
      if (!(Math.abs(assets - liabilities - equity) <= 2_000_000)) uneven.push(key)
    }
  }
  expect(sheets).toBeGreaterThan(1_700)
  // SK Telecom's prior-year column misses by 30 million won as filed; nothing is dropped.
  expect(uneven).toEqual(['KR:20250317000684 CFS 2022-12-31'])
})
