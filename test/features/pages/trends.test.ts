import { expect, test } from 'bun:test'
import {
  barOf,
  compoundGrowthOf,
  growthOf,
  plottedColumns,
  trendOf,
} from '../../../src/http/pages/assets/trends.js'

const usd = (value: number) => ({ value, unit: 'USD', behind: 0 })

test('growth is the change as a share of the earlier figure, and n/a where that would mislead', () => {
  // Apple, revenue of fiscal 2009 and 2008 in the 10-K/A of 2010-01-25.
  expect(growthOf(usd(42_905e6), usd(37_491e6), false)).toEqual({ text: '+14.4%', why: null })
  expect(growthOf(usd(-1), usd(-2), false).text).toBe('+50.0%')
  for (const [latest, before] of [
    [usd(5), usd(-5)],
    [usd(-5), usd(5)],
    [usd(5), usd(0)],
    [null, usd(5)],
    [usd(5), null],
    [usd(5), { value: 4, unit: 'EUR', behind: 0 }],
    // Apple's 4:1 split: 2.97 dollars a share after it, 11.89 before it.
    [usd(2.97), { ...usd(11.89), behind: 1 }],
  ] as const) {
    const { text, why } = growthOf(latest, before, false)
    expect([text, why !== null]).toEqual(['n/a', true])
  }
})

test('the growth of a margin is in percentage points, also across zero', () => {
  const pure = (value: number) => ({ value, unit: 'pure', behind: 0 })
  expect(growthOf(pure(0.25), pure(0.2254), true).text).toBe('+2.5 pp')
  expect(growthOf(pure(0.01), pure(-0.01), true).text).toBe('+2.0 pp')
  expect(growthOf(pure(0.2), pure(0.20001), true).text).toBe('0.0 pp')
})

test('a sparkline runs from the oldest column to the latest, interrupted where there is no figure', () => {
  const context = { label: 'x', labels: ['c', 'b', 'a'], yearBefore: [1, 2, -1], isPercentage: false }
  const points = (path: string) =>
    [...path.matchAll(/([ML])(\d+) (\d+)/g)].map(([, kind, x, y]) => [kind, Number(x), Number(y)])
  expect(points(trendOf([usd(3), usd(2), usd(1)], [2, 1, 0], context).path)).toEqual([
    ['M', 4, 28],
    ['L', 60, 16],
    ['L', 116, 4],
  ])
  expect(points(trendOf([usd(3), null, usd(1)], [2, 1, 0], context).path)).toEqual([
    ['M', 4, 28],
    ['M', 116, 4],
  ])
  expect(trendOf([null, null, null], [2, 1, 0], context)).toMatchObject({ path: '', text: 'n/a' })
  expect(trendOf([usd(3), usd(2), usd(1)], [], context)).toMatchObject({ path: '', text: 'n/a' })
})

test('growth compares the columns that it is told, not neighbours', () => {
  const quarters = {
    label: 'x',
    labels: ['Q1 2010', 'Q4 2009', 'Q3 2009', 'Q2 2009', 'Q1 2009'],
    yearBefore: [4, -1, -1, -1, -1],
    isPercentage: false,
  }
  const cells = [200, 999, 999, 999, 100].map(usd)
  const { text, title } = trendOf(cells, [4, 3, 2, 1, 0], quarters)
  expect(text).toBe('+100.0%')
  expect(title).toContain('from Q1 2009 to Q1 2010')
})

test('a bar has an outline only if its first vintage differs and is in the same unit', () => {
  const first = { value: 24_006, unit: 'USD', title: '24,006 USD, filed 2007-11-15' }
  const cell = { value: 24_578, unit: 'USD', title: '24,578 USD, filed 2010-01-25' }
  expect(barOf(cell, first, 'USD')).toEqual({
    value: 24_578,
    title: '24,578 USD, filed 2010-01-25; first filed: 24,006 USD, filed 2007-11-15',
    ghost: 24_006,
  })
  expect(barOf(cell, { ...first, unit: 'EUR' }, 'USD')).toEqual({ value: 24_578, title: cell.title })
  expect(barOf(cell, { ...first, value: 24_578 }, 'USD')).toEqual({ value: 24_578, title: cell.title })
  expect(barOf(cell, null, 'EUR')).toBeNull()
  expect(barOf(null, first, 'USD')).toBeNull()
})

test('a chart begins and ends with a value, and keeps the gaps between', () => {
  expect(plottedColumns([5, 4, 3, 2, 1, 0], column => [4, 1].includes(column))).toEqual([4, 3, 2, 1])
  expect(plottedColumns([2, 1, 0], () => false)).toEqual([])
})

test('CAGR is the rate that leads from the first figure to the last in so many years', () => {
  // Apple, revenue as first filed: fiscal 2015 to 2019, in millions of dollars (10-Ks of 2015-10-28 to 2019-10-31).
  const revenue = [260_174, 265_595, 229_234, 215_639, 233_715]
  const chain = [1, 2, 3, 4, -1]
  const all = () => true
  const found = compoundGrowthOf(revenue.map(usd), 0, chain, all)
  expect([found?.column, found?.years]).toEqual([4, 4])
  // A plain loop: growing every year by the rate leads from the first figure to the last.
  let grown = 233_715
  for (let year = 0; year < 4; year++) grown *= 1 + (found?.percent ?? Number.NaN) / 100
  expect(grown).toBeCloseTo(260_174, 6)
  // Only periods that are shown, that have a figure above zero, and that can be compared.
  expect(compoundGrowthOf(revenue.map(usd), 0, chain, column => column < 3)?.years).toBe(2)
  expect(compoundGrowthOf([usd(4), usd(2), usd(1), usd(-1), usd(0)], 0, chain, all)).toEqual({
    column: 2,
    years: 2,
    percent: 100,
  })
  expect(compoundGrowthOf([usd(4), null, usd(1), null, null], 0, chain, all)?.percent).toBe(100)
  expect(compoundGrowthOf([usd(4), usd(2), { ...usd(1), behind: 1 }, null, null], 0, chain, all)).toBeNull()
  expect(compoundGrowthOf([usd(4), usd(2), { ...usd(1), unit: 'EUR' }, null, null], 0, chain, all)).toBeNull()
  expect(compoundGrowthOf([usd(-4), usd(2), usd(1), null, null], 0, chain, all)).toBeNull()
  // A missing year in the chain of periods ends it.
  expect(compoundGrowthOf(revenue.map(usd), 0, [1, -1, 3, 4, -1], all)).toBeNull()
  const context = { label: 'Revenue', labels: ['2019', '2018', '2017', '2016', '2015'], yearBefore: chain }
  const cells = [4, 3, 2, 2, 0.25].map(usd)
  expect(trendOf(cells, [4, 3, 2, 1, 0], { ...context, isPercentage: false }).title).toBe(
    'Plot Revenue: +33.3% from 2018 to 2019; CAGR +100.0% over 4 years from 2015',
  )
  expect(trendOf(cells, [4, 3, 2, 1, 0], { ...context, isPercentage: true }).title).not.toContain('CAGR')
})
