import { type LegRule, setLegRule } from '../legs.ts'
import { type RunRows, spanOf } from './loadBlock.ts'
import type { TileMemory, TileNeeds } from './tileMemory.ts'

const rule: LegRule = { topFrom: 0, bottomTo: 0, topTotal: 0, bottomTotal: 0, names: 0 }

/** What determines the legs of a run that ranks names by score. */
interface RankedRun {
  readonly needs: TileNeeds
  /** n for every period. */
  readonly eligible: Int32Array
  /** For every period. */
  readonly meanScore: Float64Array
  /** With score weights: `Run.convictions`. */
  readonly convictions: Float64Array
}

/** Writes the dense targets of periods t .. t + count - 1 to the ring, from the block of ranks. Returns have
 * no influence here. A leg of one name has the same weight, bit for bit, under every weighting: trials of a
 * sweep that hold the same portfolio must tie. */
export function formTargets(run: RankedRun, memory: TileMemory, t: number, count: number): void {
  const { settings } = run.needs
  const { kernel, tile, slots } = memory
  const { width } = tile
  for (let i = 0; i < count; i++) {
    const target = memory.targets + 8 * width * ((t + i) % slots)
    const ranks = memory.ranks + 4 * width * i
    setLegRule(rule, run.eligible[t + i], settings)
    const { topFrom, bottomTo, topTotal, bottomTotal, names } = rule
    if (names === 0) kernel.doubles.fill(0, target / 8, target / 8 + width)
    else if (settings.weighting === 'score' && names > 1) {
      const scores = memory.scores + 8 * width * i
      formScoreTarget(run, memory, { ranks, scores, target }, t + i)
    } else {
      const shares = settings.weighting === 'rank' ? (names * (names + 1)) / 2 : names
      const form = settings.weighting === 'rank' ? kernel.calls.rankTarget : kernel.calls.equalTarget
      form(ranks, target, width, topFrom, bottomTo, topTotal / shares, bottomTotal / shares)
    }
  }
}

/** Below this, a weight per unit of conviction exceeds the largest double. */
const minConviction = 1e-290

/** The byte addresses of one period. */
interface PeriodAddresses {
  readonly ranks: number
  readonly scores: number
  readonly target: number
}

/** One period's target in proportion to |score - mean|, for the legs of `rule`. */
function formScoreTarget(
  { meanScore, convictions }: RankedRun,
  { kernel, tile }: TileMemory,
  { ranks, scores, target }: PeriodAddresses,
  t: number,
): void {
  const mean = meanScore[t]
  const { width } = tile
  const { topFrom, bottomTo, topTotal, bottomTotal, names } = rule
  const top = convictions[2 * t]
  const bottom = convictions[2 * t + 1]
  if (top >= minConviction && (bottom >= minConviction || bottomTo === 0)) {
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
  // A sum of 0 means that every score equals the mean, which gives equal weights.
  const share = (c: number, sum: number) =>
    sum > 0 ? Math.abs(doubles[scores / 8 + c] - mean) / sum : 1 / names
  for (let c = 0; c < width; c++) {
    const rank = integers[ranks / 4 + c]
    let weight = 0
    if (rank >= topFrom) weight = topTotal * share(c, top)
    else if (rank >= 0 && rank < bottomTo) weight = bottomTotal * share(c, bottom)
    doubles[target / 8 + c] = weight
  }
}

/** Adds the contribution of the tile's ranks and scores in a block to the convictions of its periods. */
export function addConvictions(run: RankedRun, memory: TileMemory, t: number, count: number): void {
  const { needs, eligible, meanScore, convictions } = run
  const { kernel, tile, stats } = memory
  for (let i = 0; i < count; i++) {
    setLegRule(rule, eligible[t + i], needs.settings)
    if (rule.names === 0) continue
    const { topFrom, bottomTo } = rule
    const ranks = memory.ranks + 4 * tile.width * i
    const scores = memory.scores + 8 * tile.width * i
    kernel.doubles.fill(0, stats / 8, stats / 8 + 2)
    kernel.calls.addConvictions(ranks, scores, tile.width, topFrom, bottomTo, meanScore[t + i], stats)
    convictions[2 * (t + i)] += kernel.doubles[stats / 8]
    convictions[2 * (t + i) + 1] += kernel.doubles[stats / 8 + 1]
  }
}

/** Dense targets from weights that are known for every row, as for legs inside markets. */
export function targetsFromRows(
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
