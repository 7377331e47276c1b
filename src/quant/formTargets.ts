import type { BookSettings } from './bookSettings.ts'
import type { Dataset } from './dataset.ts'
import { formNeutralTargets } from './formNeutralTargets.ts'
import { legSize } from './legSize.ts'
import { scoreRange } from './scoreRange.ts'
import { selectTails } from './selectTails.ts'
import type { TargetScratch } from './targetScratch.ts'
import type { TrancheRing } from './trancheRing.ts'
import { writeLeg } from './writeLeg.ts'

/** Writes the legs of one date to the ring's slot t: bottom leg first, each ascending by (score, asset id), so
 * every later sum runs in an order that only the data decide. Returns decide nothing here. */
export function formTargets(
  data: Dataset,
  date: number,
  settings: BookSettings,
  scratch: TargetScratch,
  ring: TrancheRing,
  t: number,
): void {
  if (settings.neutralMarket) {
    formNeutralTargets(data, date, settings, scratch, ring, t)
    return
  }
  const { range } = scratch
  const { ranking, asset, score } = data
  const { longShort, weighting } = settings
  const start = data.offsets[date]
  const end = data.offsets[date + 1]
  if (ranking === null || weighting === 'score') scoreRange(score, start, end, range)
  const eligible = ranking === null ? range.eligible : ranking.eligible[date]
  const k = legSize(eligible, settings.quantile, longShort)
  ring.size[t] = longShort ? 2 * k : k
  if (k === 0) return

  let rows = scratch.tails
  let bottomAt = 0
  let topAt = k
  if (ranking === null) selectTails(score, start, end, range, k, longShort, scratch.buckets, rows)
  else {
    rows = ranking.order
    bottomAt = start
    topAt = start + eligible - k
  }
  const mean = range.sum / eligible
  const legWeight = (longShort ? settings.gross / 2 : settings.gross) / settings.tranches
  let at = ring.from[t]
  if (longShort) {
    writeLeg(asset, score, rows, bottomAt, k, false, -legWeight, weighting, mean, ring, at)
    at += k
  }
  writeLeg(asset, score, rows, topAt, k, true, legWeight, weighting, mean, ring, at)
}
