import type { ComputePool, RunOptions } from '../../compute/ComputePool.ts'
import type { SliceSeries, SweepPlan } from '../../compute/sweepPlan.ts'
import type { BacktestResult } from '../../model/backtestResult.ts'

/** The result of a sweep whose slices are all done.
 *
 * @param series of each slice, in the order of `plan.slices` */
export function finishSweep(
  pool: ComputePool,
  plan: SweepPlan,
  series: readonly SliceSeries[],
  options: Pick<RunOptions, 'signal' | 'visit'> = {},
): Promise<BacktestResult> {
  return pool.run('sweep_finish', { plan, series }, options)
}
