import type { ComputePool, RunOptions } from '../../compute/ComputePool.ts'
import type { SliceSeries, SweepPlan } from '../../compute/sweepPlan.ts'
import { planPeriods } from '../../quant/planPeriods.ts'

/** Runs one slice of a plan. The same bytes in whatever process, on whatever thread and in whatever order.
 *
 * @param slice its place in `plan.slices` */
export async function runSlice(
  pool: ComputePool,
  plan: SweepPlan,
  slice: number,
  options: Pick<RunOptions, 'signal' | 'visit'> = {},
): Promise<SliceSeries> {
  const { data, view, prices } = plan
  const configs = plan.slices[slice].map(place => plan.configs[place])
  const series = new Float64Array(new SharedArrayBuffer(sliceBytes(plan, slice)))
  const stop = new Int32Array(new SharedArrayBuffer(4))
  await pool.run('sweep_slice', { data, view, configs, prices, series, stop }, { ...options, stop })
  return series
}

/** Bytes that the slice's series takes: per configuration 8 for each period and 8 for its mean turnover. */
export function sliceBytes({ configs, slices, view }: SweepPlan, slice: number): number {
  const periods = planPeriods(view.firstDate, view.endDate, configs[0].step).length
  return 8 * slices[slice].length * (periods + 1)
}
