import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { optimalBlockLength } from '../../../src/backtest/evidence/blockLength.ts'
import { differenceBlockLength, sharpeDifference } from '../../../src/backtest/evidence/sharpeDifference.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { sharedPath } from '../../shared.ts'

/** The interval by its definition in plain NumPy: the variance of the record as a double sum, and every resample
 * gathered period by period with the random numbers of ../shared/peers/ref_evidence.py. Some records are mostly
 * equal, some are often empty, and some have serial correlation. */
const reference = `
import sys, json
sys.path.insert(0, sys.argv[1])
import numpy as np
from ref_evidence import indices

def moments(x):
    sd = x.std(ddof=1)
    return (x.mean(), sd) if sd > 1e-13 * np.abs(x).max() else (0, None)
def ratio(x):
    m, sd = moments(x)
    return 0 if sd is None else m / sd
def psi(x):
    m, sd = moments(x)
    if sd is None: return np.zeros(len(x))
    z = (x - m) / sd
    return z - m / sd / 2 * (z ** 2 - (z ** 2).mean())
def difference(a, b, L, B, seed, level):
    T = len(a); q = 1 / L; c = psi(a) - psi(b); d = ratio(a) - ratio(b)
    w2 = c @ c / T
    for j in range(1, T): w2 += 2 * ((T - j) / T * (1 - q) ** j + j / T * (1 - q) ** (T - j)) * (c[j:] @ c[:-j]) / T
    ratios = []
    for s in range(B):
        i = indices(T, L, seed, s); x, y = a[i], b[i]; e = psi(x) - psi(y)
        run = np.concatenate([[0], np.cumsum(i[1:] != (i[:-1] + 1) % T)])
        error = np.sqrt((np.bincount(run, e) ** 2).sum()) / T
        ratios.append(abs(ratio(x) - ratio(y) - d) / error if error > 1e-12 else np.inf)
    ratios.sort(); at = level * (B - 1); lo = int(at)
    if not np.isfinite(ratios[min(lo + 1, B - 1)]): return None
    m = (ratios[lo] + (ratios[min(lo + 1, B - 1)] - ratios[lo]) * (at - lo)) * np.sqrt(w2 / T)
    return [d, d - m, d + m]

cases = []
for n, T in enumerate([3, 12, 36, 61, 250, 701]):
    for L in (1, 2.5, 10, T / 2):
        for kind in range(4):
            r = np.random.default_rng(1000 * n + 10 * int(L) + kind)
            common = r.standard_normal(T)
            a = .01 * (common + .4 * r.standard_normal(T) + .2); b = .02 * (common + .4 * r.standard_normal(T))
            if kind == 1: a[1:] += .6 * a[:-1]; b[1:] += .6 * b[:-1]
            if kind == 2: b = np.where(r.random(T) < .9, a, b)
            if kind == 3: a[r.random(T) < .8] = 0; b[:T // 2] = 0
            B, seed, level = 60, 17 * n + int(L), [.95, .9][kind % 2]
            if a.std() == 0 or b.std() == 0 or (a == b).all(): continue
            cases.append(dict(a=a.tolist(), b=b.tolist(), L=L, B=B, seed=seed, level=level, expected=difference(a, b, L, B, seed, level)))
print(json.dumps(cases))
`

interface Case {
  a: number[]
  b: number[]
  L: number
  B: number
  seed: number
  level: number
  expected: [number, number, number] | null
}

const peers = sharedPath('peers/ref_evidence.py')?.replace('/ref_evidence.py', '') ?? null
const python = findPython('numpy')
const cases: Case[] =
  peers === null || python === null ? [] : JSON.parse(runPython(python, peers, ['-c', reference, peers]))

test.skipIf(cases.length === 0)('the difference and its bounds are those of the reference', () => {
  const bounded = nonEmpty(cases).filter(({ a, b, L, B, seed, level, expected }) => {
    const options = { meanBlock: L, resamples: B, seed, level }
    const own = sharpeDifference(Float64Array.from(a), Float64Array.from(b), options)
    if (expected === null) {
      expect(own).toBeNull()
      return false
    }
    const bounds = [own?.differencePerPeriod, own?.lowPerPeriod, own?.highPerPeriod]
    bounds.forEach((bound, i) => {
      const scale = Math.max(1, Math.abs(expected[i]))
      expect(Math.abs((bound ?? Number.NaN) - expected[i]) / scale).toBeLessThanOrEqual(1e-11)
    })
    return true
  })
  // Both outcomes occur: intervals, and records that cannot be bounded.
  expect(bounded.length).toBeGreaterThan(50)
  expect(bounded.length).toBeLessThan(cases.length)
})

const returns = (length: number) =>
  fc.array(fc.integer({ min: -500, max: 500 }), { minLength: length, maxLength: length })
const pairs = fc
  .integer({ min: 10, max: 80 })
  .chain(length => fc.tuple(returns(length), returns(length)))
  .map(([a, b]) => [Float64Array.from(a, basisPoints), Float64Array.from(b, basisPoints)] as const)
const basisPoints = (value: number) => value / 10_000
const samplings = fc.record({
  meanBlock: fc.double({ min: 1, max: 6, noNaN: true }),
  resamples: fc.constant(100),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
})

test('a record differs from itself by exactly 0, with both bounds at 0', () => {
  fc.assert(
    fc.property(pairs, samplings, ([a], options) => {
      fc.pre(new Set(a).size > 1)
      expect(sharpeDifference(a, a.slice(), options)).toEqual({
        differencePerPeriod: 0,
        lowPerPeriod: 0,
        highPerPeriod: 0,
        level: 0.95,
      })
    }),
    { numRuns: 50 },
  )
})

test('exchanging the records changes the sign of the difference and exchanges the bounds, exactly', () => {
  fc.assert(
    fc.property(pairs, samplings, ([a, b], options) => {
      const forward = sharpeDifference(a, b, options)
      const backward = sharpeDifference(b, a, options)
      if (forward === null || backward === null) return expect(forward).toBe(backward)
      expect(backward.differencePerPeriod + forward.differencePerPeriod).toBe(0)
      expect(backward.lowPerPeriod + forward.highPerPeriod).toBe(0)
      expect(backward.highPerPeriod + forward.lowPerPeriod).toBe(0)
    }),
    { numRuns: 100 },
  )
})

test('leverage of either record, by a power of two, changes no bit', () => {
  fc.assert(
    fc.property(pairs, samplings, ([a, b], options) => {
      const plain = sharpeDifference(a, b, options)
      const levered = sharpeDifference(
        a.map(value => 4 * value),
        b.map(value => value / 8),
        options,
      )
      expect(levered).toEqual(plain)
    }),
    { numRuns: 50 },
  )
})

test('there is no interval for a record that does not vary, or for records that differ in one period', () => {
  const a = Float64Array.from({ length: 60 }, (_, t) => 0.01 * Math.sin(t * t))
  const options = { meanBlock: 1, resamples: 200, seed: 1 }
  expect(sharpeDifference(a, new Float64Array(60), options)).toBeNull()
  expect(sharpeDifference(new Float64Array(60).fill(0.01), a, options)).toBeNull()
  expect(sharpeDifference(new Float64Array(1), new Float64Array(1), options)).toBeNull()
  const b = a.slice()
  b[30] += 0.02
  expect(sharpeDifference(a, b, options)).toBeNull()
})

test('the block length is that of the linear part of the difference, and leaves at least six blocks', () => {
  const wave = (t: number) => (t % 23 < 9 ? 1 : -1) + 0.1 * Math.sin(t * t)
  const isCapped = new Set<boolean>()
  for (const periods of [12, 18, 24, 30, 45, 60, 90, 2_000]) {
    const a = Float64Array.from({ length: periods }, (_, t) => 0.01 * wave(t) + 0.002)
    const b = Float64Array.from({ length: periods }, (_, t) => 0.01 * Math.cos(t / 11))
    const [linearA, linearB] = [a, b].map(series => {
      const mean = series.reduce((sum, value) => sum + value, 0) / periods
      const deviation = Math.sqrt(series.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (periods - 1))
      return series.map(value => {
        const z = (value - mean) / deviation
        return z - (mean / deviation / 2) * z * z
      })
    })
    const optimal = optimalBlockLength(linearA.map((value, t) => value - linearB[t]))
    isCapped.add(optimal > periods / 6)
    expect(differenceBlockLength(a, b)).toBeCloseTo(Math.min(optimal, periods / 6), 9)
  }
  expect(isCapped).toEqual(new Set([true, false]))
  const still = new Float64Array(60)
  expect(differenceBlockLength(still, still)).toBe(1)
})
