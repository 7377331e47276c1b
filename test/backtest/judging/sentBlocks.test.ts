import { expect, test } from 'bun:test'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { verdictLevels } from '../../../src/backtest/resultVerdict.ts'
import type { Row } from '../loopReference.ts'
import { datasetOf, row } from '../rows.ts'

const costs = { markets: {}, standard: { roundTripBps: 0, source: 'a test', date: '2020-01-01' } }
const seeds = 60

/**
 * Two years of 20 names, each permanently on one side of a factor. Half of the factor's return is reversed on
 * the next day, so gains follow gains. The score knows the sides and earns nothing on average.
 */
function persistentPanel(seed: number): Row[] {
  let state = 7 * seed + 11
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  for (let i = 0; i < 20; i++) uniform()
  const scores = Array.from({ length: 20 }, normal)
  let factor = 0
  return Array.from({ length: 500 }, (_, t) => {
    factor = 0.5 * factor + 0.004 * normal()
    return scores.map((score, i) =>
      row(
        19_723 + 7 * Math.floor(t / 5) + (t % 5),
        `A${i}`,
        score,
        factor * Math.sign(score) + 0.01 * normal(),
      ),
    )
  }).flat()
}

test('blocks that are shorter than the record calls for improve no verdict, and the reasons say so', () => {
  let refused = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const data = datasetOf(persistentPanel(seed))
    const own = runPanelBacktest(data, { config: {}, include: ['spa'] }, costs)
    const sent = runPanelBacktest(data, { config: {}, include: ['spa'], evidence: { meanBlock: 1 } }, costs)
    const rank = (result: typeof own) => verdictLevels.indexOf(result.verdict.level)
    expect([seed, rank(sent) >= rank(own)]).toEqual([seed, true])
    expect(sent.verdict.dsr_serial).toBe(own.verdict.dsr_serial)
    expect(sent.evidence?.mean_block).toBe(1)
    const short = sent.verdict.reasons.find(({ code }) => code === 'spa_short_blocks')
    if (short === undefined) continue
    refused++
    expect(short.message).toContain('passes only because evidence.meanBlock is 1')
    expect(sent.verdict.superior).toBeNull()
  }
  expect(refused).toBeGreaterThan(0)
}, 180_000)

test('longer blocks than the record calls for count as they are', () => {
  const data = datasetOf(persistentPanel(1))
  const { verdict } = runPanelBacktest(
    data,
    { config: {}, include: ['spa'], evidence: { meanBlock: 40 } },
    costs,
  )
  expect(verdict.spa_level).toBe(0)
  expect(verdict.reasons.map(({ code }) => code)).not.toContain('spa_short_blocks')
})
