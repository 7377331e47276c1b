import fc from 'fast-check'
import type { PortfolioSettings } from '../../../src/backtest/portfolio/settings.ts'
import type { Row } from '../loopReference.ts'

/** Round trips of the markets of `anyPanel`, in basis points. */
export const bps = { '': 25, M0: 10, M1: 20, M2: 40 }
/** 50 bps a year, per day. */
export const borrow = 0.005 / 252

export const anySettings: fc.Arbitrary<PortfolioSettings> = fc.record({
  longShort: fc.boolean(),
  quantile: fc.constantFrom(0.01, 0.1, 0.3, 0.5),
  weighting: fc.constantFrom('equal', 'rank', 'score'),
  tranches: fc.constantFrom(1, 2, 5, 30),
  gross: fc.constantFrom(1, 2.5),
  neutralMarket: fc.boolean(),
  drift: fc.boolean(),
})

/** Few distinct scores, so ties are common; names come and go, change market, and lose scores and returns. */
export const anyPanel: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 0, max: 14 }),
    asset: fc.integer({ min: 0, max: 11 }).map(i => `A${i}`),
    market: fc.constantFrom('', 'M0', 'M1', 'M2'),
    score: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: -3, max: 3 }).map(s => s / 2) },
      { weight: 3, arbitrary: fc.double({ min: -5, max: 5, noNaN: true }) },
      fc.constant(null),
    ),
    forwardReturn: fc.oneof(
      { weight: 5, arbitrary: fc.double({ min: -0.5, max: 0.5, noNaN: true }) },
      fc.constant(null),
    ),
  }),
  { selector: row => `${row.day} ${row.asset}`, minLength: 1, maxLength: 150 },
)
