import { expect, test } from 'bun:test'
import { type CpcvCandidate, cpcv } from '../../../src/backtest/evidence/cpcv.ts'
import { sharpeInterval } from '../../../src/backtest/evidence/sharpeInterval.ts'
import { superiorPredictiveAbility } from '../../../src/backtest/evidence/superiority.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { sharedPath } from '../../shared.ts'
import { drawnPeriods } from './drawnPeriods.ts'

/** Every statistic against ../shared/peers/ref_evidence.py, to 1e-12, on random records. Some begin late (zeroes until then), some have
 * a row twice, and some have a row that never varies. Its constant is a power of two: of another one NumPy's mean differs by
 * rounding, and the reference divides by that difference. Lengths are no multiples of the number of groups. */
const reference = `
import sys, json
sys.path.insert(0, sys.argv[1])
import numpy as np
from ref_evidence import *
cases = []
sizes = [(1, 40), (2, 47), (3, 211), (8, 301), (48, 500), (300, 127), (20, 1000), (5, 64)]
for n, (K, T) in enumerate(sizes):
    for L in (1, 2.5, 10, T / 3):
        r = np.random.default_rng(100 * n + int(L))
        R = .01 * (.7 * r.standard_normal((1, T)) + .7 * r.standard_normal((K, T)))
        if n % 2: R[:, 1:] += .5 * R[:, :-1]
        if K > 2: R[K // 2] += .002; R[1] = 0; R[2] = 2. ** -10
        if K > 4: R[3, :T // 3] = 0; R[4] = R[K // 2]
        b = np.zeros(T) if n % 3 == 0 else .01 * r.standard_normal(T)
        B, seed = 60, 7 * n + int(L)
        groups, k, purge = [(10, 2, 6), (7, 3, 2), (5, 1, 0), (6, 4, 3)][n % 4]
        w = R[-1]
        cases.append(dict(R=R.tolist(), b=b.tolist(), L=L, B=B, seed=seed, groups=groups, k=k, purge=purge, indices=indices(T, L, seed, 3).tolist(),
            spa=spa(R, b, L, B, seed), interval=sharpe_interval(w, L, B, seed), late=sharpe_interval(R[3 % K], L, B, seed), cpcv=cpcv(R, groups, k, purge)))
print(json.dumps(cases))
`

interface Case {
  R: number[][]
  b: number[]
  L: number
  B: number
  seed: number
  groups: number
  k: number
  purge: number
  indices: number[]
  spa: Record<'lower' | 'consistent' | 'upper' | 'reality_check' | 'statistic', number>
  interval: [number, number]
  late: [number, number]
  cpcv: (number | null)[]
}

const peers = sharedPath('peers/ref_evidence.py')?.replace('/ref_evidence.py', '') ?? null
const python = findPython('numpy')
const cases: Case[] =
  peers === null || python === null ? [] : JSON.parse(runPython(python, peers, ['-c', reference, peers]))

/** Equal to 1e-12 of the larger of 1 and the number. */
function same(a: number | null, b: number | null): void {
  if (a === null || b === null) expect(a).toBe(b)
  else expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(b)))
}

const rowsOf = ({ R }: Case) => R.map(row => Float64Array.from(row))

test.skipIf(cases.length === 0)('resamples have the periods of the reference', () => {
  for (const { b, L, seed, indices } of nonEmpty(cases)) expect(drawnPeriods(seed, 3, b.length, L)).toEqual(indices)
})

test.skipIf(cases.length === 0)(
  'the p values of both tests and the statistic are those of the reference',
  () => {
    for (const one of nonEmpty(cases)) {
      const own = superiorPredictiveAbility(rowsOf(one), Float64Array.from(one.b), one.L, one.B, one.seed)
      expect(own).not.toBeNull()
      same(own?.statistic ?? null, one.spa.statistic)
      // Where nothing beats the benchmark the reference counts resamples above 0, and is near 0 for the worst records.
      const { lower, consistent, upper, statistic } = one.spa
      expect([own?.lower, own?.consistent, own?.upper, own?.realityCheck]).toEqual([
        ...(statistic === 0 ? [1, 1, 1] : [lower, consistent, upper]),
        one.spa.reality_check,
      ])
    }
  },
)

test.skipIf(cases.length === 0)('the interval of a Sharpe ratio is that of the reference', () => {
  for (const one of cases) {
    const rows = rowsOf(one)
    const records = [
      [rows[rows.length - 1], one.interval],
      [rows[3 % rows.length], one.late],
    ] as const
    for (const [record, [low, high]] of records) {
      const own = sharpeInterval(record, one.L, one.B, one.seed)
      same(own?.lowPerPeriod ?? null, low)
      same(own?.highPerPeriod ?? null, high)
    }
  }
})

test.skipIf(cases.length === 0)('the paths of the cross-validation are those of the reference', () => {
  for (const one of nonEmpty(cases)) {
    const periods = one.b.length
    const size = Math.floor(periods / one.groups)
    const groups = Array.from({ length: one.groups }, (_, g) => {
      const [start, end] = [g * size, g === one.groups - 1 ? periods : (g + 1) * size]
      return { start, end, from: Math.max(0, start - one.purge), to: Math.min(periods, end + one.purge) }
    })
    const candidates: CpcvCandidate[] = rowsOf(one).map(net => ({ net, groups }))
    const paths = cpcv(candidates, one.k) ?? []
    expect(paths.length).toBe(one.cpcv.length)
    paths.forEach((path, j) => {
      same(path, one.cpcv[j])
    })
  }
})

test('a record that beats its benchmark nowhere has p values of 1, however bad it is', () => {
  const worst = [0.001, 0.01, 0.1].map(loss =>
    Float64Array.from({ length: 300 }, (_, t) => -loss + 0.01 * Math.sin(7 * t) * Math.cos(t * t)),
  )
  const own = superiorPredictiveAbility(worst, new Float64Array(300), 10, 200, 1)
  expect(own).toMatchObject({ lower: 1, consistent: 1, upper: 1, statistic: 0 })
})

test('a portfolio that never trades has p values of 1 against cash, in both tests', () => {
  const idle = [new Float64Array(100), new Float64Array(100)]
  const own = superiorPredictiveAbility(idle, new Float64Array(100), 5, 200, 1)
  expect(own).toEqual({ lower: 1, consistent: 1, upper: 1, realityCheck: 1, statistic: 0 })
})
