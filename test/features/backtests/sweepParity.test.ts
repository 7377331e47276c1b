import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPanelFile } from '../../../bench/panelFile.ts'
import { buildRankedDataset } from '../../../src/backtest/pipeline/archiveDataset.ts'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { planArchiveSweep } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { runSweep } from '../../../src/backtest/pool/runSweep.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import type { MarketCosts } from '../../../src/markets/costs.ts'
import { findPython, runPython } from '../../python.ts'
import { sharedPath } from '../../shared.ts'

/** grid48 and grid200 of ../shared/peers as sweeps, threads and slices and all, against ref_backtest.py. */

const peers = sharedPath('peers/ref_backtest.py')?.replace('/ref_backtest.py', '')
const python3 = findPython('numpy')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-sweep-parity-'))
const pool = new ComputePool({ threads: 2, queue: 4, timeLimitMs: 60_000 })
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await pool.close()
}, 180_000)

const reference = `
import sys, json
sys.path.insert(0, sys.argv[1])
import warnings; warnings.filterwarnings("ignore")
from panelio import *
import ref_backtest
p = read_panel(sys.argv[2])
def label(c): return f'{c["mode"]} q{c["q"]:g} {c["weight"]} h{c["hold"]}'
out = {}
for name, grid in dict(grid48=grid48(), grid200=grid200()).items():
    out[name] = {label(c): ref_backtest.backtest(p, c) for c in grid}
print(json.dumps(out).replace("NaN", "null"))
`

type Truth = Record<string, Record<string, number | null>>

/** A long-only book is judged against the universe. It is never empty here, so that is its information ratio. */
const judgedBy = (label: string, { sharpe, information_ratio }: Truth[string]) =>
  label.startsWith('long_only') ? information_ratio : sharpe

const python = (args: string[]) => runPython(python3 ?? '', peers ?? '.', args)

const market = (roundTripBps: number) => ({ roundTripBps, source: 'panelio.py', date: '2024-01-01' })
const costs: MarketCosts = {
  markets: { M0: market(10), M1: market(20), M2: market(30), M3: market(40) },
  standard: market(0),
}
const grids: Record<string, object> = {
  grid48: {
    quantile: [0.05, 0.1, 0.2, 0.3],
    weighting: ['equal', 'score', 'rank'],
    holdDays: [1, 5, 10, 21],
  },
  grid200: {
    quantile: [0.02, 0.05, 0.1, 0.2, 0.3],
    weighting: ['equal', 'rank'],
    holdDays: [1, 2, 3, 5, 10, 15, 21, 42, 63, 126],
    direction: ['long_short', 'long_only'],
  },
}

async function sweep(file: string, grid: object): Promise<BacktestResult> {
  const data = buildRankedDataset(readPanelFile(file))
  const request = { config: {}, source: {}, include: [], sweep: grid }
  const plan = planArchiveSweep({ data, dataVersion: 1, request, costs })
  // Two configurations a slice: books of one target end up in many slices, on both threads.
  const places = plan.slices.flat()
  const slices = Array.from({ length: Math.ceil(places.length / 2) }, (_, i) =>
    places.slice(2 * i, 2 * i + 2),
  )
  return decodeResult(await runSweep(pool, { ...plan, slices }, { ticket: pool.admit(operator) }))
}

const panels = [
  { name: 'dense', args: ['--dates', '140', '--assets', '23', '--seed', '21'] },
  { name: 'ragged', args: ['--dates', '160', '--assets', '21', '--missing', '0.15', '--seed', '22'] },
]

for (const panel of panels) {
  test.skipIf(!peers || !python3)(
    `all 248 configurations of a ${panel.name} panel, run as sweeps, equal the loop reference to 1e-9`,
    async () => {
      const file = join(folder, `${panel.name}.bin`)
      python(['gen_panel.py', ...panel.args, '--out', file])
      const truth: Record<string, Truth> = JSON.parse(python(['-c', reference, peers ?? '', file]))
      for (const [name, grid] of Object.entries(grids)) {
        const { trials = [], best, deflated_sharpe: deflated } = await sweep(file, grid)
        expect(trials.length).toBe(Object.keys(truth[name]).length)
        for (const trial of trials) {
          const { sharpe, cagr, max_drawdown, avg_turnover } = truth[name][trial.label]
          const judged_sharpe = judgedBy(trial.label, truth[name][trial.label])
          const expected = { sharpe, judged_sharpe, cagr, max_drawdown, avg_turnover }
          for (const [field, value] of Object.entries(expected)) {
            const found = Object.entries(trial).find(([key]) => key === field)?.[1]
            const off = Math.abs(Number(found) - Number(value)) / Math.max(Math.abs(Number(value)), 1e-12)
            expect([trial.label, field, off < 1e-9]).toEqual([trial.label, field, true])
          }
        }
        const sharpes = Object.entries(truth[name]).map(([label, found]) => ({
          label,
          sharpe: judgedBy(label, found) ?? -99,
        }))
        sharpes.sort((a, b) => b.sharpe - a.sharpe)
        expect(best?.label).toBe(sharpes[0].label)
        expect(deflated?.trials).toBe(trials.length)
      }
    },
    120_000,
  )
}
