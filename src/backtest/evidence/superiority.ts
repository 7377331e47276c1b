import {
  maximaPerResample,
  prepareSpa,
  resampleMaxima,
  type SpaResult,
  type SpaTest,
  spaResult,
} from './spa.ts'

/** Probability below which the consistent p value speaks for skill. */
export const spaLevel = 0.05

/** What became of the test. `rejected`: the consistent p value is at least `spaLevel`; the other resamples could not have
 * changed that, so they were not drawn. `impossible`: the record is too short, or a return overflowed. */
export type SpaOutcome =
  | { readonly kind: 'complete'; readonly result: SpaResult }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'impossible' }

/** Whether the consistent p value is below `spaLevel`; null if it is not known. The same whether all resamples were drawn or not. */
export function isSuperior(outcome: SpaOutcome): boolean | null {
  if (outcome.kind === 'impossible') return null
  return outcome.kind === 'complete' && outcome.result.consistent < spaLevel
}

/** Whether the consistent p value will be at least `spaLevel`, whatever the resamples that are left.
 *
 * @param tiles of each tile the maxima of all resamples, of which the first `drawn` are filled */
export function isRejected(
  { statistic }: Pick<SpaTest, 'statistic'>,
  tiles: readonly Float64Array[],
  drawn: number,
  resamples: number,
): boolean {
  if (statistic === 0) return true
  let hits = 0
  for (let s = 0; s < drawn; s++)
    if (tiles.some(maxima => maxima[s * maximaPerResample + 1] > statistic)) hits++
  return hits / resamples >= spaLevel
}

/** How much more is drawn before `isRejected` is asked again. */
const resamplesPerLook = 25

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
  const size = isDecisionEnough ? resamplesPerLook : resamples
  for (let first = 0; first < resamples; first += size) {
    if (isDecisionEnough && isRejected(test, maxima, first, resamples)) return { kind: 'rejected' }
    const end = Math.min(resamples, first + size)
    test.tiles.forEach((tile, i) => {
      const out = maxima[i].subarray(maximaPerResample * first, maximaPerResample * end)
      resampleMaxima(test, tile, seed, [first, end], out)
    })
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
