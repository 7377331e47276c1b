import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { normalCdf, normalDensity, normalQuantile } from '../../../src/backtest/statistics/normal.ts'
import table from './fixtures/normalTable.json'

/** mpmath computed the table with 60 digits: fixtures/normalTable.py. */

function relativeError(found: number, digits: string): number {
  const truth = Number(digits)
  return truth === 0 ? Math.abs(found) : Math.abs(found / truth - 1)
}

test('PHI equals the mpmath table to 1e-14 of its value, 37 deviations out on either side', () => {
  expect(table.cdf.length).toBe(152)
  for (const [x, digits] of table.cdf) {
    expect([x, relativeError(normalCdf(Number(x)), digits) < 1e-14]).toEqual([x, true])
  }
})

test('PHI^-1 equals the mpmath table to 1e-14 of its value, from 1e-300 to 1 - 1e-15 and next to 1/2', () => {
  expect(table.quantile.length).toBe(244)
  for (const [p, digits] of table.quantile) {
    expect([p, relativeError(normalQuantile(Number(p)), digits) < 1e-14]).toEqual([p, true])
  }
})

test('the values printed in vectors/README.md', () => {
  expect(normalCdf(1.645)).toBeCloseTo(0.950015094, 9)
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963985, 9)
})

test('0, 1 and the infinities map to each other; what is outside is NaN', () => {
  expect([normalCdf(0), normalCdf(-50), normalCdf(50)]).toEqual([0.5, 0, 1])
  expect([normalCdf(Number.NEGATIVE_INFINITY), normalCdf(Number.POSITIVE_INFINITY)]).toEqual([0, 1])
  expect([normalQuantile(0), normalQuantile(0.5), normalQuantile(1)]).toEqual([
    Number.NEGATIVE_INFINITY,
    0,
    Number.POSITIVE_INFINITY,
  ])
  for (const outside of [-0.1, 1.1, Number.NaN]) expect(normalQuantile(outside)).toBeNaN()
  expect(normalCdf(Number.NaN)).toBeNaN()
  expect(normalDensity(0)).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 16)
})

const deviate = fc.double({ min: -30, max: 30, noNaN: true })

test('PHI is symmetric and increasing', () => {
  fc.assert(
    fc.property(deviate, deviate, (a, b) => {
      expect(normalCdf(a) + normalCdf(-a)).toBeCloseTo(1, 15)
      // Across the seam at 1.5 deviations neighbours can differ by a unit in the last place.
      if (a < b) expect(normalCdf(a)).toBeLessThanOrEqual(normalCdf(b) * (1 + 1e-14))
    }),
  )
})

test('PHI^-1 is the inverse of PHI', () => {
  fc.assert(
    fc.property(fc.double({ min: -37, max: 3, noNaN: true }), x => {
      expect(normalQuantile(normalCdf(x))).toBeCloseTo(x, 12)
    }),
  )
})
