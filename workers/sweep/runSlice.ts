import type { TaskInput } from '../../src/compute/protocol.ts'
import { planPeriods } from '../../src/quant/planPeriods.ts'
import { simulateMany } from '../../src/quant/simulateMany.ts'

/** Some configurations of a sweep, into shared memory. */
export function runSlice({ data, view, configs, prices, series, stop }: TaskInput<'sweep_slice'>): null {
  const periods = planPeriods(view.firstDate, view.endDate, configs[0].step)
  simulateMany(
    data,
    periods,
    configs.map(config => config.book),
    prices,
    series,
    stop,
  )
  return null
}
