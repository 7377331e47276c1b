import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { buildRankedDataset } from '../../src/backtest/pipeline/archiveDataset.ts'
import { decodeResult } from '../../src/backtest/pipeline/encodeResult.ts'
import type { BacktestOutcome } from '../../src/backtest/pipeline/runRequest.ts'
import type { SweepPlan } from '../../src/backtest/pipeline/sweepPlan.ts'
import { planArchiveSweep } from '../../src/backtest/pipeline/sweepPlan.ts'
import { operator } from '../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../src/backtest/pool/computePool.ts'
import { runSweep } from '../../src/backtest/pool/runSweep.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import type { MarketCosts } from '../../src/markets/costs.ts'

/** The grids of the peer implementations (`panelio.py`) as sweeps. */
export const grids = {
  sweep48: {
    quantile: [0.05, 0.1, 0.2, 0.3],
    weighting: ['equal', 'score', 'rank'],
    holdDays: [1, 5, 10, 21],
  },
  sweep200: {
    quantile: [0.02, 0.05, 0.1, 0.2, 0.3],
    weighting: ['equal', 'rank'],
    holdDays: [1, 2, 3, 5, 10, 15, 21, 42, 63, 126],
    direction: ['long_short', 'long_only'],
  },
} as const

const market = (roundTripBps: number) => ({ roundTripBps, source: 'panelio.py', date: '2024-01-01' })
const costs: MarketCosts = {
  markets: { M0: market(10), M1: market(20), M2: market(30), M3: market(40) },
  standard: market(20),
}

export interface SweepBench {
  readonly plans: Record<keyof typeof grids, SweepPlan>
  run(grid: keyof typeof grids): Promise<BacktestResult>
  /** The base case as a request on a stored dataset: one task of the pool, including its result. */
  single(): Promise<BacktestOutcome>
  close(): Promise<void>
}

/** Stores the panel in a new pool and plans both sweeps. */
export async function openSweeps(columns: Columns, threads: number): Promise<SweepBench> {
  const pool = new ComputePool({ threads, queue: 10, timeLimitMs: 300_000 })
  const data = buildRankedDataset(columns)
  const request = { config: { holdDays: 5 }, source: {}, include: [] }
  const plan = (grid: object) =>
    planArchiveSweep({ data, dataVersion: 1, request: { ...request, sweep: grid }, costs })
  const plans = { sweep48: await plan(grids.sweep48), sweep200: await plan(grids.sweep200) }
  return {
    plans,
    run: async grid => decodeResult(await runSweep(pool, plans[grid], { ticket: pool.admit(operator) })),
    single: () =>
      pool.tasks.runArchiveRequest(
        { data, request, costs, dataVersion: 1, resultFormat: 'json' },
        { caller: operator },
      ),
    close: () => pool.close(),
  }
}
