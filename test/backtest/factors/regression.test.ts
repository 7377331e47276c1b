import { expect, test } from 'bun:test'
import { decompose, requireIndependent } from '../../../src/backtest/factors/leastSquares.ts'
import { defaultLags, rollingCoefficients } from '../../../src/backtest/factors/regression.ts'
import { findPython } from '../../python.ts'
import { distanceOf, noise, ownRegression, referenceOf, regressions } from './anyRegression.ts'

const python = findPython('numpy')

test.skipIf(python === null)(
  'coefficients, Newey and West’s standard errors, R² and rolling betas are those of a plain reference',
  () => {
    for (const given of regressions()) {
      const reference = referenceOf(python ?? '', 'reference.py', given)
      expect(distanceOf(ownRegression(given), reference, given)).toBeLessThan(1e-10)
    }
  },
  60_000,
)

/** y = 1, 2, 4, 5, 8 on x = 0 .. 4, by hand: b = 1.7, a = 0.6, e = .4, -.3, 0, -.7, .6; SSR = 1.1, SST = 30. */
test('a regression that can be done by hand', () => {
  const own = ownRegression({ y: [1, 2, 4, 5, 8], factors: [[0, 1, 2, 3, 4]], lags: 0, window: 3 })
  expect(own.coefficients[0]).toBeCloseTo(0.6, 13)
  expect(own.coefficients[1]).toBeCloseTo(1.7, 13)
  expect(own.squares).toBeCloseTo(1.1, 13)
  expect(own.rSquared).toBeCloseTo(1 - 1.1 / 30, 13)
  expect(own.adjustedRSquared).toBeCloseTo(1 - (1.1 / 30) * (4 / 3), 13)
  // White: sum of ((x - 2) e)^2 = .64 + .09 + 0 + .49 + 1.44 = 2.66, over Sxx^2 = 100, times 5 / 3.
  expect(own.standardErrors[1]).toBeCloseTo(Math.sqrt((5 / 3) * 0.0266), 13)
})

test('a record that does not vary has no R², although its mean is rounded', () => {
  // The excess return of a record that holds nothing is minus a constant risk-free return.
  const random = noise(5)
  const own = ownRegression({
    y: Array.from({ length: 49 }, () => -0.1),
    factors: [Array.from({ length: 49 }, () => 0.01 * random())],
    lags: 0,
    window: 12,
  })
  expect(own.rSquared).toBeNull()
  expect(own.adjustedRSquared).toBeNull()
  // The constant is exact, so there is no t value, and not one of 1e16.
  expect(own.coefficients[0]).toBeCloseTo(-0.1, 14)
  expect([...own.standardErrors]).toEqual([0, 0])
})

test('the default lags are Newey and West’s rule, at least those of the tranches', () => {
  expect(defaultLags(100, 1)).toBe(4)
  expect(defaultLags(1_000, 1)).toBe(6)
  expect(defaultLags(1_000, 21)).toBe(20)
  expect(defaultLags(12, 21)).toBe(11)
})

test('collinear and constant factors are refused by name', () => {
  const random = noise(3)
  const [a, b] = [0, 1].map(() => Float64Array.from({ length: 50 }, () => 0.01 * random()))
  const sum = a.map((value, t) => 2 * value - b[t] + 0.003)
  expect(() => requireIndependent([a, b, sum], ['Mkt-RF', 'SMB', 'Sum'])).toThrow(
    'The factors Mkt-RF, SMB, Sum are collinear: Sum is a combination of Mkt-RF and SMB',
  )
  expect(() => requireIndependent([a, a.map(value => 3 * value), b], ['A', 'Same', 'B'])).toThrow(
    'The factors A, Same are collinear',
  )
  expect(() => requireIndependent([a, a.map(() => 0.004)], ['A', 'Still'])).toThrow(
    'The factor Still is the same in all 50 periods',
  )
  expect(() => requireIndependent([a.map(() => 0)], ['Zero'])).toThrow('The factor Zero is the same')
})

test('factors that are almost alike are told apart, and their betas are exact', () => {
  const random = noise(11)
  const a = Float64Array.from({ length: 400 }, () => 0.01 * random())
  const b = a.map(value => value + 1e-7 * random())
  const y = a.map((value, t) => 0.001 + 2 * value - b[t])
  const own = ownRegression({ y: [...y], factors: [[...a], [...b]], lags: 3, window: 30 })
  expect(own.coefficients[1]).toBeCloseTo(2, 6)
  expect(own.coefficients[2]).toBeCloseTo(-1, 6)
})

test('a rolling window with collinear factors has no betas, and the next one has', () => {
  const random = noise(5)
  const f = Float64Array.from({ length: 30 }, (_, t) => (t < 10 ? 0.01 : random()))
  const y = f.map(value => 3 * value + 1)
  const [, beta] = rollingCoefficients([f], y, 10)
  expect(beta.slice(0, 10)).toEqual(Array(10).fill(null))
  expect(beta[10]).toBeCloseTo(3, 10)
  expect(decompose([f], 0, 10)).toBe(0)
})
