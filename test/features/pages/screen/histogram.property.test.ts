import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { histogramOf } from '../../../../src/features/pages/screen/histogram.ts'

const figures = fc.oneof(
  fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 8, maxLength: 300 }),
  // Ratios, to a billionth: no two companies' figures are 280 powers of ten apart, as any two doubles may be.
  fc.array(
    fc.double({ min: -3, max: 3, noNaN: true }).map(value => Number(value.toFixed(9))),
    { minLength: 8, maxLength: 300 },
  ),
  // Amounts over many powers of ten, some of them on the bounds of ranges.
  fc.array(
    fc
      .tuple(fc.constantFrom(1, 1.999, 2, 5, 9.99), fc.integer({ min: 0, max: 11 }))
      .map(([a, b]) => a * 10 ** b),
    { minLength: 8, maxLength: 300 },
  ),
)

test('ranges meet, are round, and each counts what a loop finds in it', () => {
  let charts = 0
  fc.assert(
    fc.property(figures, sent => {
      const histogram = histogramOf({ values: Float64Array.from(sent).sort(), otherCurrency: 0 })
      if (histogram === null) return
      charts++
      const { ranges, below, above } = histogram
      expect(ranges.length).toBeGreaterThan(0)
      expect(ranges.length).toBeLessThan(40)
      ranges.forEach(({ from, to, count }, at) => {
        expect(to).toBeGreaterThan(from)
        if (at > 0) expect(from).toBe(ranges[at - 1]?.to ?? Number.NaN)
        expect(from).toBe(Number(from.toPrecision(12)))
        let found = 0
        for (const value of sent) if (value >= from && value < to) found++
        expect(count).toBe(found)
      })
      const [first = 0, last = 0] = [ranges[0]?.from, ranges.at(-1)?.to]
      expect([below, above]).toEqual([
        sent.filter(value => value < first).length,
        sent.filter(value => value >= last).length,
      ])
      // At most the outer twentieth, and one figure at each end by rounding.
      expect(below + above).toBeLessThanOrEqual(sent.length * 0.05 + 2)
    }),
    { numRuns: 2_000 },
  )
  expect(charts).toBeGreaterThan(1_000)
})

test('few or equal figures have no chart', () => {
  expect(histogramOf({ values: Float64Array.of(1, 2, 3, 4, 5, 6, 7), otherCurrency: 0 })).toBeNull()
  expect(histogramOf({ values: new Float64Array(50).fill(3), otherCurrency: 0 })).toBeNull()
})
