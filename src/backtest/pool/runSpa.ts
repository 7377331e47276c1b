import { maximaPerResample, type SpaTest, spaResult } from '../evidence/spa.ts'
import { decisionStages, isRejected, type SpaOutcome } from '../evidence/superiority.ts'
import { isDecisionEnough } from '../pipeline/evidence.ts'
import { cutSpaSlices, type SpaSlice } from '../pipeline/sweepEvidence.ts'
import type { SliceSeries, SweepPlan } from '../pipeline/sweepPlan.ts'
import type { ComputePool, TaskOptions } from './computePool.ts'
import type { Ticket } from './tickets.ts'

/** Runs the test for superior predictive ability of a sweep whose slices are all done. Each lane takes the
 * next slice of resamples, and every slice competes fairly with other requests. Every resample has its own
 * random numbers, and p values are counts, so the result is bit-identical for any number of threads.
 *
 * If the request does not include the test, its resamples only decide the verdict. They are then drawn in
 * stages, and end with the stage that rejects the test: most sweeps of noise need a tenth. The verdict is the
 * same as with all resamples.
 *
 * @param afterSlice may throw, to end a sweep that has taken too long */
export async function runSpa(
  pool: ComputePool,
  plan: SweepPlan,
  series: readonly SliceSeries[],
  options: Pick<TaskOptions, 'signal'> & { readonly ticket: Ticket },
  afterSlice: () => void = () => {},
): Promise<SpaOutcome> {
  const { evidence } = plan
  const prepared = await pool.tasks.prepareSpa({ plan, series }, options)
  if (prepared === null) return { kind: 'impossible' }
  const { seed, bootstraps } = evidence
  const { tiles, ...test } = prepared
  const maxima = tiles.map(() => sharedDoubles(maximaPerResample * bootstraps))
  const stop = new Int32Array(new SharedArrayBuffer(4))

  async function runLane(slices: SpaSlice[]): Promise<void> {
    for (let slice = slices.pop(); slice && stop[0] === 0; slice = slices.pop()) {
      const { tile, first, end } = slice
      const out = maxima[tile].subarray(maximaPerResample * first, maximaPerResample * end)
      const input = { test, tile: tiles[tile], seed, first, end, maxima: out, stop }
      await pool.tasks.runSpaSlice(input, { ...options, stop })
      afterSlice()
    }
  }

  async function draw(prepared: SpaTest, from: number, to: number): Promise<void> {
    const slices = cutSpaSlices(prepared, [from, to]).reverse()
    const lanes = Array.from({ length: Math.min(pool.threads, slices.length) }, () =>
      runLane(slices).catch(error => {
        Atomics.store(stop, 0, 1)
        throw error
      }),
    )
    // The slices keep the ticket until the last one ends, even if the first has failed.
    for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason
  }

  const stages = isDecisionEnough(evidence) ? decisionStages : [1]
  let drawn = 0
  for (const share of stages) {
    if (isDecisionEnough(evidence) && isRejected(test, maxima, drawn, bootstraps)) return { kind: 'rejected' }
    const end = Math.ceil(bootstraps * share)
    await draw(prepared, drawn, end)
    drawn = end
  }
  return { kind: 'complete', result: spaResult(test, maxima, bootstraps) }
}

const sharedDoubles = (count: number) => new Float64Array(new SharedArrayBuffer(8 * count))
