import { expect, test } from 'bun:test'
import { isoDate } from '../../src/dates.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive, sampleOf, vintages } from './derivation.ts'

const apple = derive((await sampleOf('0000320193')).reportedFacts, '0926')
const snowflake = derive((await sampleOf('0001640147')).reportedFacts)
const alphabet = derive((await sampleOf('0001652044')).reportedFacts)
const lpa = derive((await sampleOf('0001997711')).reportedFacts)

// Apple's 10-K of 2009-10-27 (0001193125-09-214859), its 10-K/A of 2010-01-25 (0001193125-10-012091), which
// restates for new revenue rules, and the 10-Q of that day (0001193125-10-012085), whose balance sheet column of
// 2009-09-26 has the same figures.
test('an amendment makes a vintage and its unchanged repeats in later annual reports make none', () => {
  expect(vintages(apple, 'revenue', 2009, 0)).toEqual([
    [36_537_000_000, '2009-10-27', '0001193125-09-214859'],
    [42_905_000_000, '2010-01-25', '0001193125-10-012091'],
  ])
  expect(vintages(apple, 'net_income', 2009, 0)).toEqual([
    [5_704_000_000, '2009-10-27', '0001193125-09-214859'],
    [8_235_000_000, '2010-01-25', '0001193125-10-012091'],
  ])
  expect(vintages(apple, 'assets', 2009, 0)).toEqual([
    [53_851_000_000, '2009-10-27', '0001193125-09-214859'],
    [47_501_000_000, '2010-01-25', '0001193125-10-012085'],
  ])
})

test('a ratio has a vintage for each vintage of its inputs', () => {
  expect(vintages(apple, 'net_margin', 2009, 0)).toEqual([
    [5_704 / 36_537, '2009-10-27', '0001193125-09-214859'],
    [8_235 / 42_905, '2010-01-25', '0001193125-10-012091'],
  ])
})

test('flow-over-stock ratios exist for whole years only', () => {
  for (const derived of [apple, snowflake, alphabet, lpa]) {
    const rows = derived.facts.filter(fact => ['roe', 'roa', 'asset_turnover'].includes(fact.metric))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(fact => fact.fp === 0)).toBe(true)
  }
})

test('a figure that moves between three tags is one fact', () => {
  // 10-K of 2017-11-03 (SalesRevenueNet), 2018-11-05 (Revenues) and 2019-10-31: 229,234 million each time.
  expect(vintages(apple, 'revenue', 2017, 0)).toEqual([
    [229_234_000_000, '2017-11-03', '0000320193-17-000070'],
  ])
})

test('a split that restates earnings per share makes a vintage', () => {
  // 4-for-1 split of August 2020, first in the 10-K of 2020-10-30.
  expect(vintages(apple, 'eps_diluted', 2018, 0)).toEqual([
    [11.91, '2018-11-05', '0000320193-18-000145'],
    [2.98, '2020-10-30', '0000320193-20-000096'],
  ])
})

test('the quarter that annual reports leave out is the year less nine months, filed with the year', () => {
  // FY2023: 383,285 (10-K 0000320193-23-000106) less 293,787 (10-Q 0000320193-23-000077) = 89,498 million.
  expect(vintages(apple, 'revenue', 2023, 4)).toEqual([
    [89_498_000_000, '2023-11-03', '0000320193-23-000106'],
  ])
  expect(vintages(apple, 'revenue_ytd', 2023, 3)[0].slice(0, 2)).toEqual([293_787_000_000, '2023-08-04'])
  expect(
    nonEmpty(apple.facts).some(fact => fact.metric === 'eps' && fact.fp === 4 && fact.tag === null),
  ).toBe(false)
})

test('cash flows reported as year to date give single quarters', () => {
  // Apple's 10-Qs state cash flows from the start of the year only. H1 less Q1 of FY2023: 62,565 - 34,005.
  const [q2] = vintages(apple, 'operating_cash_flow', 2023, 2)
  expect(q2.slice(0, 2)).toEqual([28_560_000_000, '2023-05-05'])
})

test('fiscal years are named after the year they end in, whatever SEC calls them', () => {
  // Snowflake's year ends on 31 January: revenue of FY2021 (2020-02-01 to 2021-01-31), 592,049 thousand.
  expect(vintages(snowflake, 'revenue', 2021, 0)[0]).toEqual([
    592_049_000,
    '2021-03-31',
    '0001640147-21-000073',
  ])
  // Its first report ever is that of the third quarter, before any annual one.
  expect(vintages(snowflake, 'revenue', 2021, 3)[0]).toEqual([
    159_624_000,
    '2020-12-03',
    '0001640147-20-000023',
  ])
})

test('an IFRS filer of 20-F has years, ratios and the vintages of its share count', () => {
  expect(vintages(lpa, 'revenue', 2022, 0)).toEqual([[31_983_567, '2024-04-26', '0001493152-24-016772']])
  expect(vintages(lpa, 'net_margin', 2022, 0)[0][0]).toBe(11_441_233 / 31_983_567)
  // The business combination of March 2024 restates the weighted shares: 0.048 becomes 0.28 a share.
  expect(vintages(lpa, 'eps', 2022, 0)).toEqual([
    [0.048, '2024-04-26', '0001493152-24-016772'],
    [0.28, '2025-04-02', '0001997711-25-000030'],
  ])
})

test('every vintage is followed by the one that supersedes it, and no later than that one was filed', () => {
  for (const derived of [apple, snowflake, alphabet, lpa]) {
    const current = new Map<string, (typeof derived.facts)[number]>()
    // Trailing twelve months end without a successor where their parts no longer belong together.
    for (const fact of nonEmpty(derived.facts.filter(({ fp }) => fp !== 5))) {
      const key = `${fact.metric} ${fact.fp} ${fact.end}`
      const before = current.get(key)
      if (before !== undefined) {
        expect(isoDate(before.superseded ?? 0)).toBe(isoDate(fact.filing.filed))
        expect([before.value, before.unit]).not.toEqual([fact.value, fact.unit])
      }
      current.set(key, fact)
    }
    for (const fact of nonEmpty(current.values())) expect(fact.superseded).toBeNull()
  }
})
