import type { BookSettings } from './bookSettings.ts'
import type { Dataset, Ranking } from './dataset.ts'
import { Layout, openKernel } from './kernel/openKernel.ts'
import { pickPeriod } from './kernel/pickRanks.ts'
import { placePicks } from './kernel/tileMemory.ts'
import { maxRowsPerDate } from './maxRowsPerDate.ts'
import { universeReturn } from './universeReturn.ts'

/** A ranking that is good for legs of equal weight and this quantile alone, and only in these periods: it tells top,
 * bottom and neither apart, without the date ever being ordered. A third of the time of `rankDataset`. */
export function pickRanking(data: Dataset, periods: Int32Array, settings: BookSettings): Ranking {
  const { offsets, days } = data
  const ranking = {
    rank: new Int32Array(data.asset.length),
    eligible: new Int32Array(days.length),
    meanScore: new Float64Array(days.length),
    universe: new Float64Array(days.length),
    known: new Int32Array(days.length),
  }
  const layout = new Layout()
  const places = placePicks(layout, maxRowsPerDate(data))
  const memory = { kernel: openKernel(layout.bytes), ...places }
  const from = places.pickRanks / 4
  for (const date of periods) {
    const start = offsets[date]
    const end = offsets[date + 1]
    ranking.eligible[date] = pickPeriod(data, memory, settings, start, end, places.pickRanks)
    ranking.rank.set(memory.kernel.integers.subarray(from, from + end - start), start)
    universeReturn(data.forwardReturn, start, end, ranking.universe, ranking.known, date)
  }
  return ranking
}
