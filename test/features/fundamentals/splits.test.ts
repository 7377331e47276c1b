import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { sheetOf } from '../../../src/features/fundamentals/sheet.ts'
import { splitEvidence } from '../../../src/features/fundamentals/splitQueries.ts'
import { ratioOf, simplestFraction, statedCount } from '../../../src/features/fundamentals/splitRatios.ts'
import { detectSplits, type Evidence } from '../../../src/features/fundamentals/splits.ts'
import { tableOf } from '../../../src/features/fundamentals/table.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { readJson } from '../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { allYears, entityIdOf } from '../companies/fixtures.ts'
import { readStored } from './readStored.ts'

const folder = sharedPath('registers/us/companyfacts')

describe.if(folder !== null)('splits of the real companyfacts of Apple and Alphabet', () => {
  let database: TestDatabase
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    database = await testDatabase()
    for (const [name, file] of [
      ['AAPL', 'CIK0000320193.json'],
      ['GOOGL', 'CIK0001652044.json'],
      ['LPA', 'CIK0001997711_lpa_ifrs.json'],
    ]) {
      const { parsed } = readJson(await Bun.file(`${folder}/${file}`).json(), file)
      await importFacts(database.sql, [{ parsed }], {
        source: 'test',
        rules: usRegister.rules,
        observedOn: 0,
      })
      const issuerId = file.slice(3, 13)
      const [{ ticker }] = await database.sql<{ ticker: string }[]>`
        select ticker from entity where issuer_id = ${issuerId}`
      ids[name] = ticker
    }
  }, 240_000)
  afterAll(() => database.close(), 60_000)

  const read = (name: string, query: Omit<FundamentalsQuery, 'ticker'>) =>
    readStored(database.sql, { ticker: ids[name], adjust: 'splits', ...query })
  const splits = async (name: string, as_of: string) =>
    (await read(name, { as_of })).splits?.map(split => Object.values(split).join(' '))

  test('7:1 of 2014, 4:1 of 2020 and 20:1 of 2022, each from the day of the 10-Q or 10-K that first shows it', async () => {
    expect(await splits('AAPL', '2014-07-22')).toEqual([])
    expect(await splits('AAPL', '2014-07-23')).toEqual(['7 1 2014-07-23 0001193125-14-277160'])
    expect(await splits('AAPL', '2020-10-29')).toEqual(['7 1 2014-07-23 0001193125-14-277160'])
    expect(await splits('AAPL', '2026-11-20')).toEqual([
      '7 1 2014-07-23 0001193125-14-277160',
      '4 1 2020-10-30 0000320193-20-000096',
    ])
    expect(await splits('GOOGL', '2022-07-26')).toEqual([])
    expect(await splits('GOOGL', '2026-11-20')).toEqual(['20 1 2022-07-27 0001652044-22-000071'])
  })

  test('an exchange of shares at a merger is none, whatever fraction its rounded counts fit', async () => {
    // 28.6 million shares became 168,142,740; the cover of 2024-03-28 (0001213900-24-027206) counts 31,709,747.
    expect(await splits('LPA', '2026-11-20')).toEqual([])
    const { data } = await read('LPA', {
      metric: 'shares_outstanding',
      fp: 'FY',
      fy: '2023',
      as_of: '2026-11-20',
    })
    expect(data.map(({ v }) => v)).toContain(31_709_747)
    expect(data.every(row => row.split_factor === 1)).toBe(true)
  })

  test('a row is adjusted by what is first shown after its own filing and by as_of', async () => {
    const eps = async (as_of: string, fy: string) =>
      (await read('AAPL', { as_of, fy, fp: 'FY', metric: 'eps_diluted', vintage: 'latest' })).data.map(
        ({ v, split_factor }) => [v, split_factor],
      )
    expect(await eps('2020-10-29', '2017')).toEqual([[9.21, 1]])
    expect(await eps('2020-10-30', '2017')).toEqual([[9.21 / 4, 4]])
    // 10-K 0000320193-20-000096 states it after the split, as 2.98.
    expect(await eps('2020-10-30', '2018')).toEqual([[2.98, 1]])
    // 27.68 of the 10-K of 2011: both splits came later, and no filing restates it.
    expect(await eps('2014-07-22', '2011')).toEqual([[27.68, 1]])
    expect(await eps('2014-07-23', '2011')).toEqual([[27.68 / 7, 7]])
    expect(await eps('2026-11-20', '2011')).toEqual([[27.68 / 28, 28]])
    const revenue = await read('AAPL', { fy: '2011', fp: 'FY', metric: 'revenue' })
    expect(nonEmpty(revenue.data).every(row => !('split_factor' in row))).toBe(true)
  })

  test('adjusted, the share counts of 2013 and 2014 are of one size', async () => {
    const { data } = await read('AAPL', {
      metric: 'shares_diluted',
      fp: 'FY',
      vintage: 'first',
      as_of: '2019-12-31',
    })
    const of = (year: number) => data.find(({ fy }) => fy === year)?.v ?? 0
    expect(of(2013) / of(2014)).toBeGreaterThan(1)
    expect(of(2013) / of(2014)).toBeLessThan(1.1)
  })

  test('as of a day there are the splits that the filings up to it alone show', async () => {
    for (const name of ['AAPL', 'GOOGL']) {
      const entityId = await entityIdOf(database.sql, ids[name])
      const plan = {
        entityId,
        metrics: null,
        from: null,
        fps: null,
        years: null,
        checks: null,
        fields: [],
        vintage: 'all',
      } as const
      const evidence = (asOf: string) =>
        splitEvidence(database.sql, { ...plan, asOf, recentFiscalYearOnly: allYears })
      const all = await evidence('2026-11-20')
      const found = detectSplits(all)
      for (let day = '2010-01-01'; day < '2026-01-01'; day = addDays(day, 97)) {
        const known = found.filter(({ filed }) => filed <= day)
        expect(detectSplits(await evidence(day))).toEqual(known)
        expect(detectSplits(all.filter(({ filed }) => filed <= day))).toEqual(known)
      }
    }
  }, 180_000)

  test('every format names the factor, and a table of periods has the same figures', async () => {
    const query = { metric: 'eps_diluted,revenue', fp: 'FY', fy: '2016..2018', as_of: '2020-12-31' } as const
    const list = await read('AAPL', { ...query, vintage: 'latest' })
    const columns = sheetOf({ view: 'history', adjust: 'splits', fields: [] })
    const csv = Buffer.from(await encodeList('csv', columns, list)).toString()
    const cells = csv.split('\r\n').map(line => line.split(',').at(-1))
    expect(cells).toEqual(['split_factor', '4', '4', '1', '', '', '', ''].slice(0, cells.length))
    const table = tableOf(await read('AAPL', { ...query, layout: 'wide' }), ['eps_diluted', 'revenue'])
    expect(table.data.map(row => row.eps_diluted)).toEqual([8.31 / 4, 9.21 / 4, 2.98])
    expect(table.splits).toEqual(list.splits)
  })
})

const vintage = (metric: string, filed: string, value: number, end = '2019-12-31'): Evidence => ({
  metric,
  kind: metric === 'net_income' ? 'profit' : metric.startsWith('eps') ? 'perShare' : 'count',
  end,
  fp: 0,
  filed,
  accession: filed,
  value,
})
const before = [
  vintage('net_income', '2020-02-01', 90e6),
  vintage('eps', '2020-02-01', 3),
  vintage('shares_basic', '2020-02-01', 30_000_000),
]

describe('a split', () => {
  test('in reverse, of three for two, and one on top of another', () => {
    const after = (eps: number, shares: number, filed = '2021-02-01') => [
      vintage('eps', filed, eps),
      vintage('shares_basic', filed, shares),
    ]
    const shown = (...rows: Evidence[]) =>
      detectSplits([...before, ...rows]).map(split => `${split.numerator}:${split.denominator}`)
    expect(shown(...after(30, 3_000_000))).toEqual(['1:10'])
    expect(shown(...after(2, 45_000_000))).toEqual(['3:2'])
    expect(shown(...after(1.5, 60_000_000), ...after(0.5, 180_000_000, '2022-02-01'))).toEqual(['2:1', '3:1'])
    // A later filing restates what the first one left out. That is not a second split.
    const late = vintage('shares_diluted', '2020-02-01', 31_000_000)
    expect(
      detectSplits([
        ...before,
        late,
        ...after(1.5, 60_000_000),
        vintage('shares_diluted', '2022-02-01', 62_000_000),
      ]),
    ).toHaveLength(1)
  })

  test('is none where a count or a figure per share changes alone, profit changes, or the two disagree', () => {
    const none = (...rows: Evidence[]) => expect(detectSplits([...before, ...rows])).toEqual([])
    const day = '2021-02-01'
    none(vintage('shares_basic', day, 60_000_000))
    none(vintage('eps', day, 1.5))
    none(vintage('net_income', day, 45e6), vintage('eps', day, 1.5), vintage('shares_basic', day, 60_000_000))
    none(vintage('eps', day, 1.2), vintage('shares_basic', day, 60_000_000))
    none(vintage('eps', day, 2.98), vintage('shares_basic', day, 30_200_000))
  })

  test('has the smallest terms that the rounding allows', async () => {
    await fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 200_000, max: 9_000_000 }),
        fc.boolean(),
        (small, more, thousands, isReverse) => {
          const large = small + more
          const [p, q] = isReverse ? [small, large] : [large, small]
          const before = thousands * 1_000
          const after = Math.round((thousands * p) / q) * 1_000
          const ratio = ratioOf(statedCount(after), statedCount(before), 1)
          const found = simplestFraction(ratio)
          if (small > 1 && large / small > 5) return
          if (Math.max(p / q, q / p) < 1.04 || (ratio.low <= 1 && 1 <= ratio.high)) return
          if (found === null) throw new Error(`${p}:${q} is not found`)
          const { numerator, denominator } = found
          expect(numerator / denominator).toBeWithin(ratio.low, ratio.high * (1 + 1e-12))
          expect(Math.min(numerator, denominator)).toBeLessThanOrEqual(Math.min(p, q))
        },
      ),
    )
  })
})
