import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { mean } from './mean.ts'
import { allocateSeries } from './periodSeries.ts'
import type { Prices } from './prices.ts'
import { readPeriods } from './readPeriods.ts'
import { walkBooks } from './walkBooks.ts'

/** Runs many configurations over the periods. Each takes T + 1 places of `out`: its net return per period, then its mean
 * turnover. The same numbers, to the bit, as `simulate` gives for it alone.
 *
 * Configurations that differ in their holding time alone are walked together.
 *
 * @param stop leaves off when it finds 1 there; `out` is then not filled */
export function simulateMany(
  data: Dataset,
  periods: Int32Array,
  settings: readonly BookSettings[],
  prices: Prices,
  out: Float64Array,
  stop: Int32Array,
): void {
  const count = periods.length
  const series = allocateSeries(count)
  for (const books of groupByTarget(settings)) {
    const target = settings[books[0]]
    const tranches = books.map(book => settings[book].tranches)
    const { sums } = walkBooks(data, periods, target, tranches, prices, { stop })
    if (Atomics.load(stop, 0) === 1) return
    books.forEach((book, i) => {
      readPeriods(sums[i], tranches[i], prices, series)
      const at = book * (count + 1)
      out.set(series.net, at)
      out[at + count] = mean(series.turnover)
    })
  }
}

/** Places of the configurations that hold the same targets. */
function groupByTarget(settings: readonly BookSettings[]): number[][] {
  const groups = new Map<string, number[]>()
  settings.forEach((one, i) => {
    const key = JSON.stringify({ ...one, tranches: 0 })
    const group = groups.get(key) ?? []
    group.push(i)
    groups.set(key, group)
  })
  return [...groups.values()]
}
