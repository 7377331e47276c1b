import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPanelFile } from '../../../bench/panelFile.ts'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import type { Dataset } from '../../../src/backtest/dataset/dataset.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import type { Weighting } from '../../../src/backtest/portfolio/settings.ts'
import { simulate } from '../../../src/backtest/portfolio/simulate.ts'
import { mean } from '../../../src/backtest/statistics/moments.ts'
import { cagr, equityCurve } from '../../../src/backtest/statistics/returns.ts'
import { maxDrawdown } from '../../../src/backtest/statistics/risk.ts'
import { informationRatio, loSharpe, sharpe } from '../../../src/backtest/statistics/sharpe.ts'
import { blockBounds } from '../../../src/backtest/walkforward/folds.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { sharedPath } from '../../shared.ts'

/** Every configuration of grid48 and grid200, and grid48 with drift, against ../shared/peers/ref_backtest.py, whose folds are five equal
 * blocks, whose lo_sharpe has 20 lags and whose year has 252 periods. */

interface PeerConfig {
  q: number
  weight: Weighting
  mode: 'long_short' | 'long_only'
  hold: number
  drift?: boolean
}
type PeerMetrics = Record<string, number | number[]>

const peers = sharedPath('peers/ref_backtest.py')?.replace('/ref_backtest.py', '')
const python3 = findPython('numpy')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-parity-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reference = `
import sys, json
sys.path.insert(0, sys.argv[1])
import warnings; warnings.filterwarnings("ignore")
from panelio import *
import ref_backtest
p = read_panel(sys.argv[2])
drifting = [dict(c, drift=True) for c in grid48()]
print(json.dumps([[c, ref_backtest.backtest(p, c)] for c in grid48() + grid200() + drifting]).replace("NaN", "null"))
`

const python = (args: string[]) => runPython(python3 ?? '', peers ?? '.', args)

function measure(data: Dataset, config: PeerConfig): PeerMetrics {
  const periodsPerYear = 252
  const periods = rebalanceDates(0, data.days.length, 1)
  const settings = {
    longShort: config.mode === 'long_short',
    quantile: config.q,
    weighting: config.weight,
    tranches: config.hold,
    gross: 1,
    neutralMarket: false,
    drift: config.drift ?? false,
  }
  const costs = {
    roundTripOfMarket: Float64Array.of(10e-4, 20e-4, 30e-4, 40e-4),
    borrowPerPeriod: 50 / 1e4 / periodsPerYear,
    periodsPerYear,
  }
  const { series } = simulate(data, periods, settings, costs)
  const { net } = series
  const { curve } = equityCurve(net)
  const bounds = blockBounds(net.length, 5)
  const blocks = bounds.slice(1).map((end, i) => net.subarray(bounds[i], end))
  const foldSharpe = blocks.map(block => sharpe(block, periodsPerYear) ?? Number.NaN)
  return {
    total_return: curve[curve.length - 1] - 1,
    cagr: cagr(curve[curve.length - 1], net.length, periodsPerYear) ?? Number.NaN,
    sharpe: sharpe(net, periodsPerYear) ?? Number.NaN,
    lo_sharpe: loSharpe(net, periodsPerYear, 20) ?? Number.NaN,
    information_ratio: informationRatio(net, series.universe, periodsPerYear) ?? Number.NaN,
    max_drawdown: maxDrawdown(curve),
    avg_turnover: mean(series.turnover),
    annual_cost_drag: (mean(series.tradingCost) + mean(series.borrow)) * periodsPerYear,
    gross_sharpe: sharpe(series.gross, periodsPerYear) ?? Number.NaN,
    fold_sharpe: foldSharpe,
    fold_cagr: blocks.map(
      block => cagr(equityCurve(block).curve[block.length], block.length, periodsPerYear) ?? Number.NaN,
    ),
    oos_sharpe_mean: mean(Float64Array.from(foldSharpe)),
  }
}

function worstDifference(ours: PeerMetrics, theirs: PeerMetrics): number {
  let worst = 0
  for (const [name, expected] of nonEmpty(Object.entries(theirs))) {
    const truth = [expected].flat()
    const found = [ours[name]].flat()
    expect(found.length).toBe(truth.length)
    truth.forEach((value, i) => {
      if (value === null) return
      worst = Math.max(worst, Math.abs(found[i] - value) / Math.max(Math.abs(value), 1e-12))
    })
  }
  return worst
}

const panels = [
  { name: 'dense', args: ['--dates', '140', '--assets', '23', '--seed', '11'] },
  { name: 'ragged', args: ['--dates', '150', '--assets', '19', '--missing', '0.15', '--seed', '12'] },
  { name: 'sparse', args: ['--dates', '130', '--assets', '9', '--missing', '0.5', '--seed', '13'] },
]

for (const panel of panels) {
  test.skipIf(!peers || !python3)(
    `equals the loop reference to 1e-9 in 248 configurations, and in 48 with drift, of a ${panel.name} panel`,
    () => {
      const file = join(folder, `${panel.name}.bin`)
      python(['gen_panel.py', ...panel.args, '--out', file])
      const truth: [PeerConfig, PeerMetrics][] = JSON.parse(python(['-c', reference, peers ?? '', file]))
      expect(truth.length).toBe(296)
      const { dataset } = buildDataset(readPanelFile(file))
      if (!dataset) throw new Error('the generated panel repeats a cell')
      const ranked = rankDataset(dataset)
      for (const [config, expected] of truth) {
        const ours = measure(dataset, config)
        expect([config, worstDifference(ours, expected) < 1e-9]).toEqual([config, true])
        expect(measure(ranked, config)).toEqual(ours)
      }
    },
    120_000,
  )
}
