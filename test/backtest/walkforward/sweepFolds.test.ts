import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { medianDateGap } from '../../../src/backtest/portfolio/dateSpacing.ts'
import { rebalanceDates, rebalanceStep } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { sharpe } from '../../../src/backtest/statistics/sharpe.ts'
import { walkForward } from '../../../src/backtest/walkforward/folds.ts'
import { type Candidate, walkForwardSweep } from '../../../src/backtest/walkforward/sweepFolds.ts'

function noise(count: number, seed: number): Float64Array {
  let state = seed
  return Float64Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    return (state / 2_147_483_647 - 0.5) / 50
  })
}

/** Its judged returns are its net returns, because it is judged against cash. */
const cashCandidate = (label: string, tranches: number, net: Float64Array): Candidate => ({
  label,
  tranches,
  net,
  judged: net,
})

/** Periods of a panel with these gaps between its dates. */
const calendar = fc.record({
  gaps: fc.oneof(
    fc.array(fc.constantFrom(1, 1, 1, 3), { minLength: 1, maxLength: 150, size: 'max' }),
    fc.array(fc.constantFrom(7, 7, 1, 14), { minLength: 1, maxLength: 150, size: 'max' }),
    fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 150, size: 'max' }),
  ),
  returnDays: fc.constantFrom(1, 3, 5, 7, 21, 252),
  folds: fc.integer({ min: 1, max: 50 }),
  holds: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
})

function sweepOf({
  gaps,
  returnDays,
  folds,
  holds,
  seed,
}: typeof calendar extends fc.Arbitrary<infer T> ? T : never) {
  let at = 15_000
  const days = Int32Array.from([0, ...gaps], gap => {
    at += gap
    return at
  })
  const periods = rebalanceDates(0, days.length, rebalanceStep(returnDays, medianDateGap(days)))
  const periodDays = Int32Array.from(periods, date => days[date])
  const candidates: Candidate[] = holds.map((tranches, c) => ({
    label: `h${tranches}`,
    tranches,
    net: noise(periods.length, seed + 7 * c),
    judged: noise(periods.length, seed + 7 * c + 3),
  }))
  return { candidates, days: periodDays, settings: { folds, returnDays, periodsPerYear: 252 } }
}

test('no fold of a sweep trains on a return that ends after its first test date, whatever the grid and the dates', () => {
  let trained = 0
  fc.assert(
    fc.property(calendar, given => {
      const { candidates, days, settings } = sweepOf(given)
      for (const { candidate, fold } of walkForwardSweep(candidates, days, settings)) {
        expect(fold.trainEnd).toBeLessThanOrEqual(
          Math.max(0, fold.testStart - candidates[candidate].tranches - 1),
        )
        if (fold.trainEnd === 0) continue
        trained++
        expect(addBusinessDays(days[fold.trainEnd - 1], settings.returnDays)).toBeLessThanOrEqual(
          days[fold.testStart],
        )
      }
    }),
    { numRuns: 500 },
  )
  expect(trained).toBeGreaterThan(500)
})

test('returns in the test block, or after it, never change the choice', () => {
  let chosen = 0
  fc.assert(
    fc.property(calendar, fc.integer({ min: 1, max: 1_000_000 }), (given, seed) => {
      const { candidates, days, settings } = sweepOf(given)
      const folds = walkForwardSweep(candidates, days, settings)
      folds.forEach(({ candidate, fold }, f) => {
        const changed = candidates.map(one => {
          const unseen = noise(one.net.length - fold.testStart, seed).map(r => 5 * r)
          const [net, judged] = [Float64Array.from(one.net), Float64Array.from(one.judged)]
          net.set(unseen, fold.testStart)
          judged.set(unseen, fold.testStart)
          return { ...one, net, judged }
        })
        chosen++
        const again = walkForwardSweep(changed, days, settings)[f]
        expect([again.candidate, again.fold.trainSharpe]).toEqual([candidate, fold.trainSharpe])
      })
    }),
    { numRuns: 100 },
  )
  expect(chosen).toBeGreaterThan(100)
})

test('each fold is the chosen candidate’s own fold, and no candidate trained better', () => {
  let chosen = 0
  fc.assert(
    fc.property(calendar, given => {
      const { candidates, days, settings } = sweepOf(given)
      const own = candidates.map(one => walkForward(one, days, { ...settings, tranches: one.tranches }))
      walkForwardSweep(candidates, days, settings).forEach(({ candidate, fold }, f) => {
        expect(fold).toEqual(own[candidate][f])
        chosen++
        for (const rival of own) {
          expect(rival[f].judgedTrainSharpe ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(
            fold.judgedTrainSharpe ?? Number.NEGATIVE_INFINITY,
          )
        }
        const { net, judged } = candidates[candidate]
        expect(fold.trainSharpe).toBe(sharpe(net.slice(0, fold.trainEnd), 252))
        expect(fold.judgedTrainSharpe).toBe(sharpe(judged.slice(0, fold.trainEnd), 252))
      })
    }),
    { numRuns: 300 },
  )
  expect(chosen).toBeGreaterThan(300)
})

test('a fold that no candidate can train for goes to the first label', () => {
  const days = Int32Array.from({ length: 12 }, (_, t) => addBusinessDays(19_723, t + 1))
  const candidates = ['b', 'a', 'c'].map(label => cashCandidate(label, 30, noise(12, 3)))
  const folds = walkForwardSweep(candidates, days, { folds: 3, returnDays: 1, periodsPerYear: 252 })
  expect(folds.map(({ candidate }) => candidate)).toEqual([1, 1, 1])
  expect(folds.map(({ fold }) => fold.trainSharpe)).toEqual([null, null, null])
})

test('a tie in training goes to the first label, whatever their order and their test blocks', () => {
  const days = Int32Array.from({ length: 40 }, (_, t) => addBusinessDays(19_723, t + 1))
  const settings = { folds: 1, returnDays: 1, periodsPerYear: 252 }
  const same = (label: string, seed: number) => {
    const net = noise(40, 3)
    net.set(noise(20, seed), 20)
    return cashCandidate(label, 1, net)
  }
  for (const labels of [
    ['b', 'a', 'c'],
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
  ]) {
    const candidates = labels.map((label, i) => same(label, 11 + i))
    const [{ candidate, fold }] = walkForwardSweep(candidates, days, settings)
    expect([labels[candidate], fold.trainSharpe === null]).toEqual(['a', false])
  }
})
