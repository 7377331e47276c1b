import { describe, expect, test } from 'bun:test'
import { dayNumber } from '../../src/dates.ts'
import {
  addBalanceReport,
  type BalanceCheck,
  balanceChecks,
  checkBalances,
  emptyBalanceReport,
  type FailedCheck,
} from '../../src/facts/balanceChecks.ts'
import type { MetricRules } from '../../src/facts/metricRules.ts'
import type { ParsedDocument, ReportedFact } from '../../src/facts/reportedFact.ts'
import { dkRegister } from '../../src/ingest/registers/dk/register.ts'
import { readReport } from '../../src/ingest/registers/dk/reports.ts'
import { nzRegister } from '../../src/ingest/registers/nz/register.ts'
import { readReturns as readNz } from '../../src/ingest/registers/nz/returns.ts'
import { readJson as readUs } from '../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { sharedPath } from '../shared.ts'
import { sampleOf } from './derivation.ts'

const balance = 'assets = liabilities + equity'
const gross = 'gross_profit = revenue - cost_of_revenue'

function check(documents: readonly ParsedDocument[], rules: MetricRules) {
  const report = emptyBalanceReport()
  for (const document of documents) checkBalances(document, rules, report)
  return report
}

const usFixture = async (name: string) =>
  readUs(await Bun.file(new URL(`../ingest/registers/us/fixtures/${name}`, import.meta.url)).json(), name)
    .parsed

/** The same with one figure of one filing changed. */
function planted(
  documents: readonly ParsedDocument[],
  accession: string,
  metric: string,
  end: string,
  by: number,
): ParsedDocument[] {
  let changed = 0
  const result = documents.map(document => ({
    ...document,
    reportedFacts: document.reportedFacts.map(reported => {
      const isIt =
        reported.metric === metric &&
        reported.filing.accession === accession &&
        reported.end === dayNumber(end)
      if (!isIt) return reported
      changed++
      return { ...reported, value: reported.value + by }
    }),
  }))
  expect(changed).toBeGreaterThan(0)
  return result
}

describe('real figures add up', () => {
  test('Apple, fiscal 2009 as first filed and as amended', async () => {
    // 0001193125-09-214859: 53,851 = 26,019 + 27,832. 0001193125-10-012091: 47,501 = 15,861 + 31,640; 17,222 = 42,905 - 25,683.
    const apple = [await sampleOf('0000320193')]
    const { counts, examples } = check(apple, usRegister.rules)
    expect(counts[balance].checked).toBeGreaterThan(0)
    expect(counts[gross].checked).toBeGreaterThan(0)
    expect([counts[balance].broken, counts[balance].open, counts[gross].broken]).toEqual([0, 0, 0])
    expect(examples).toEqual([])
  })

  test('LPA, under IFRS: equity is the whole of it', async () => {
    const { counts } = check(await usFixture('companyfacts-lpa.json'), usRegister.rules)
    expect(counts[balance].checked).toBeGreaterThan(0)
    expect(counts[balance]).toMatchObject({ broken: 0, open: 0 })
  })

  const nz = sharedPath('registers/nz/TestFinancialCharityData.json')
  test.skipIf(nz === null)('17 returns of a charity', async () => {
    const { counts } = check(readNz(await Bun.file(`${nz}`).json()).parsed, nzRegister.rules)
    expect(counts[balance]).toMatchObject({ broken: 0, open: 0 })
    expect(counts[balance].checked).toBeGreaterThan(0)
  })
})

describe('a planted error is reported', () => {
  test('in an amended balance of Apple', async () => {
    const apple = [await sampleOf('0000320193')]
    const accession = '0001193125-10-012091'
    const wrong = planted(apple, accession, 'liabilities', '2009-09-26', 2_000_000)
    const expected: FailedCheck = {
      check: balance,
      market: 'US',
      issuerId: '0000320193',
      start: null,
      end: '2009-09-26',
      accession,
      difference: -2_000_000,
      unit: 'USD',
    }
    expect(check(wrong, usRegister.rules).examples).toEqual([expected])
  })

  test('and in its gross profit', async () => {
    const apple = [await sampleOf('0000320193')]
    const wrong = planted(apple, '0001193125-10-012091', 'gross_profit', '2009-09-26', 10_000_000)
    const { examples } = check(wrong, usRegister.rules)
    expect(examples.map(({ check, difference }) => [check, difference])).toEqual([[gross, 10_000_000]])
  })

  test('more assets than US GAAP equity and liabilities may be minority interests: open. Under IFRS they may not', async () => {
    const apple = [await sampleOf('0000320193')]
    const more = planted(apple, '0001193125-10-012091', 'assets', '2009-09-26', 2_000_000)
    expect(check(more, usRegister.rules).counts[balance]).toMatchObject({ broken: 0, open: 1 })
    const lpa = await usFixture('companyfacts-lpa.json')
    const one = lpa[0].reportedFacts.find(({ metric }) => metric === 'assets')
    if (one === undefined) throw new Error('LPA reports assets')
    const end = new Date(one.end * 86_400_000).toISOString().slice(0, 10)
    const wrong = planted(lpa, one.filing.accession, 'assets', end, 2_000_000)
    expect(check(wrong, usRegister.rules).counts[balance]).toMatchObject({ broken: 1, open: 0 })
  })
})

describe('tolerance is the rounding of the terms', () => {
  const filing = { accession: 'a', form: '10-K', filed: 20_000, acceptedAt: null }
  const document = (values: Record<string, number>): ParsedDocument => ({
    profile: { market: 'US', issuerId: '1', registers: true },
    filings: [],
    reportedFacts: Object.entries(values).map(
      ([metric, value]): ReportedFact => ({
        metric,
        tag: `ifrs-full:${metric}`,
        unit: 'USD',
        start: null,
        end: 19_000,
        value,
        rounded: false,
        filing,
      }),
    ),
  })
  const broken = (assets: number, liabilities: number, equity: number) =>
    check([document({ assets, liabilities, equity })], usRegister.rules).counts[balance].broken
  test.each([
    [100e6, 60e6, 39e6, 0], // in millions: each may be off by half of one
    [100e6, 60e6, 38e6, 1],
    [100_000_001, 60e6, 39e6, 1], // in units
    [11, 6, 6, 0],
    [11, 6, 7, 1],
    [10.01, 5, 5, 0],
    [10.02, 5, 5, 1],
    [0, 0, 0, 0],
    [-5, 5, -10, 0],
  ])('%p = %p + %p', (assets, liabilities, equity, expected) => {
    expect(broken(assets, liabilities, equity)).toBe(expected)
  })

  test('nothing is checked where a term is missing', () => {
    expect(check([document({ assets: 5, equity: 3 })], usRegister.rules).counts[balance].checked).toBe(0)
  })
})

const dkFolder = sharedPath('registers/dk/xbrl')
describe.skipIf(dkFolder === null)('Danish reports', () => {
  const checkReport = async (name: string) =>
    check(readReport(await Bun.file(`${dkFolder}/${name}`).text(), name).parsed, dkRegister.rules)

  test('provisions come on top of liabilities (IBM Danmark 2020: 4,545,803 = 3,091,968 + 477,982 + 975,853)', async () => {
    expect((await checkReport('exitplanner_report1.xml')).counts[balance]).toEqual({
      checked: 2,
      broken: 0,
      open: 0,
    })
  })
  test('so do minority interests; provisions without a total leave the check open (Miracle, 2016: 598,890)', async () => {
    expect((await checkReport('miracle.xml')).counts[balance]).toEqual({ checked: 2, broken: 0, open: 1 })
  })
  test('liabilities that contain provisions despite their name are reported (Capgemini Sogeti 2015: 681,000)', async () => {
    const { examples } = await checkReport('capgemini.xml')
    expect(examples.map(({ end, difference }) => [end, difference])).toEqual([['2015-12-31', -681_000]])
  })
  test('liabilities without those of assets held for sale are reported (Ørsted, 30 September 2019: 4,991 million)', async () => {
    const { examples } = await checkReport('orsted_2019Q4.xml')
    expect(examples.map(({ end, difference }) => [end, difference])).toContainEqual([
      '2019-09-30',
      4_991_000_000,
    ])
  })
})

const failed = (check: BalanceCheck, accession: string): FailedCheck => ({
  check,
  accession,
  market: 'DK',
  issuerId: '1',
  start: null,
  end: '2014-12-31',
  difference: 1,
  unit: 'DKK',
})

test('counts add up, and of each check the examples of the first import that has any are used', () => {
  const all = emptyBalanceReport()
  const [balance, gross] = balanceChecks
  const first = emptyBalanceReport()
  first.counts[balance] = { checked: 3, broken: 1, open: 1 }
  first.examples.push(failed(balance, 'a'))
  const second = emptyBalanceReport()
  second.counts[balance] = { checked: 2, broken: 1, open: 0 }
  second.counts[gross] = { checked: 5, broken: 1, open: 0 }
  second.examples.push(failed(balance, 'b'), failed(gross, 'c'))
  addBalanceReport(all, first)
  addBalanceReport(all, second)
  expect(all.counts).toEqual({
    [balance]: { checked: 5, broken: 2, open: 1 },
    [gross]: { checked: 5, broken: 1, open: 0 },
  })
  expect(all.examples.map(({ accession }) => accession)).toEqual(['a', 'c'])
})
