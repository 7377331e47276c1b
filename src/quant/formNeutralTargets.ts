import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { legSize } from './legSize.ts'
import { orderDate } from './orderDate.ts'
import { scoreRange } from './scoreRange.ts'
import type { TargetScratch } from './targetScratch.ts'
import type { TrancheRing } from './trancheRing.ts'
import { writeLeg } from './writeLeg.ts'

/** Legs inside each market: a market's names are ordered, sized and weighted as a cross-section of their own
 * (score weights look at the market's mean), and its legs get the share of the book that its eligible names
 * have among those of all markets that form legs. A market of one name forms none, so legs still sum to the
 * full +-gross / 2. */
export function formNeutralTargets(
  data: Dataset,
  date: number,
  settings: BookSettings,
  scratch: TargetScratch,
  ring: TrancheRing,
  t: number,
): void {
  const { longShort, weighting, quantile } = settings
  const { grouped, groupStart } = scratch
  const eligible = groupByMarket(data, date, scratch)
  const markets = groupStart.length - 1
  let inLegs = 0
  for (let m = 0; m < markets; m++) {
    const names = groupStart[m + 1] - groupStart[m]
    if (legSize(names, quantile, longShort) > 0) inLegs += names
  }
  ring.size[t] = 0
  if (eligible === 0 || inLegs === 0) return
  const book = (longShort ? settings.gross / 2 : settings.gross) / settings.tranches
  let at = ring.from[t]
  for (let m = 0; m < markets; m++) {
    const from = groupStart[m]
    const names = groupStart[m + 1] - from
    const k = legSize(names, quantile, longShort)
    if (k === 0) continue
    let sum = 0
    for (let j = 0; j < names; j++) sum += data.score[grouped[from + j]]
    const mean = sum / names
    const share = (book * names) / inLegs
    if (longShort) {
      writeLeg(data.asset, data.score, grouped, from, k, false, -share, weighting, mean, ring, at)
      at += k
    }
    writeLeg(data.asset, data.score, grouped, from + names - k, k, true, share, weighting, mean, ring, at)
    at += k
  }
  ring.size[t] = at - ring.from[t]
}

/** The date's order, stably split by market into `scratch.grouped`. Returns the number of eligible names. */
function groupByMarket(data: Dataset, date: number, scratch: TargetScratch): number {
  const start = data.offsets[date]
  const { grouped, groupStart, range, buckets } = scratch
  let rows = buckets.rows
  let from = 0
  let eligible: number
  if (data.ranking) {
    rows = data.ranking.order
    from = start
    eligible = data.ranking.eligible[date]
  } else {
    scoreRange(data.score, start, data.offsets[date + 1], range)
    orderDate(data.score, start, data.offsets[date + 1], range, buckets, rows, 0)
    eligible = range.eligible
  }
  const markets = groupStart.length - 1
  groupStart.fill(0)
  for (let j = 0; j < eligible; j++) groupStart[data.market[rows[from + j]] + 1]++
  for (let m = 0; m < markets; m++) groupStart[m + 1] += groupStart[m]
  for (let j = 0; j < eligible; j++) grouped[groupStart[data.market[rows[from + j]]]++] = rows[from + j]
  // Each start has moved on to the next group's; move them back.
  for (let m = markets; m > 0; m--) groupStart[m] = groupStart[m - 1]
  groupStart[0] = 0
  return eligible
}
