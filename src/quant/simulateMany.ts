import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { mean } from './mean.ts'
import { allocateSeries } from './periodSeries.ts'
import type { Prices } from './prices.ts'
import { allocateSimulation, simulate } from './simulate.ts'

/** Runs many configurations over the periods. Each takes T + 1 places of `out`: its net return per period, then its mean
 * turnover. The same numbers, to the bit, as `simulate` gives for it alone.
 *
 * @param stop leaves off between two configurations when it finds 1 there; `out` is then not filled */
export function simulateMany(
  data: Dataset,
  periods: Int32Array,
  settings: readonly BookSettings[],
  prices: Prices,
  out: Float64Array,
  stop: Int32Array,
): void {
  const series = allocateSeries(periods.length)
  const width = periods.length + 1
  for (let c = 0; c < settings.length; c++) {
    if (Atomics.load(stop, 0) === 1) return
    simulate(data, periods, settings[c], prices, allocateSimulation(data, periods, settings[c]), series)
    out.set(series.net, c * width)
    out[c * width + periods.length] = mean(series.turnover)
  }
}
