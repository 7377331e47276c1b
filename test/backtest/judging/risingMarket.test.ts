import { expect, test } from 'bun:test'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import type { Row } from '../loopReference.ts'
import { datasetOf, row } from '../rows.ts'

const costs = { markets: {}, standard: { roundTripBps: 0, source: 'a test', date: '2020-01-01' } }
const seeds = 40

/** Two years of 30 names whose market moves by `drift` a day, ranked by noise that has nothing to do with them. */
function noisePanel(seed: number, drift: number): Row[] {
  let state = 7 * seed + 11
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  for (let i = 0; i < 20; i++) uniform()
  return Array.from({ length: 500 }, (_, t) => {
    const market = drift + 0.008 * normal()
    return Array.from({ length: 30 }, (_, i) =>
      row(19_723 + 7 * Math.floor(t / 5) + (t % 5), `A${i}`, normal(), market + 0.02 * normal()),
    )
  }).flat()
}

/** Of all seeds, those whose noise is at least weak evidence. */
function passing(drift: number, config: object, benchmark?: 'cash' | 'universe'): number {
  let passed = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const request = { config: { quantile: 0.2, ...config }, include: [], benchmark }
    const { verdict } = runPanelBacktest(datasetOf(noisePanel(seed, drift)), request, costs)
    if (verdict.level === 'weak' || verdict.level === 'strong') passed++
  }
  return passed
}

test('long-only noise in a rising market and long-short noise in a falling one no longer pass', () => {
  const [rising, falling] = [0.0012, -0.0012]
  const longOnly = { direction: 'long_only' as const }
  const longShort = { direction: 'long_short' as const }
  // Both passed before: the market's own rise was taken for skill, and a market-neutral book for one that
  // beats a falling market.
  expect(passing(rising, longOnly, 'cash')).toBeGreaterThan(seeds / 2)
  expect(passing(falling, longShort, 'universe')).toBeGreaterThan(seeds / 2)
  // At a rate of 7.5%, more than 8 of 40 has a chance of 0.2%.
  expect(passing(rising, longOnly)).toBeLessThanOrEqual(8)
  expect(passing(falling, longShort)).toBeLessThanOrEqual(8)
}, 120_000)
