import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { CrossSection } from '../../src/features/crossSection/schema.ts'
import type { FundamentalsList } from '../../src/features/fundamentals/schema.ts'
import type { RestatementList } from '../../src/features/restatements/schema.ts'
import { readSample } from '../../src/ingest/sample/loadSample.ts'
import { sellKey } from './callers.ts'
import { type RealServer, realServer } from './realServer.ts'

setDefaultTimeout(180_000)

const day = '2010-03-31'
let server: RealServer
let key: string
beforeAll(async () => {
  server = await realServer({ today: () => '2026-11-20' })
  key = await sellKey(server.sql)
}, 120_000)
afterAll(() => server.stop(), 60_000)

async function ask<Answer>(path: string, who = key): Promise<Answer> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { Authorization: `Bearer ${who}` },
  })
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as Answer
}

const crossSection = (metric: string, bounds = `fp=FY&as_of=${day}`, who = key) =>
  ask<CrossSection>(`cross-section?metric=${metric}&market=US&limit=1000&${bounds}`, who)

const restatements = (metric: string) =>
  ask<RestatementList>(`restatements?metric=${metric}&market=US&limit=1000&as_of=${day}`)

const billion = 1_000_000_000

describe('the US companies of the sample as of 2010-03-31', () => {
  // The first by revenue in dollars: the annual reports that num.txt of the set 2010q1 has.
  test('are hundreds, ranked by revenue as their annual reports say', async () => {
    const { data } = await crossSection('revenue')
    expect(data.length).toBeGreaterThan(350)
    expect(data.every(row => row.filed <= day)).toBe(true)
    const ranking = data.filter(row => row.unit === 'USD').toSorted((a, b) => b.value - a.value)
    expect(ranking.slice(0, 5).map(row => [row.ticker, row.value / billion, row.end])).toEqual([
      ['WMT', 408.214, '2010-01-31'], // 0001193125-10-071652
      ['CVX', 171.636, '2009-12-31'], // 0000950123-10-016846
      ['GE', 156.783, '2009-12-31'], // 0000040545-10-000010
      ['COP', 149.341, '2009-12-31'], // 0000950123-10-017187
      ['T', 123.018, '2009-12-31'], // 0000732717-10-000013
    ])
  })

  test('have ratios to rank by and restatements to look at', async () => {
    for (const metric of ['roe', 'net_margin', 'debt_to_equity', 'asset_turnover'])
      expect((await crossSection(metric)).data.length).toBeGreaterThan(200)
    const restated = await Promise.all(
      ['revenue', 'net_income', 'equity', 'assets', 'cash'].map(restatements),
    )
    const companies = new Set(restated.flatMap(({ data }) => data.map(row => row.ticker)))
    expect(companies.size).toBeGreaterThan(40)
    // AES: 8-K 0001193125-09-191566 of 2009-09-15 and 10-K 0001193125-10-041006 of 2010-02-26, after businesses were sold.
    const ofAes = restated[0].data.filter(row => row.ticker === 'AES')
    expect(ofAes.map(row => [row.fy, row.value_before / 1e6, row.value / 1e6, row.filed])).toEqual([
      [2007, 13_516, 13_014, '2010-02-26'],
      [2008, 16_070, 15_358, '2010-02-26'],
    ])
  })

  test('are there for the demo key, too, with their most recent year and without as_of', async () => {
    const { data, note } = await crossSection('revenue', 'fp=FY', 'demo')
    expect(data.length).toBeGreaterThan(350)
    expect(note).toContain('most recent reported fiscal year')
  })
})

/** Lines of num.txt of the set 2010q1 with qtrs 4 or 0, without segment and co-registrant. */
const stated = [
  ['WMT', '0001193125-10-071652', '2010-03-30', '2010-01-31', 'revenue', 408_214_000_000],
  ['WMT', '0001193125-10-071652', '2010-03-30', '2010-01-31', 'net_income', 14_335_000_000],
  ['WMT', '0001193125-10-071652', '2010-03-30', '2010-01-31', 'operating_cash_flow', 26_249_000_000],
  ['WMT', '0001193125-10-071652', '2010-03-30', '2010-01-31', 'eps_diluted', 3.7],
  ['IBM', '0001047469-10-001151', '2010-02-23', '2009-12-31', 'revenue', 95_758_000_000],
  ['IBM', '0001047469-10-001151', '2010-02-23', '2009-12-31', 'liabilities', 86_267_000_000],
  ['IBM', '0001047469-10-001151', '2010-02-23', '2009-12-31', 'eps_diluted', 10.01],
  ['CVX', '0000950123-10-016846', '2010-02-25', '2009-12-31', 'net_income', 10_483_000_000],
  ['CVX', '0000950123-10-016846', '2010-02-25', '2009-12-31', 'capital_expenditure', 19_843_000_000],
  ['BA', '0001193125-10-024406', '2010-02-08', '2009-12-31', 'operating_income', 2_096_000_000],
  ['BA', '0001193125-10-024406', '2010-02-08', '2009-12-31', 'equity', 2_128_000_000],
  ['F', '0001157523-10-001218', '2010-02-25', '2009-12-31', 'equity', -7_820_000_000],
  ['F', '0001157523-10-001218', '2010-02-25', '2009-12-31', 'assets', 194_850_000_000],
] as const

test.each(stated)(
  '%s: %s of %s says of %s: %s is %d',
  async (ticker, accession, filed, end, metric, value) => {
    const path = `fundamentals?ticker=${ticker}&metric=${metric}&fp=FY&vintage=latest&fields=accession&as_of=`
    const rows = async (asOf: string) =>
      (await ask<FundamentalsList>(path + asOf)).data
        .filter(row => row.end === end)
        .map(row => [row.accession, row.filed, row.v])
    expect(await rows(filed)).toEqual([[accession, filed, value]])
    expect(await rows(filed === '2010-02-08' ? '2010-02-07' : '2010-02-20')).toEqual([])
  },
)

test('README.md names as many companies as the sample has', async () => {
  const readme = await Bun.file(new URL('../../README.md', import.meta.url)).text()
  const named = /\((\d+) companies: (\d+) from eight markets, and (\d+) from the United States/.exec(
    readme.replaceAll(/\s+/g, ' '),
  )
  const companies = await readSample()
  const others = companies.filter(
    ({ profile, reportedFacts }) =>
      profile.market === 'US' &&
      reportedFacts.every(({ filing }) => filing.filed < Date.UTC(2010, 3) / 86_400_000),
  )
  expect(named?.slice(1).map(Number)).toEqual([
    companies.length,
    companies.length - others.length,
    others.length,
  ])
})
