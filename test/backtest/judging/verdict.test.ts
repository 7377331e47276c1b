import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  isRejected,
  levelOf,
  superiorityAt,
  testSuperiority,
} from '../../../src/backtest/evidence/superiority.ts'
import { serialDsr, varianceRatio } from '../../../src/backtest/judging/serialCorrelation.ts'
import { type Findings, judge } from '../../../src/backtest/judging/verdict.ts'
import { normalCdf } from '../../../src/backtest/statistics/normal.ts'

const passing: Findings = {
  trials: 48,
  dsr: 0.97,
  varianceRatio: 1,
  superiority: 'clear',
  spaLevel: 0.039,
  benchmark: 'universe',
  judgedSharpe: 2,
  periods: 1_260,
  ruined: false,
  longShort: false,
  gross: 1,
  warnings: [],
}
const verdictOf = (change: Partial<Findings>) => judge({ ...passing, ...change })
const codesOf = (change: Partial<Findings>) => verdictOf(change).reasons.map(({ code }) => code)

describe('the level', () => {
  test.each([
    ['both tests', {}, 'strong', ['dsr_passes', 'spa_passes']],
    ['the second test barely', { superiority: 'close' }, 'weak', ['dsr_passes', 'spa_close']],
    ['the ratio alone', { superiority: 'none' }, 'weak', ['dsr_passes', 'spa_fails']],
    ['the second test alone', { dsr: 0.5 }, 'weak', ['dsr_fails', 'spa_passes']],
    ['the second test alone, barely', { dsr: 0.5, superiority: 'close' }, 'weak', ['dsr_fails', 'spa_close']],
    ['neither', { dsr: 0.5, superiority: 'none' }, 'none', ['dsr_fails', 'spa_fails']],
    ['a ratio of exactly .95', { dsr: 0.95 }, 'strong', ['dsr_passes', 'spa_passes']],
    ['no ratio', { dsr: null, superiority: null }, 'none', ['dsr_undefined', 'spa_not_computed']],
    ['one test that was computed', { superiority: null }, 'weak', ['dsr_passes', 'spa_not_computed']],
    ['one of a batch', { superiority: 'of_one' }, 'weak', ['dsr_passes', 'spa_not_computed']],
    // PHI^-1(.97) = 1.8808; over the root of 1.5 it is 1.5357, and PHI of that is .9377.
    ['gains that follow gains', { varianceRatio: 1.5 }, 'weak', ['serial_correlation', 'spa_passes']],
    ['a single configuration', { trials: 1 }, 'strong', ['dsr_passes', 'spa_passes', 'one_configuration']],
    ['29 periods', { periods: 29 }, 'none', ['short_record', 'dsr_passes', 'spa_passes']],
    ['30 periods', { periods: 30 }, 'strong', ['dsr_passes', 'spa_passes']],
    ['ruin', { ruined: true }, 'none', ['ruined', 'dsr_passes', 'spa_passes']],
  ] as const)('of %s', (_, change, level, codes) => {
    expect([verdictOf(change).level, codesOf(change)]).toEqual([level, [...codes]])
  })

  test.each(['overlapping_returns', 'score_is_return', 'too_good', 'returns_like_percent'])(
    'is withheld where the result warns of %s, whatever the tests say',
    code => {
      for (const change of [{}, { dsr: 0.1, superiority: 'none' }, { ruined: true }] as const) {
        const { level, reasons } = verdictOf({ ...change, warnings: ['few_names', code] })
        expect(level).toBe('withheld')
        expect<string>(reasons[0].code).toBe(code)
      }
    },
  )

  test('is withheld where leverage alone would beat the universe, and nowhere else', () => {
    expect(verdictOf({ gross: 2 }).level).toBe('withheld')
    expect(codesOf({ gross: 0.5 })[0]).toBe('gross_exposure')
    expect(verdictOf({ gross: 2, benchmark: 'series' }).level).toBe('strong')
    expect(codesOf({ benchmark: 'series' })).toContain('own_benchmark')
    expect(codesOf({})).not.toContain('own_benchmark')
    expect(verdictOf({ gross: 2, longShort: true, benchmark: 'cash' }).level).toBe('strong')
  })

  test('a ratio just under .95 is not shown as .95', () => {
    expect(verdictOf({ dsr: 0.949_999 }).reasons[0].message).toContain('0.949, below the required 0.95')
  })

  test.each([
    ['clear', 0.04, 'passes: its p-value is below 2%, the limit for strong evidence.'],
    ['close', 0.04, 'its p-value is below the limit of 4%, but not below 2%, the limit for strong evidence.'],
    ['none', 0.04, 'fails: its p-value is not below the limit of 4%.'],
    ['none', 0, 'fails: the record has at most 15 blocks of independent periods'],
  ] as const)(
    'a p-value that is %s at a level of %d is explained with its limit',
    (superiority, spaLevel, text) => {
      expect(verdictOf({ superiority, spaLevel }).reasons[1].message).toContain(text)
    },
  )
})

/** Gaussian noise from a linear congruential generator; phi makes each value follow the one before. */
function noise(periods: number, seed: number, drift = 0, phi = 0): Float64Array {
  let state = seed + 1
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  for (let i = 0; i < 10; i++) uniform()
  let last = 0
  return Float64Array.from({ length: periods }, () => {
    const shock = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    last = phi * last + shock
    return 0.01 * last + drift
  })
}

describe('the test for superior predictive ability', () => {
  test('decides the same whether it stops early or draws every resample', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 3, max: 150 }),
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 1, max: 12, noNaN: true }),
        fc.double({ min: -0.003, max: 0.004, noNaN: true }),
        (seed, periods, trials, meanBlock, drift) => {
          const series = Array.from({ length: trials }, (_, k) => noise(periods, seed + k, drift))
          const cash = new Float64Array(periods)
          const level = levelOf({ periods, meanBlock })
          const draws = { resamples: 200, seed }
          const [whole, early] = [false, true].map(isDecisionEnough =>
            testSuperiority(series, cash, meanBlock, { ...draws, isDecisionEnough }),
          )
          expect(superiorityAt(early, level)).toBe(superiorityAt(whole, level))
          expect(whole.kind).not.toBe('rejected')
        },
      ),
      { numRuns: 150 },
    )
  })

  test('stops noise early, and a record that loses before the first resample', () => {
    const cash = new Float64Array(500)
    const losing = testSuperiority([noise(500, 3, -0.01)], cash, 5, {
      resamples: 1_000,
      seed: 1,
      isDecisionEnough: true,
    })
    expect(losing).toEqual({ kind: 'rejected' })
    const test = {
      periods: 500,
      meanBlock: 5,
      scale: cash,
      lowerShift: cash,
      consistentShift: cash,
      largestMean: 1,
    }
    // 34 of 1,000 are .034 = .04 (1 - 15 * 5 / 500); with 33 the other resamples can still decide.
    const maxima = (hits: number) => [Float64Array.from({ length: 4_000 }, (_, i) => (i < 4 * hits ? 9 : 0))]
    expect(isRejected({ ...test, statistic: 2 }, maxima(33), 100, 1_000)).toBe(false)
    expect(isRejected({ ...test, statistic: 2 }, maxima(34), 100, 1_000)).toBe(true)
    expect(isRejected({ ...test, statistic: 0 }, maxima(0), 0, 1_000)).toBe(true)
  })

  test('its level is .04 of a long record, less of a short one, and 0 of 15 blocks', () => {
    expect(levelOf({ periods: 1_260, meanBlock: 1 })).toBeCloseTo(0.0395, 4)
    expect(levelOf({ periods: 60, meanBlock: 1 })).toBeCloseTo(0.03, 12)
    expect(levelOf({ periods: 60, meanBlock: 4 })).toBe(0)
    expect(levelOf({ periods: 60, meanBlock: 20 })).toBe(0)
    const outcome = { lower: 0, consistent: 0, upper: 0, realityCheck: 0, statistic: 9 }
    expect(superiorityAt({ kind: 'complete', result: outcome }, 0)).toBe('none')
  })
})

describe('the Deflated Sharpe ratio after serial correlation', () => {
  test('is that of a record whose mean has the variance of AR(1): (1 + phi) / (1 - phi) times', () => {
    const phi = 0.5
    const ratio = varianceRatio(noise(200_000, 7, 0, phi), 100)
    expect(ratio / ((1 + phi) / (1 - phi))).toBeCloseTo(1, 1)
    // PHI^-1(.975) = 1.959964, and 1.959964 / 2 = .979982.
    expect(serialDsr(0.975, 4)).toBeCloseTo(normalCdf(0.979_982), 6)
    expect(serialDsr(0.975, 1)).toBe(0.975)
    expect([serialDsr(null, 4), serialDsr(1, 4), serialDsr(0, 4)]).toEqual([null, 1, 0])
  })

  test('losses that follow gains add nothing, and a record that does not vary has a ratio of 1', () => {
    expect(varianceRatio(noise(5_000, 7, 0, -0.5), 10)).toBe(1)
    expect(varianceRatio(new Float64Array(50).fill(0.01), 3)).toBe(1)
  })
})
