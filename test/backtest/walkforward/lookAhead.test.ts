import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { simulateMany } from '../../../src/backtest/portfolio/simulate.ts'
import { walkForwardSweep } from '../../../src/backtest/walkforward/sweepFolds.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import type { Row } from '../loopReference.ts'
import { datasetOf, plainSettings } from '../rows.ts'

/** From rows to choice: the returns of a test block do not decide which configuration trades it. */

const dates = 48
const names = 7
const folds = 3

function panel(seed: number): Row[] {
  let state = seed
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  return Array.from({ length: dates * names }, (_, i) => ({
    day: 19_723 + 7 * Math.floor(i / names / 5) + (Math.floor(i / names) % 5), // Monday to Friday
    asset: `A${i % names}`,
    market: `M${i % 2}`,
    score: uniform() < 0.1 ? null : uniform() - 0.5,
    forwardReturn: uniform() < 0.1 ? null : uniform() / 5 - 0.1,
  }))
}

const configs = [false, true].flatMap(drift =>
  (['equal', 'rank', 'score'] as const).flatMap(weighting =>
    [1, 2, 5].map(tranches => ({ ...plainSettings, weighting, tranches, drift })),
  ),
)

function choices(rows: Row[]) {
  const data = rankDataset(datasetOf(rows))
  const periods = rebalanceDates(0, data.days.length, 1)
  const width = periods.length + 1
  const out = new Float64Array(configs.length * width)
  const costs = {
    roundTripOfMarket: Float64Array.of(0.001, 0.003),
    borrowPerPeriod: 0.0001,
    periodsPerYear: 252,
  }
  simulateMany(data, periods, configs, costs, out, new Int32Array(1))
  const candidates = configs.map(({ tranches, weighting, drift }, c) => {
    const net = out.subarray(c * width, c * width + periods.length)
    return { label: `${weighting} ${tranches} ${drift}`, tranches, net, judged: net }
  })
  const settings = { folds, returnDays: 1, periodsPerYear: 252 }
  return { folds: walkForwardSweep(candidates, data.days, settings), days: data.days }
}

test('permuting the returns of a test block never changes the choice for it or for any fold before', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 0, max: folds - 1 }),
      fc.infiniteStream(fc.nat()),
      (seed, f, keys) => {
        const rows = panel(seed)
        const truth = choices(rows)
        const { testStart, testEnd } = truth.folds[f].fold
        const [from, to] = [truth.days[testStart], truth.days[testEnd - 1]]
        const inBlock = rows.filter(row => row.day >= from && row.day <= to)
        const shuffled = inBlock
          .map(row => ({ value: row.forwardReturn, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
        const moved = rows.map(row => {
          const at = inBlock.indexOf(row)
          return at === -1 ? row : { ...row, forwardReturn: shuffled[at].value }
        })
        nonEmpty(choices(moved).folds.slice(0, f + 1)).forEach(({ candidate, fold }, g) => {
          expect([candidate, fold.trainSharpe]).toEqual([
            truth.folds[g].candidate,
            truth.folds[g].fold.trainSharpe,
          ])
        })
      },
    ),
    { numRuns: 150 },
  )
})
