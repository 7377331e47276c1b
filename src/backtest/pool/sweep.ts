import { Failure } from '../../errors.ts'
import { planPeriods } from '../portfolio/settings.ts'
import type { ResultForm } from '../request.ts'
import type { ComputePool, RunOptions } from './computePool.ts'
import type { Visit } from './scheduler.ts'
import type { SliceSeries, SweepPlan } from './sweepPlan.ts'
import type { WrittenResult } from './tasks.ts'

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

/** Runs one slice of a plan. The same bytes in whatever process, on whatever thread and in whatever order.
 *
 * @param slice its place in `plan.slices` */
export async function runSlice(
  pool: ComputePool,
  plan: SweepPlan,
  slice: number,
  options: Pick<RunOptions, 'signal' | 'visit'> = {},
): Promise<SliceSeries> {
  const { data, view, prices } = plan
  const configs = plan.slices[slice].map(place => plan.configs[place])
  const series = new Float64Array(new SharedArrayBuffer(sliceBytes(plan, slice)))
  const stop = new Int32Array(new SharedArrayBuffer(4))
  await pool.run('sweep_slice', { data, view, configs, prices, series, stop }, { ...options, stop })
  return series
}

/** Bytes that the slice's series takes: per configuration 8 for each period and 8 for its mean turnover. */
export function sliceBytes({ configs, slices, view }: SweepPlan, slice: number): number {
  const periods = planPeriods(view.firstDate, view.endDate, configs[0].step).length
  return 8 * slices[slice].length * (periods + 1)
}

/** The result of a sweep whose slices are all done.
 *
 * @param series of each slice, in the order of `plan.slices` */
export function finishSweep(
  pool: ComputePool,
  plan: SweepPlan,
  series: readonly SliceSeries[],
  form: ResultForm,
  options: Pick<RunOptions, 'signal' | 'visit'> = {},
): Promise<WrittenResult> {
  return pool.run('sweep_finish', { plan, series, form }, options)
}
