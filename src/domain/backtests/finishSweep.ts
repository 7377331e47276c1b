import type { ComputePool, RunOptions } from '../../compute/ComputePool.ts'
import type { SliceSeries, SweepPlan } from '../../compute/sweepPlan.ts'
import type { WrittenResult } from '../../compute/writtenResult.ts'
import type { ResultForm } from '../../model/resultForm.ts'

/** The result of a sweep whose slices are all done.
 *
 * @param series of each slice, in the order of `plan.slices` */
export function finishSweep(
  pool: ComputePool,
  plan: SweepPlan,
  series: readonly SliceSeries[],
  form: ResultForm,
  options: Pick<RunOptions, 'signal' | 'visit'> = {},
): Promise<WrittenResult> {
  return pool.run('sweep_finish', { plan, series, form }, options)
}
