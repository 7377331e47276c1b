import { expect, test } from 'bun:test'
import { judgeSeed } from '../../bench/verdict/judgeSeed.ts'
import { makePanel } from '../../bench/verdict/panels.ts'
import { isWithinBars, Tally, verdictReport } from '../../bench/verdict/report.ts'
import { type Scenario, scenarios } from '../../bench/verdict/scenarios.ts'
import { nonEmpty } from '../nonEmpty.ts'

/** The program behind docs/verdict-bars.md, on a panel or two. */

function named(name: string): Scenario {
  const found = scenarios.find(scenario => scenario.name === name)
  if (!found) throw new Error(`there is no scenario ${name}`)
  return found
}
const noSkill = ({ variants }: Scenario) => variants.map(() => 0)

test('noise with 21-day returns gets no verdict where these are denied', () => {
  const denied = named('21-day returns, denied (returnDays 1)')
  expect(judgeSeed(denied, noSkill(denied), 1)).toEqual(denied.variants.map(() => 'withheld' as const))
}, 180_000)

test('a batch is judged by its lines and its summary, and a seed always gives the same levels', () => {
  const { panel, config } = named('month ends, 5 years')
  const kinds = ['single', 'sweep', 'batch'] as const
  const variants = kinds.map(kind => ({ direction: 'long_short' as const, kind, costs: 'none' as const }))
  const scenario = { name: 'a test', panel, config, variants, trueSharpe: 0 }
  const levels = judgeSeed(scenario, noSkill(scenario), 5)
  expect(judgeSeed(scenario, noSkill(scenario), 5)).toEqual(levels)
  const known = judgeSeed({ ...scenario, panel: { ...panel, dates: 240 } }, [0.6, 0.6, 0.6], 5)
  expect(nonEmpty(known).every(level => level !== 'none')).toBe(true)
}, 180_000)

test('a made market has the moments that it is made with', () => {
  const spec = { ...named('rising market, slowly changing scores').panel, dates: 2_000, skill: 0.5 }
  const { score, forwardReturn } = makePanel(spec, 11)
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  expect(mean(forwardReturn)).toBeCloseTo(0.0006, 3)
  expect(mean(score.map(value => value * value))).toBeCloseTo(1, 1)
  // A score one deviation above the mean earns half a deviation of the own return, .02, more.
  expect(mean(score.map((value, row) => value * forwardReturn[row]))).toBeCloseTo(0.01, 3)
  const next = score.map((value, row) => value * (score[row + spec.names] ?? Number.NaN))
  expect(mean(next.subarray(0, score.length - spec.names))).toBeCloseTo(0.98, 1)
})

test('the report says which bar is broken', () => {
  const tally = new Tally(named('20 names'))
  for (let seed = 0; seed < 100; seed++)
    tally.add(tally.scenario.variants.map((_, i) => (i === 0 && seed < 8 ? 'weak' : 'none')))
  expect(isWithinBars(tally)).toBe(false)
  const text = verdictReport([tally], 1)
  expect(text).toContain(
    '| 20 names | long-short | one configuration | 0 | 8.0% | 0.0% | 0.0% | weak or better above 7.5% |',
  )
  expect(text).toContain('| 20 names | long only | sweep of 48 | 0 | 0.0% | 0.0% | 0.0% |  |')
})
