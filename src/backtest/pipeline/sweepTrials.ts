import { sharpe } from '../statistics/sharpe.ts'
import type { SliceSeries, SweepPlan } from './sweepPlan.ts'

/** One configuration's part of the slices' series. */
export interface Trial {
  readonly label: string
  readonly net: Float64Array
  readonly avgTurnover: number
  readonly sharpe: number | null
}

/** Every configuration's record, in the order of the grid.
 *
 * @param series of each slice, in the order of `plan.slices` */
export function readTrials(
  { configs, slices }: SweepPlan,
  series: readonly SliceSeries[],
  periods: number,
): Trial[] {
  const trials: Trial[] = []
  slices.forEach((slice, s) => {
    slice.forEach((config, i) => {
      const at = i * (periods + 1)
      const net = series[s].subarray(at, at + periods)
      const { label, periodsPerYear } = configs[config]
      trials[config] = {
        label,
        net,
        avgTurnover: series[s][at + periods],
        sharpe: sharpe(net, periodsPerYear),
      }
    })
  })
  return trials
}
