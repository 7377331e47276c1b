import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { filedVintages, type StatedContent } from '../../../src/features/audits/filedVintages.ts'
import type { FigureContext, ReportedFigure } from '../../../src/wholeFilings/wholeFiling.ts'

const instant = (end: number): FigureContext => ({ start: null, end, quarters: null, dimensions: [] })

const figure = (value: number, change: Partial<ReportedFigure> = {}): ReportedFigure => ({
  concept: 'us-gaap:InventoryNet',
  context: instant(90),
  unit: 'USD',
  decimals: null,
  value: String(value),
  ...change,
})

const content = (
  order: number,
  since: number,
  figures: readonly ReportedFigure[],
  change: Partial<StatedContent> = {},
): StatedContent => ({
  order,
  since,
  accession: `${order}@${since}`,
  source: 'documents',
  figures,
  ...change,
})

const shown = (contents: readonly StatedContent[], currency: string | null = null) =>
  filedVintages(contents, currency).map(({ kind, end, filed, until, unit, value, accession }) =>
    [kind, end, filed, until === 0x7fff_ffff ? 'current' : until, value, unit, accession].join(' '),
  )

test('a value lasts until a later filing states another one; a repetition or a rounded one changes nothing', () => {
  expect(
    shown([
      content(0, 100, [figure(1_234_567_000)]),
      content(1, 110, [figure(1_235_000_000)]),
      content(2, 120, [figure(1_234_567_000)]),
      content(3, 130, [figure(1_236_000_000)]),
      content(4, 140, [figure(1_236_400_000, { decimals: -5 })]),
      content(5, 150, [figure(1_236_000_000, { decimals: -6 })]),
      // Exact, so not a rounding of what was stated.
      content(6, 160, [figure(1_236_000_000, { decimals: Number.POSITIVE_INFINITY })]),
    ]),
  ).toEqual([
    'instant 90 100 130 1234567000 USD 0@100',
    'instant 90 130 140 1236000000 USD 3@130',
    'instant 90 140 160 1236400000 USD 4@140',
    'instant 90 160 current 1236000000 USD 6@160',
  ])
})

test('of two filings of one day the later one counts, and the value of the other was never current', () => {
  expect(shown([content(0, 100, [figure(7)]), content(1, 100, [figure(8)])])).toEqual([
    'instant 90 100 100 7 USD 0@100',
    'instant 90 100 current 8 USD 1@100',
  ])
})

test('of a filing, the most accurate figure of the whole company counts, in its main unit, and no contradiction', () => {
  const segment = { ...instant(90), dimensions: [{ axis: 'Segments', member: 'North' }] }
  const yen = { unit: 'JPY' }
  expect(
    shown([
      content(0, 100, [
        figure(5, { context: segment }),
        figure(1_000, { decimals: -3 }),
        figure(1_049, { decimals: 0 }),
        figure(150_000, yen),
        figure(77, { context: instant(60), decimals: 0 }),
        figure(78, { context: instant(60), decimals: 0 }),
      ]),
      // A day after the filing is an error or a forecast, and five months are no period that counts.
      content(1, 110, [
        figure(9, { context: instant(111) }),
        figure(9, { context: { ...instant(100), start: -60 } }),
        figure(Number.NaN, { context: instant(80), value: null }),
      ]),
    ]),
  ).toEqual(['instant 90 100 current 1049 USD 0@100'])
  const two = [content(0, 100, [figure(1_000), figure(150_000, yen)])]
  expect(shown(two, 'JPY')).toEqual(['instant 90 100 current 150000 JPY 0@100'])
  expect(shown(two, 'EUR')).toEqual([])
})

test('a year, a quarter and an instant with one last day are three periods', () => {
  const lasting = (days: number) => ({ context: { ...instant(400), start: 401 - days } })
  expect(
    shown([
      content(0, 410, [
        figure(1, lasting(371)),
        figure(2, lasting(98)),
        figure(3, lasting(182)),
        figure(4, { context: instant(400) }),
      ]),
    ]),
  ).toEqual([
    'year 400 410 current 1 USD 0@410',
    'quarter 400 410 current 2 USD 0@410',
    'instant 400 410 current 4 USD 0@410',
  ])
})

test('the rounded period of a data set is the exact one of other sources, and amounts per share have their unit', () => {
  // 2009-09-26 is rounded to 2009-09-30.
  const exact = { ...instant(14_513), start: 14_151 }
  const rounded = { start: null, end: 14_517, quarters: 4, dimensions: [] }
  const eps = { concept: 'us-gaap:EarningsPerShareBasic' }
  expect(
    shown([
      content(0, 14_544, [figure(6.39, { ...eps, context: rounded })], { source: 'dataSet' }),
      content(1, 14_634, [figure(9.22, { ...eps, context: exact, unit: 'USD/shares' })]),
    ]),
  ).toEqual([
    'year 14513 14544 14634 6.39 USD/shares 0@14544',
    'year 14513 14634 current 9.22 USD/shares 1@14634',
  ])
})

test('on every day the value is that of the latest filing which states the period in its content of that day', () => {
  const stated = fc.record({
    order: fc.nat(3),
    since: fc.integer({ min: 100, max: 112 }),
    values: fc.tuple(fc.option(fc.integer({ min: 1, max: 4 })), fc.option(fc.integer({ min: 1, max: 4 }))),
  })
  const ends = [80, 90]
  fc.assert(
    fc.property(fc.array(stated, { maxLength: 12 }), all => {
      const distinct = [...new Map(all.map(one => [`${one.order} ${one.since}`, one])).values()]
      const inOrder = distinct.sort((a, b) => a.since - b.since || a.order - b.order)
      const contents = inOrder.map(({ order, since, values }) =>
        content(
          order,
          since,
          values.flatMap((value, at) =>
            value === null ? [] : [figure(value, { context: instant(ends[at]) })],
          ),
        ),
      )
      const vintages = filedVintages(contents, null)
      for (let day = 99; day <= 113; day++) {
        for (const [at, end] of ends.entries()) {
          let expected: number | null = null
          for (let order = 0; order <= 3; order++) {
            const latest = inOrder.filter(one => one.order === order && one.since <= day).at(-1)
            expected = latest?.values[at] ?? expected
          }
          const current = vintages.filter(one => one.end === end && one.filed <= day && one.until > day)
          expect([day, end, current.map(({ value }) => value)]).toEqual([
            day,
            end,
            expected === null ? [] : [expected],
          ])
        }
      }
    }),
    { numRuns: 500 },
  )
})
