import { expect, test } from 'bun:test'
import { normalCdf } from '../../../src/backtest/statistics/normal.ts'
import { findPython } from '../../python.ts'
import { distance, distanceOf, ownRegression, referenceOf, regressions } from './anyRegression.ts'

const isLong = process.env.LONG !== undefined
if (!isLong) console.log('skipped: statsmodels runs with LONG=1')
const python = isLong ? findPython('statsmodels') : null

test.skipIf(python === null)(
  'every estimate equals OLS with cov_type HAC and RollingOLS of statsmodels to 1e-10 (LONG=1)',
  () => {
    let largest = 0
    for (const given of regressions()) {
      const reference = referenceOf(python ?? '', 'statsmodels_reference.py', given)
      const own = ownRegression(given)
      const t = own.coefficients.map((b, k) => b / own.standardErrors[k])
      const relative = distance(
        t.map((value, k) => value / (reference.t?.[k] ?? 0)),
        Array(t.length).fill(1),
      )
      const p = distance(
        t.map(value => 2 * normalCdf(-Math.abs(value))),
        reference.p ?? [],
      )
      largest = Math.max(largest, distanceOf(own, reference, given), relative, p)
    }
    console.info(`largest difference from statsmodels: ${largest.toExponential(2)}`)
    expect(largest).toBeLessThan(1e-10)
  },
  120_000,
)
