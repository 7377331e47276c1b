import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { VintageChoice } from '../../../src/backtest/requestCompare.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { companyDeps, insertEntity, insertVintages, rightsOf } from '../companies/fixtures.ts'
import { archiveOfNames, everyDay, type Scored, scoresOf } from './scores.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
}, 180_000)
afterAll(() => database.close(), 60_000)

interface Ask {
  readonly from: string
  readonly to: string
  readonly metric: string
  readonly unit?: string
  readonly maxAgeDays?: number
  readonly names?: readonly string[]
}

function scores({ from, to, metric, unit = 'USD', maxAgeDays = 550, names = ['AAPL'] }: Ask) {
  const archive = archiveOfNames(everyDay(from, to), names)
  return scoresOf(database.sql, archive, { market: 'US', metric, unit, maxAgeDays })
}

/** The days on which a name's score is another than on the day before. */
function changes(rows: readonly Scored[]): [string, number | null][] {
  return rows.filter((row, i) => i === 0 || row.score !== rows[i - 1].score).map(row => [row.date, row.score])
}

describe('the scores of the shipped filings', () => {
  // Revenue of fiscal 2009: 36,537 million in 10-K 0001193125-09-214859 (2009-10-27), 42,905 million in 10-K/A
  // 0001193125-10-012091 (2010-01-25); of fiscal 2010 65,225 million in 10-K 0001193125-10-238044 (2010-10-27).
  test('are those of the day after their filing', async () => {
    const rows = await scores({ from: '2009-10-20', to: '2010-11-01', metric: 'revenue' })
    expect(changes(rows)).toEqual([
      ['2009-10-20', null],
      ['2009-10-28', 36_537e6],
      ['2010-01-26', 42_905e6],
      ['2010-10-28', 65_225e6],
    ])
  })

  // Equity at the end of fiscal 2009: 27,832 million at first, 31,640 million as amended; net income 5,704 and 8,235. The
  // 10-Q of the amendment's day states the amended equity, too.
  test('are ratios as they were known', async () => {
    const rows = await scores({ from: '2009-10-27', to: '2010-02-01', metric: 'roe', unit: 'pure' })
    expect(changes(rows)).toEqual([
      ['2009-10-27', null],
      ['2009-10-28', 5_704 / 27_832],
      ['2010-01-26', 8_235 / 31_640],
    ])
  })

  // Fiscal 2009 ended on 2009-09-26; fiscal 2010 was filed 396 days later, on 2010-10-27.
  test('end when the fiscal year has ended too many days before', async () => {
    const rows = await scores({ from: '2010-01-20', to: '2010-11-01', metric: 'revenue', maxAgeDays: 200 })
    expect(changes(rows)).toEqual([
      ['2010-01-20', 36_537e6],
      ['2010-01-26', 42_905e6],
      [isoDate(dayNumber('2009-09-26') + 201), null],
      ['2010-10-28', 65_225e6],
    ])
  })

  // Alphabet's first 10-K, 0001652044-16-000012 of 2016-02-11: net income 16,348 and equity 120,331 million.
  test('are the same for each ticker of a company, and none for a name that is none of the register’s', async () => {
    const names = ['GOOG', 'GOOGL:US', 'AAPL.X']
    const rows = await scores({ from: '2016-02-11', to: '2016-02-12', metric: 'roe', unit: 'pure', names })
    const roe = 16_348 / 120_331
    expect(rows.map(({ date, asset, score }) => [date, asset, score])).toEqual([
      ['2016-02-11', 'AAPL.X', null],
      ['2016-02-11', 'GOOG', null],
      ['2016-02-11', 'GOOGL:US', null],
      ['2016-02-12', 'AAPL.X', null],
      ['2016-02-12', 'GOOG', roe],
      ['2016-02-12', 'GOOGL:US', roe],
    ])
  })

  test('are none in another currency than the market’s', async () => {
    const rows = await scores({ from: '2010-02-01', to: '2010-02-02', metric: 'revenue', unit: 'EUR' })
    expect(rows.map(({ score }) => score)).toEqual([null, null])
  })

  test('are what view=latest answers with as_of the day before', async () => {
    const names = ['AAPL', 'GOOG', 'LPA', 'SNOW']
    const days = Array.from({ length: 180 }, (_, i) => dayNumber('2009-07-01') + 37 * i)
    const wanted = { market: 'US', metric: 'roe', unit: 'pure', maxAgeDays: 3_660 }
    const deps = companyDeps(database.sql, { today: () => '2030-01-01' })
    const expected: Scored[] = []
    for (const day of days) {
      for (const ticker of names) {
        const query = { ticker, metric: 'roe', view: 'latest', as_of: isoDate(day - 1) } as const
        const plan = await planCompany(deps, rightsOf('personal'), query)
        const [row] = (await readCompany(deps, plan)).data
        expected.push({ date: isoDate(day), asset: ticker, score: row?.v ?? null })
      }
    }
    expect(expected.filter(({ score }) => score !== null).length).toBeGreaterThan(300)
    expect(await scoresOf(database.sql, archiveOfNames(days, names), wanted)).toEqual(expected)
  })
})

test('a year filed before its end ranks no company, and the year before still does', async () => {
  const { sql } = database
  const slip = { market: 'US', issuerId: '0000000009', ticker: 'SLIP', name: null }
  await insertVintages(sql, await insertEntity(sql, slip), [
    ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2010-02-01', 5e6, 's-1'],
    ['revenue', 0, 2101, '2101-01-01', '2101-12-31', '2010-03-01', 6e6, 's-2'],
  ])
  const rows = await scores({ from: '2010-01-31', to: '2010-03-05', metric: 'revenue', names: ['SLIP'] })
  expect(changes(rows)).toEqual([
    ['2010-01-31', null],
    ['2010-02-02', 5e6],
  ])
})

describe('other choices of vintages', () => {
  const revenue = (from: string, to: string, vintages: VintageChoice, names: readonly string[]) =>
    scoresOf(database.sql, archiveOfNames(everyDay(from, to), names), {
      ...{ market: 'US', metric: 'revenue', unit: 'USD', maxAgeDays: 550 },
      vintages,
    })

  // Apple's fiscal 2009 ended on 2009-09-26, fiscal 2010 on 2010-09-25. The filings are those above.
  test('show the first and the last figures of the shipped filings', async () => {
    const first = await revenue('2009-10-20', '2010-11-01', 'first_filed', ['AAPL'])
    expect(changes(first)).toEqual([
      ['2009-10-20', null],
      ['2009-10-28', 36_537e6],
      ['2010-10-28', 65_225e6],
    ])
    const final = await revenue('2009-09-20', '2010-11-01', 'final', ['AAPL'])
    expect(changes(final).slice(-2)).toEqual([
      ['2009-09-27', 42_905e6],
      ['2010-09-26', 65_225e6],
    ])
  })

  test('show no report that falls due after the day of the data version', async () => {
    const { sql } = database
    const due = { market: 'US', issuerId: '0000000010', ticker: 'DUE', name: null }
    await insertVintages(sql, await insertEntity(sql, due), [
      ['revenue', 0, 2014, '2014-01-01', '2014-12-31', '2015-02-01', 1e6, 'd-1'],
      ['revenue', 0, 2014, '2014-01-01', '2014-12-31', '2101-02-01', 2e6, 'd-2'],
      ['revenue', 0, 2015, '2015-01-01', '2015-12-31', '2101-02-01', 3e6, 'd-3'],
    ])
    expect(changes(await revenue('2014-12-30', '2016-01-10', 'final', ['DUE']))).toEqual([
      ['2014-12-30', null],
      ['2015-01-01', 1e6],
    ])
  })
})
