import { type LegRule, setLegRule } from '../legs.ts'
import type { BookSettings } from '../settings.ts'
import { type RunRows, spanOf } from './loadBlock.ts'
import type { TileMemory } from './memory.ts'

/** Sums of |score - mean| over the two legs of each period, top then bottom: what score weights are divided by. */
export type Convictions = Float64Array

const rule: LegRule = { topFrom: 0, bottomTo: 0, topTotal: 0, bottomTotal: 0, names: 0 }

/** Dense targets of periods t .. t + count - 1 to the ring, from the block of ranks. Returns decide nothing here. A leg of
 * one name weighs the same by every rule, to the bit: trials of a sweep that are one book must tie.
 *
 * @param eligible n of every period
 * @param mean of every period's scores
 * @param convictions with score weights, of every period */
export function formBlock(
  memory: TileMemory,
  settings: BookSettings,
  eligible: Int32Array,
  mean: Float64Array,
  convictions: Convictions,
  t: number,
  count: number,
): void {
  const { kernel, tile, slots } = memory
  const { width } = tile
  for (let i = 0; i < count; i++) {
    const target = memory.targets + 8 * width * ((t + i) % slots)
    const ranks = memory.ranks + 4 * width * i
    setLegRule(rule, eligible[t + i], settings)
    const { topFrom, bottomTo, topTotal, bottomTotal, names } = rule
    if (names === 0) kernel.doubles.fill(0, target / 8, target / 8 + width)
    else if (settings.weighting === 'score' && names > 1) {
      weighByScore(memory, ranks, memory.scores + 8 * width * i, target, mean[t + i], convictions, t + i)
    } else {
      const shares = settings.weighting === 'rank' ? (names * (names + 1)) / 2 : names
      const form = settings.weighting === 'rank' ? kernel.calls.rankTarget : kernel.calls.equalTarget
      form(ranks, target, width, topFrom, bottomTo, topTotal / shares, bottomTotal / shares)
    }
  }
}

/** Below this a weight per unit of conviction is beyond the largest double. */
const leastConviction = 1e-290

function weighByScore(
  { kernel, tile }: TileMemory,
  ranks: number,
  scores: number,
  target: number,
  mean: number,
  convictions: Convictions,
  t: number,
): void {
  const { width } = tile
  const { topFrom, bottomTo, topTotal, bottomTotal, names } = rule
  const top = convictions[2 * t]
  const bottom = convictions[2 * t + 1]
  if (top >= leastConviction && (bottom >= leastConviction || bottomTo === 0)) {
    const bottomUnit = bottomTo === 0 ? 0 : bottomTotal / bottom
    kernel.calls.scoreTarget(
      ranks,
      scores,
      target,
      width,
      topFrom,
      bottomTo,
      mean,
      topTotal / top,
      bottomUnit,
    )
    return
  }
  const { doubles, integers } = kernel
  const share = (c: number, sum: number) =>
    sum > 0 ? Math.abs(doubles[scores / 8 + c] - mean) / sum : 1 / names // every score is the mean: equal weights
  for (let c = 0; c < width; c++) {
    const place = integers[ranks / 4 + c]
    let weight = 0
    if (place >= topFrom) weight = topTotal * share(c, top)
    else if (place >= 0 && place < bottomTo) weight = bottomTotal * share(c, bottom)
    doubles[target / 8 + c] = weight
  }
}

/** Adds the block's share of every period's convictions, from its ranks and scores. */
export function addConvictions(
  memory: TileMemory,
  settings: BookSettings,
  eligible: Int32Array,
  mean: Float64Array,
  convictions: Convictions,
  t: number,
  count: number,
): void {
  const { kernel, tile, stats } = memory
  for (let i = 0; i < count; i++) {
    setLegRule(rule, eligible[t + i], settings)
    if (rule.names === 0) continue
    const ranks = memory.ranks + 4 * tile.width * i
    const scores = memory.scores + 8 * tile.width * i
    kernel.doubles.fill(0, stats / 8, stats / 8 + 2)
    kernel.calls.addConvictions(ranks, scores, tile.width, rule.topFrom, rule.bottomTo, mean[t + i], stats)
    convictions[2 * (t + i)] += kernel.doubles[stats / 8]
    convictions[2 * (t + i) + 1] += kernel.doubles[stats / 8 + 1]
  }
}

/** Dense targets where every row's weight is known already: legs inside markets. */
export function formFromRows(
  run: RunRows,
  memory: TileMemory,
  weights: Float64Array,
  t: number,
  count: number,
): void {
  const { doubles } = memory.kernel
  const { width, firstColumn } = memory.tile
  const { columnOf } = run.plan
  const { asset } = run.data
  for (let i = 0; i < count; i++) {
    const target = memory.targets / 8 + width * ((t + i) % memory.slots)
    doubles.fill(0, target, target + width)
    const { rows, from, to } = spanOf(run, memory, t + i)
    for (let j = from; j < to; j++) {
      const row = rows ? rows[j] : j
      const column = columnOf ? columnOf[asset[row]] : asset[row]
      doubles[target + column - firstColumn] = weights[row]
    }
  }
}
