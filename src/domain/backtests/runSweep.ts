import type { ComputePool } from '../../compute/ComputePool.ts'
import type { SliceSeries, SweepPlan } from '../../compute/sweepPlan.ts'
import type { Visit } from '../../compute/TurnQueue.ts'
import type { WrittenResult } from '../../compute/writtenResult.ts'
import { Failure } from '../../errors.ts'
import type { ResultForm } from '../../model/resultForm.ts'
import { finishSweep } from './finishSweep.ts'
import { runSlice } from './runSlice.ts'

export interface SweepOptions {
  readonly signal?: AbortSignal | undefined
  /** From `pool.enter`, to be left when the sweep is over. Without it the sweep has to be let in. */
  readonly visit?: Visit
  /** By default JSON. */
  readonly form?: ResultForm | undefined
  /** Called after every slice with the trials that are done, and all there are. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** Longest the whole sweep may run; what it waits for others is not counted. */
  readonly timeLimitMs?: number | undefined
}

/** Runs a planned sweep on this process's threads: each takes the next slice when it is done with one, and every turn is
 * shared with other requests. The result does not depend, to the bit, on the number of threads or on the slices.
 *
 * Rejects with the signal's reason as soon as the caller gives up; what runs then stops within a period's work. */
export async function runSweep(
  pool: ComputePool,
  plan: SweepPlan,
  {
    signal,
    visit = pool.enter(),
    form = 'json',
    onProgress,
    timeLimitMs = Number.POSITIVE_INFINITY,
  }: SweepOptions = {},
): Promise<WrittenResult> {
  const busyBefore = visit.busyMs
  const failed = new AbortController()
  const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const series = new Array<SliceSeries>(plan.slices.length)
  const laneCount = Math.min(pool.threads, plan.slices.length)
  let next = 0
  let done = 0

  async function takeSlices(): Promise<void> {
    while (next < plan.slices.length) {
      const slice = next++
      series[slice] = await runSlice(pool, plan, slice, { signal: ended, visit })
      // Turns at a time count once: alone, the sweep takes as long by the clock.
      if (visit.busyMs - busyBefore > timeLimitMs * laneCount) throw tookTooLong(timeLimitMs)
      done += plan.slices[slice].length
      onProgress?.(done, plan.configs.length)
    }
  }

  const lanes = Array.from({ length: laneCount }, takeSlices)
  const whole = Promise.all(lanes).then(() => finishSweep(pool, plan, series, form, { signal: ended, visit }))
  try {
    return await (signal ? Promise.race([whole, rejectedBy(signal)]) : whole)
  } finally {
    failed.abort()
    // The visit is over when its last slice is, which is after the caller has its answer where there was none to wait for.
    Promise.allSettled([...lanes, whole]).then(() => pool.leave(visit))
  }
}

function tookTooLong(timeLimitMs: number): Failure {
  return new Failure(
    'compute_timeout',
    `The sweep took longer than ${timeLimitMs / 1000} s. Try fewer configurations, rows or dates, or send it with Prefer: respond-async: what is submitted so may take longer.`,
  )
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
