import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CoverageIndex } from '../../src/features/coverage/schema.ts'
import type { FundamentalsList } from '../../src/features/fundamentals/schema.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { type RealServer, realServer } from './realServer.ts'

const today = '2026-11-20'
let server: RealServer
let key: string
beforeAll(async () => {
  server = await realServer({ today: () => today })
  key = await sellKey(server.sql)
}, 120_000)
afterAll(() => server.stop(), 60_000)

async function ask<Answer>(path: string, authorization = `Bearer ${key}`): Promise<Answer> {
  const response = await fetch(server.url + path, { headers: { Authorization: authorization } })
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as Answer
}

/** One figure that a document states, as it was read in the document itself. */
interface Stated {
  readonly ticker: string
  readonly metric: string
  readonly fp: string
  readonly end: string
  readonly filed: string
  readonly value: number
  readonly unit: string
  /** The number under which the register knows the document. */
  readonly document: string
}

function statedIn(
  document: string,
  [ticker, filed, unit]: readonly [string, string, string],
  figures: readonly (readonly [metric: string, fp: string, end: string, value: number])[],
): Stated[] {
  return figures.map(([metric, fp, end, value]) => ({
    ...{ ticker, metric, fp, end, filed, value, unit, document },
  }))
}

const stated: readonly Stated[] = [
  // 10-K of Apple Inc., the year to 26 September 2009.
  ...statedIn(
    '0001193125-09-214859',
    ['AAPL', '2009-10-27', 'USD'],
    [
      ['revenue', 'FY', '2009-09-26', 36_537_000_000],
      ['net_income', 'FY', '2009-09-26', 5_704_000_000],
    ],
  ),
  // Annual securities report of Nintendo, the 84th period: jppfs_cor:NetSales, OperatingIncome,
  // ProfitLossAttributableToOwnersOfParent, Assets and NetAssets of CurrentYear; the first row of its five-year summary.
  ...statedIn(
    'JP:S100TMMG',
    ['E02367.JP', '2024-06-28', 'JPY'],
    [
      ['revenue', 'FY', '2024-03-31', 1_671_865_000_000],
      ['revenue', 'FY', '2023-03-31', 1_601_677_000_000],
      ['revenue', 'FY', '2020-03-31', 1_308_519_000_000],
      ['operating_income', 'FY', '2024-03-31', 528_941_000_000],
      ['net_income', 'FY', '2024-03-31', 490_602_000_000],
      ['assets', 'FY', '2024-03-31', 3_151_394_000_000],
      ['equity', 'FY', '2024-03-31', 2_604_998_000_000],
    ],
  ),
  ...statedIn(
    'JP:S100TMMG',
    ['E02367.JP', '2024-06-28', 'JPY/shares'],
    [['eps', 'FY', '2024-03-31', 421.39]],
  ),
  // Annual report of Samsung Electronics on 2022, consolidated; the year before is in its column of comparison.
  ...statedIn(
    'KR:20230307000542',
    ['005930.KS', '2023-03-07', 'KRW'],
    [
      ['revenue', 'FY', '2022-12-31', 302_231_360_000_000],
      ['revenue', 'FY', '2021-12-31', 279_604_799_000_000],
      ['net_income', 'FY', '2022-12-31', 55_654_077_000_000],
      ['assets', 'FY', '2022-12-31', 448_424_507_000_000],
      ['operating_cash_flow', 'FY', '2022-12-31', 62_181_346_000_000],
    ],
  ),
  // Its report on nine months of 2024: the three months, and the year to date.
  ...statedIn(
    'KR:20241114002642',
    ['005930.KS', '2024-11-14', 'KRW'],
    [
      ['revenue', 'Q3', '2024-09-30', 79_098_731_000_000],
      ['revenue_ytd', 'Q3', '2024-09-30', 225_082_634_000_000],
    ],
  ),
  ...statedIn(
    'KR:20250311001085',
    ['005930.KS', '2025-03-11', 'KRW'],
    [['revenue', 'FY', '2024-12-31', 300_870_903_000_000]],
  ),
  // Income statements of TSMC for 2023 and nine months of 2024, in thousands there; by statute due on these days, and
  // 31 March 2024 was a Sunday.
  ...statedIn(
    'TW:2330:2023Q4',
    ['2330.TW', '2024-04-01', 'TWD'],
    [
      ['revenue', 'FY', '2023-12-31', 2_161_735_841_000],
      ['operating_income', 'FY', '2023-12-31', 921_465_606_000],
    ],
  ),
  ...statedIn(
    'TW:2330:2024Q3',
    ['2330.TW', '2024-11-14', 'TWD'],
    [['revenue_ytd', 'Q3', '2024-09-30', 2_025_846_521_000]],
  ),
  // t187ap06_L_ci and t187ap07_L_ci of 17 August 2026 (1150817), second quarter of 2026.
  ...statedIn(
    'TW:2330:2026Q2',
    ['2330.TW', '2026-08-14', 'TWD'],
    [
      ['revenue_ytd', 'Q2', '2026-06-30', 2_404_483_690_000],
      ['net_income_ytd', 'Q2', '2026-06-30', 1_279_041_690_000],
    ],
  ),
  ...statedIn(
    'TW:2330:2026Q2:balance',
    ['2330.TW', '2026-08-14', 'TWD'],
    [['assets', 'Q2', '2026-06-30', 9_375_654_727_000]],
  ),
  // Deposit 1048 of 18 February 2017 at the court 1303: lines FJ, GG, HN, CO, and FJ of the year before.
  ...statedIn(
    'FR:1303-2013D00195-2017-1048-20151231',
    ['483935326.FR', '2017-02-18', 'EUR'],
    [
      ['revenue', 'FY', '2015-12-31', 4_549_159],
      ['revenue', 'FY', '2014-12-31', 4_500_553],
      ['operating_income', 'FY', '2015-12-31', 923_296],
      ['net_income', 'FY', '2015-12-31', 648_828],
      ['assets', 'FY', '2015-12-31', 4_102_554],
    ],
  ),
  // Annual return 420137 of St John Of God Health Care; six months after the year, for the register tells no day: the first
  // working day after 31 December 2025.
  ...statedIn(
    'NZ:000420137',
    ['CC40675.NZ', '2026-01-05', 'AUD'],
    [
      ['revenue', 'FY', '2025-06-30', 2_214_381_000],
      ['net_income', 'FY', '2025-06-30', -25_025_000],
      ['assets', 'FY', '2025-06-30', 1_914_923_000],
    ],
  ),
]

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

async function rowsOf({ ticker, metric, fp, end }: Stated, asOf: string) {
  const path = `/api/v1/fundamentals?ticker=${ticker}&metric=${metric}&as_of=${asOf}`
  const { data } = await ask<FundamentalsList>(path)
  return data.filter(row => row.end === end && row.fp === fp)
}

describe('the shipped sample, served, says what the documents say', () => {
  for (const one of nonEmpty(stated)) {
    const { ticker, metric, fp, end, filed, value, unit, document } = one
    test(`${ticker} ${metric} ${fp} ${end}: ${document}`, async () => {
      expect((await rowsOf(one, filed)).map(row => [row.filed, row.v, row.u])).toEqual([[filed, value, unit]])
      expect(await rowsOf(one, dayBefore(filed))).toEqual([])
      const documents = await server.sql`
        select l.accession from fact f join filing l using (filing_id) join metric m using (metric_id)
        join entity_ticker t on t.entity_id = f.entity_id
        where t.ticker = ${ticker} and m.name = ${metric} and f.period_end = ${end} and f.filed = ${filed}
          and f.value = ${value}`
      expect([...documents]).toEqual([{ accession: document }])
    })
  }

  // Published by the companies themselves: 868.46 billion New Taiwan dollars, 70.46 trillion won.
  test('fourth quarters that no document of the register states are the year less nine months', async () => {
    const quarter = async (ticker: string, end: string) => {
      const { data } = await ask<FundamentalsList>(`/api/v1/fundamentals?ticker=${ticker}&metric=revenue`)
      return data.filter(row => row.end === end && row.fp === 'Q4').map(row => [row.filed, row.v])
    }
    expect(await quarter('2330.TW', '2024-12-31')).toEqual([['2025-03-31', 868_461_178_000]])
    expect(await quarter('005930.KS', '2022-12-31')).toEqual([['2023-03-07', 70_464_575_000_000]])
  })
})

describe('the shipped sample knows a company of every market', () => {
  test('in the coverage index, with figures or without', async () => {
    const index = await ask<CoverageIndex>('/api/v1/fundamentals')
    const known = Object.fromEntries(
      index.markets.map(({ code, entities, first_filed }) => [code, [entities, first_filed]]),
    )
    expect(known).toEqual({
      US: [487, '2009-07-15'],
      JP: [1, '2024-06-28'],
      KR: [1, '2022-05-16'],
      TW: [1, '2023-05-15'],
      FR: [1, '2017-02-18'],
      BE: [1, null],
      DK: [1, null],
      NZ: [1, '2025-01-03'],
    })
  })

  interface Found {
    readonly results: readonly { readonly ticker: string; readonly name: string; readonly market: string }[]
  }
  const searches: readonly (readonly [query: string, ticker: string, name: string])[] = [
    ['任天堂', 'E02367.JP', '任天堂株式会社'],
    ['Nintendo', 'E02367.JP', '任天堂株式会社'],
    ['삼성전자', '005930.KS', '삼성전자'],
    ['samsung electronics', '005930.KS', '삼성전자'],
    ['台積電', '2330.TW', '台積電'],
    ['uci vista', '483935326.FR', 'SELARL UCI VISTA'],
    ['483935326', '483935326.FR', 'SELARL UCI VISTA'],
    ['st john of god', 'CC40675.NZ', 'St John Of God Health Care Incorporated'],
    ['xerius', '0410682657.BE', 'Xerius Sociaal Verzekeringsfonds'],
    ['410682657', '0410682657.BE', 'Xerius Sociaal Verzekeringsfonds'],
    ['ibm danmark', '65305216.DK', 'IBM Danmark ApS'],
    ['65305216', '65305216.DK', 'IBM Danmark ApS'],
  ]
  for (const [query, ticker, name] of searches) {
    test(`searched as ${query}`, async () => {
      const { results } = await ask<Found>(`/api/search?q=${encodeURIComponent(query)}`)
      expect(results[0]).toEqual({ ticker, name, market: ticker.slice(-2).replace('KS', 'KR') })
    })
  }

  interface Check {
    readonly ticker: string
    readonly aliases: readonly string[]
    readonly count: number
    readonly note?: string
  }

  test('of which the Korean one is found under either board, and the answer says that one is assumed', async () => {
    const check = await ask<Check>('/api/v1/coverage/00126380')
    expect([check.ticker, check.aliases]).toEqual(['005930.KS', ['005930.KQ']])
    expect(check.note).toContain('.KS is assumed')
  })

  for (const [ticker, number, reason] of [
    ['0410682657.BE', 'BE0410.682.657', 'Belgian accounts do not say on which day they were deposited.'],
    ['65305216.DK', '65305216', 'Danish reports do not say on which day they were published.'],
  ]) {
    test(`and says of ${ticker} why it has no figures`, async () => {
      const check = await ask<Check>(`/api/v1/coverage/${number}`)
      expect([check.ticker, check.count]).toEqual([ticker, 0])
      expect(check.note).toContain(`${ticker} is registered, but none of its filings with figures`)
      expect(check.note).toContain(reason)
      const list = await ask<FundamentalsList & Check>(`/api/v1/fundamentals?ticker=${ticker}`, 'Bearer demo')
      expect([list.count, list.data]).toEqual([0, []])
      expect(list.note).toContain(reason)
    })
  }
})
