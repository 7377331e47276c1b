import {
  maximaPerResample,
  prepareSpa,
  resampleMaxima,
  type SpaResult,
  type SpaTest,
  spaResult,
} from './spa.ts'

const alpha = 0.05
const lostBlocks = 15

/** The consistent p value below which a record speaks for skill: .05 max(0, 1 - 15 L / T).
 *
 * The test rejects noise too often where few blocks make up the record: of 60 periods, 7 to 9 of 100 sweeps without skill are
 * below .05. The level allows for it (.0375 of 60 blocks, .0494 of 1,260), and nothing passes with 15 blocks or fewer.
 * Measured in test/backtest/judging; the p value itself is as defined.
 *
 * @param periods T
 * @param meanBlock L, in periods */
export const levelOf = ({ periods, meanBlock }: Pick<SpaTest, 'periods' | 'meanBlock'>): number =>
  alpha * Math.max(0, 1 - (lostBlocks * meanBlock) / periods)

/** What became of the test. `rejected`: the consistent p value is not below `levelOf`; the other resamples could not have
 * changed that, so they were not drawn. `impossible`: the record is too short or too large, or a return overflowed. */
export type SpaOutcome =
  | { readonly kind: 'complete'; readonly result: SpaResult }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'impossible' }

/** What the test says of skill: `clear` if the consistent p value is below half of the level, `close` if it is below the level. */
export type Superiority = 'clear' | 'close' | 'none'

/** Null if it is not known. The same whether all resamples were drawn or not.
 *
 * @param level from `levelOf` */
export function superiorityAt(outcome: SpaOutcome, level: number): Superiority | null {
  if (outcome.kind === 'impossible') return null
  if (outcome.kind === 'rejected' || !(outcome.result.consistent < level)) return 'none'
  return outcome.result.consistent < level / 2 ? 'clear' : 'close'
}

/** Whether the consistent p value will not be below the level, whatever the resamples that are left.
 *
 * @param tiles room for the maxima of all resamples for each tile; the first `drawn` are filled */
export function isRejected(
  test: Omit<SpaTest, 'tiles'>,
  tiles: readonly Float64Array[],
  drawn: number,
  resamples: number,
): boolean {
  const { statistic } = test
  if (statistic === 0) return true
  let hits = 0
  for (let s = 0; s < drawn; s++)
    if (tiles.some(maxima => maxima[s * maximaPerResample + 1] > statistic)) hits++
  return hits / resamples >= levelOf(test)
}

/** Shares of the resamples after which `isRejected` is asked. Most records of noise need no more than the first. */
export const decisionStages: readonly number[] = [0.125, 0.25, 0.5, 1]

/** `resampleMaxima` and `spaResult` on one thread, tile by tile.
 *
 * @param isDecisionEnough without the p values: stops as soon as the test is rejected */
export function testSuperiority(
  series: readonly Float64Array[],
  benchmark: Float64Array,
  meanBlock: number,
  { resamples, seed, isDecisionEnough }: SpaDraws,
): SpaOutcome {
  const test = prepareSpa(series, benchmark, meanBlock)
  if (test === null) return { kind: 'impossible' }
  const maxima = test.tiles.map(() => new Float64Array(maximaPerResample * resamples))
  let drawn = 0
  for (const share of isDecisionEnough ? decisionStages : [1]) {
    if (isDecisionEnough && isRejected(test, maxima, drawn, resamples)) return { kind: 'rejected' }
    const end = Math.ceil(resamples * share)
    test.tiles.forEach((tile, i) => {
      const out = maxima[i].subarray(maximaPerResample * drawn, maximaPerResample * end)
      resampleMaxima(test, tile, seed, [drawn, end], out)
    })
    drawn = end
  }
  return { kind: 'complete', result: spaResult(test, maxima, resamples) }
}

interface SpaDraws {
  readonly resamples: number
  readonly seed: number
  readonly isDecisionEnough: boolean
}

/** The p values of both tests. Null where `prepareSpa` is. */
export function superiorPredictiveAbility(
  series: readonly Float64Array[],
  benchmark: Float64Array,
  meanBlock: number,
  resamples: number,
  seed: number,
): SpaResult | null {
  const draws = { resamples, seed, isDecisionEnough: false }
  const outcome = testSuperiority(series, benchmark, meanBlock, draws)
  return outcome.kind === 'complete' ? outcome.result : null
}
