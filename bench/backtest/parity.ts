import { buildDataset } from '../../src/backtest/dataset/build.ts'
import { equityCurve } from '../../src/backtest/statistics/returns.ts'
import { loopReference, type Row } from '../../test/backtest/loopReference.ts'
import { readPanelFile } from '../panelFile.ts'
import { makePanel } from './makePanel.ts'
import { measure } from './measure.ts'
import { runPython } from './python.ts'
import type { SweepBench } from './sweeps.ts'
import { time } from './timings.ts'

/** Compares the kernel with the loop reference in this process. Throws if results differ, else returns the speed ratio. */
export function proveLoopParity(runs: number): number {
  const columns = makePanel(120, 200)
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  const rows: Row[] = Array.from({ length: columns.count }, (_, i) => ({
    day: columns.day[i],
    asset: columns.assetNames[columns.asset[i]],
    market: columns.marketNames[columns.market[i]],
    score: columns.score[i],
    forwardReturn: columns.forwardReturn[i],
  }))
  const settings = {
    longShort: true,
    quantile: 0.1,
    weighting: 'equal' as const,
    tranches: 5,
    gross: 1,
    neutralMarket: false,
    drift: false,
  }
  const loop = () => loopReference(rows, settings, 1, { M0: 10, M1: 20, M2: 30, M3: 40 }, 50 / 1e4 / 252)
  const { curve } = equityCurve(Float64Array.from(loop(), period => period.net))
  const ours = measure(dataset).curve
  for (const [t, point] of ours.entries()) assertEqual(`equity_curve[${t}]`, point, curve[t])
  const loopTime = time(() => loop(), 3, 1)
  const kernelTime = time(() => measure(dataset), 3 * runs, 20)
  return loopTime.medianMs / kernelTime.medianMs
}

/** Compares our metrics of the base case with those of peer_numpy.py, on the same file that is timed. */
export function provePeerParity(folder: string, file: string): void {
  const report: { metrics: Record<string, number> } = JSON.parse(
    runPython(folder, ['peer_numpy.py', '--panel', file, '--repeat', '1']),
  )
  const { dataset } = buildDataset(readPanelFile(file))
  if (!dataset) throw new Error('the panel repeats a cell')
  const ours = measure(dataset)
  const { metrics } = report
  assertEqual('cagr', ours.cagr, metrics.cagr)
  assertEqual('sharpe', ours.sharpe, metrics.sharpe)
  assertEqual('information_ratio', ours.informationRatio, metrics.information_ratio)
  assertEqual('max_drawdown', ours.maxDrawdown, metrics.max_drawdown)
  assertEqual('avg_turnover', ours.avgTurnover, metrics.avg_turnover)
  assertEqual('cost_drag_annual', ours.costDragAnnual, metrics.annual_cost_drag)
  assertEqual('gross_sharpe', ours.grossSharpe, metrics.gross_sharpe)
}

/** Compares every trial of both grids with the same configuration in peer_numpy.py, on the same file that is timed.
 * `check_equal.py` compares peer_numpy.py with the loop reference. */
export async function proveSweepParity(folder: string, file: string, sweeps: SweepBench): Promise<void> {
  for (const [name, grid] of [
    ['sweep48', 'grid48'],
    ['sweep200', 'grid200'],
  ] as const) {
    const theirs: Record<string, Record<string, number>> = JSON.parse(
      runPython(folder, ['-c', eachTrial, file, grid]),
    )
    const { trials = [] } = await sweeps.run(name)
    if (trials.length !== Object.keys(theirs).length) throw new Error(`${name} has ${trials.length} trials`)
    for (const { label, sharpe, cagr, max_drawdown, avg_turnover } of trials) {
      for (const [field, value] of Object.entries({ sharpe, cagr, max_drawdown, avg_turnover })) {
        assertEqual(`${field} of ${label}`, value, theirs[label][field])
      }
    }
  }
}

const eachTrial = `
import sys, json
import panelio, peer_numpy
grid = getattr(panelio, sys.argv[2])()
label = lambda c: f'{c["mode"]} q{c["q"]:g} {c["weight"]} h{c["hold"]}'
out = peer_numpy.sweep(panelio.read_panel(sys.argv[1]), grid)
print(json.dumps({label(c): m for c, m in zip(grid, out)}))
`

function assertEqual(what: string, ours: number | null, theirs: number): void {
  if (ours !== null && Math.abs(ours - theirs) <= 1e-9 * Math.abs(theirs)) return
  throw new Error(`${what} is ${ours}, the reference has ${theirs}: without parity there is no timing`)
}
