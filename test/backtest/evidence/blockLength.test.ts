import { expect, test } from 'bun:test'
import { optimalBlockLength } from '../../../src/backtest/evidence/blockLength.ts'
import { resolveEvidence, spaInput } from '../../../src/backtest/pipeline/evidence.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import expected from './fixtures/blockLength.json'

/** As blockLength.py makes it. */
function autoregressive(periods: number, phi: number, seed: number): Float64Array {
  let state = seed
  let value = 0
  return Float64Array.from({ length: periods }, () => {
    let noise = 0
    for (let i = 0; i < 3; i++) {
      state = (state * 48_271) % 2_147_483_647
      noise += state / 2_147_483_647 - 0.5
    }
    value = phi * value + noise
    return value
  })
}

test('block lengths are those of arch, which follows the code of the correction’s authors; none is below one period', () => {
  for (const { periods, phi, seed, length } of nonEmpty(expected)) {
    const own = optimalBlockLength(autoregressive(periods, phi, seed))
    expect({ periods, phi, seed, length: own }).toEqual({
      periods,
      phi,
      seed,
      length: expect.closeTo(Math.max(1, length), 9),
    })
  }
})

test('a unit of another size changes nothing, and a series that does not vary has blocks of one period', () => {
  const series = autoregressive(400, 0.6, 5)
  const percent = series.map(value => 100 * value)
  expect(optimalBlockLength(percent)).toBeCloseTo(optimalBlockLength(series), 9)
  expect(optimalBlockLength(new Float64Array(300).fill(0.001))).toBe(1)
  expect(optimalBlockLength(new Float64Array(300))).toBe(1)
  expect(optimalBlockLength(Float64Array.of(1, 2))).toBe(1)
})

test('a length is never above a third of a short record', () => {
  for (let periods = 3; periods < 40; periods++) {
    const trend = Float64Array.from({ length: periods }, (_, t) => t)
    const length = optimalBlockLength(trend)
    expect(length).toBeGreaterThanOrEqual(1)
    expect(length).toBeLessThanOrEqual(Math.ceil(periods / 3))
  }
})

test('the chosen length is not shorter than that of the net returns, whose interval it serves, however loud the benchmark', () => {
  const net = autoregressive(1_000, 0.5, 7).map(value => value / 1_000)
  // Noise of a hundred times its size hides how it correlates.
  const universe = autoregressive(1_000, 0, 11).map(value => value / 10)
  const judged = net.map((value, t) => value - universe[t])
  const { meanBlock } = spaInput(resolveEvidence(['interval']), [{ net, judged }])
  const ofExcess = optimalBlockLength(judged)
  expect(meanBlock).toBe(optimalBlockLength(net))
  expect(meanBlock).toBeGreaterThan(2 * ofExcess)
})
