import { maximaPerResample, type SpaResult, spaResult } from '../evidence/spa.ts'
import { cutSpaSlices } from '../pipeline/sweepEvidence.ts'
import type { SliceSeries, SweepPlan } from '../pipeline/sweepPlan.ts'
import type { ComputePool, TaskOptions } from './computePool.ts'
import type { Ticket } from './tickets.ts'

/** Runs the test for superior predictive ability of a sweep whose slices are all done. Each lane takes the next slice of resamples,
 * and every slice competes fairly with other requests. Every resample has its own random numbers, and p values are counts: the
 * result is bit-identical for any number of threads.
 *
 * Undefined if the request does not include the test, null if it cannot be computed.
 *
 * @param afterSlice may throw, to end a sweep that has taken too long */
export async function runSpa(
  pool: ComputePool,
  plan: SweepPlan,
  series: readonly SliceSeries[],
  options: Pick<TaskOptions, 'signal'> & { readonly ticket: Ticket },
  afterSlice: () => void = () => {},
): Promise<SpaResult | null | undefined> {
  const { evidence } = plan
  if (!evidence?.sections.includes('spa')) return undefined
  const prepared = await pool.run('sweep_spa', { plan, series }, options)
  if (prepared === null) return null
  const { seed, bootstraps } = evidence
  const { tiles, ...test } = prepared
  const slices = cutSpaSlices(prepared, bootstraps)
  const maxima = tiles.map(() => sharedDoubles(maximaPerResample * bootstraps))
  const stop = new Int32Array(new SharedArrayBuffer(4))
  let next = 0

  async function runLane(): Promise<void> {
    while (next < slices.length && stop[0] === 0) {
      const { tile, first, end } = slices[next++]
      const out = maxima[tile].subarray(maximaPerResample * first, maximaPerResample * end)
      const input = { test, tile: tiles[tile], seed, first, end, maxima: out, stop }
      await pool.run('spa_slice', input, { ...options, stop })
      afterSlice()
    }
  }

  const lanes = Array.from({ length: Math.min(pool.threads, slices.length) }, () =>
    runLane().catch(error => {
      Atomics.store(stop, 0, 1)
      throw error
    }),
  )
  // The ticket is theirs until the last one ends, even if the first has failed.
  for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason
  return spaResult(test, maxima, bootstraps)
}

const sharedDoubles = (count: number) => new Float64Array(new SharedArrayBuffer(8 * count))
