import { expect, test } from 'bun:test'
import { cpcv, cpcvGroups } from '../../../src/backtest/evidence/cpcv.ts'
import { sharpeInterval } from '../../../src/backtest/evidence/sharpeInterval.ts'
import type { SpaResult } from '../../../src/backtest/evidence/spa.ts'
import { superiorPredictiveAbility } from '../../../src/backtest/evidence/superiority.ts'
import { pbo } from '../../../src/backtest/overfitting/pbo.ts'
import { sharpe } from '../../../src/backtest/statistics/sharpe.ts'

/** How often the tests reject, over 400 seeds: on noise (their size), and with one configuration that has skill (their power). It prints a
 * table for the guide, and holds wide bounds around what theory and the reference (.09 for spa, .05 for the reality check at
 * T = 300 with 20 configurations) allow. LONG=1 runs it. */

const seeds = 400
const resamples = 500
const meanBlock = 10
const configurations = 20

/** Standard normals from a linear congruential generator and Box and Muller's transform. */
function normals(seed: number): () => number {
  let state = 1 + ((seed * 7_919) % 2_147_483_646)
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  for (let i = 0; i < 20; i++) uniform()
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

/** Returns with a common part, as configurations of one score have; number 7 has `skill`, a Sharpe ratio per period. */
function records(seed: number, periods: number, skill: number): Float64Array[] {
  const next = normals(seed)
  const common = Float64Array.from({ length: periods }, next)
  return Array.from({ length: configurations }, (_, k) =>
    Float64Array.from(
      { length: periods },
      (_, t) => 0.01 * (Math.SQRT1_2 * (common[t] + next()) + (k === 7 ? skill : 0)),
    ),
  )
}

interface Rates {
  readonly lower: number
  readonly consistent: number
  readonly upper: number
  readonly realityCheck: number
}

function rejections(periods: number, skill: number): Rates {
  const cash = new Float64Array(periods)
  const results: SpaResult[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const result = superiorPredictiveAbility(records(seed, periods, skill), cash, meanBlock, resamples, seed)
    if (result) results.push(result)
  }
  const rate = (name: keyof Rates) => results.filter(result => result[name] < 0.05).length / results.length
  return {
    lower: rate('lower'),
    consistent: rate('consistent'),
    upper: rate('upper'),
    realityCheck: rate('realityCheck'),
  }
}

const long = test.skipIf(process.env.LONG !== '1')

long(
  'the tests reject noise in about 5 of 100 records, more often in short ones, and find skill',
  () => {
    const table: Record<string, Rates> = {}
    for (const periods of [300, 1_000, 2_520]) {
      table[`noise, T = ${periods}`] = rejections(periods, 0)
      table[`annual Sharpe 1.5, T = ${periods}`] = rejections(periods, 1.5 / Math.sqrt(252))
      table[`annual Sharpe 3, T = ${periods}`] = rejections(periods, 3 / Math.sqrt(252))
    }
    console.table(table)
    expect(table['noise, T = 300'].consistent).toBeLessThan(0.13)
    expect(table['noise, T = 300'].realityCheck).toBeLessThan(0.09)
    expect(table['noise, T = 2520'].consistent).toBeLessThan(0.09)
    expect(table['noise, T = 2520'].consistent).toBeGreaterThan(0.02)
    expect(table['annual Sharpe 3, T = 2520'].consistent).toBeGreaterThan(0.95)
  },
  600_000,
)

long(
  'the interval covers the true Sharpe ratio of a record in about 95 of 100',
  () => {
    const table: Record<string, number> = {}
    for (const periods of [100, 300, 1_000]) {
      const truth = 0.05
      let covered = 0
      for (let seed = 1; seed <= seeds; seed++) {
        const next = normals(seed + 10_000)
        const net = Float64Array.from({ length: periods }, () => 0.01 * (next() + truth))
        const interval = sharpeInterval(net, meanBlock, resamples, seed)
        if (interval && interval.lowPerPeriod <= truth && truth <= interval.highPerPeriod) covered++
      }
      table[`T = ${periods}`] = covered / seeds
    }
    console.table(table)
    expect(table['T = 100']).toBeGreaterThan(0.8)
    expect(table['T = 1000']).toBeGreaterThan(0.9)
    expect(table['T = 1000']).toBeLessThan(0.98)
  },
  600_000,
)

long(
  'on noise the paths of the cross-validation are centred on 0; costs that differ make pbo low',
  () => {
    const periods = 1_000
    const days = Int32Array.from({ length: periods }, (_, t) => 7 * Math.floor(t / 5) + (t % 5) + 4)
    const groups = cpcvGroups(days, 10, { tranches: 1, returnDays: 1 })
    let above = 0
    let paths = 0
    let plain = 0
    let costly = 0
    const runs = 100
    for (let seed = 1; seed <= runs; seed++) {
      const series = records(seed, periods, 0)
      for (const path of cpcv(
        series.map(net => ({ net, groups })),
        2,
      ) ?? []) {
        paths++
        if (path !== null && path > 0) above++
      }
      plain += pbo(series) ?? 0
      costly += pbo(series.map((net, k) => net.map(r => r - k * 4e-5))) ?? 0
    }
    console.table({ pathsAbove0: above / paths, pbo: plain / runs, pboWithCosts: costly / runs })
    expect(above / paths).toBeGreaterThan(0.35)
    expect(above / paths).toBeLessThan(0.65)
    expect(costly).toBeLessThan(plain)
    expect(sharpe(records(1, periods, 3)[7], 1)).toBeGreaterThan(1)
  },
  600_000,
)
