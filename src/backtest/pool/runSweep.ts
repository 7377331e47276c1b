import { Failure } from '../../errors.ts'
import type { EncodedResult } from '../pipeline/encodeResult.ts'
import { dataOf, type SliceSeries, type SweepPlan } from '../pipeline/sweepPlan.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import type { ResultFormat } from '../request.ts'
import type { ComputePool, RunOptions, TaskOptions } from './computePool.ts'
import { runSpa } from './runSpa.ts'
import type { Ticket } from './tickets.ts'

export interface SweepOptions {
  readonly signal?: AbortSignal | undefined
  /** From `pool.admit`; `runSweep` leaves it when the sweep is over. */
  readonly ticket: Ticket
  /** By default JSON. */
  readonly resultFormat?: ResultFormat | undefined
  /** Called after every slice with the number of finished trials and of all trials. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** How long the whole sweep may run, not counting the time that it waits for other requests. */
  readonly timeLimitMs?: number | undefined
}

/** Runs a planned sweep on this process's threads. Each lane takes the next slice when its last one is done,
 * and every slice competes fairly with other requests. The result is bit-identical for any number of threads
 * and any slices.
 *
 * Rejects with the signal's reason as soon as the caller gives up; running slices then stop within one
 * period. */
export async function runSweep(
  pool: ComputePool,
  plan: SweepPlan,
  { signal, ticket, resultFormat = 'json', onProgress, timeLimitMs = Number.POSITIVE_INFINITY }: SweepOptions,
): Promise<EncodedResult> {
  const busyMsBefore = ticket.busyMs
  const failed = new AbortController()
  const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const series = new Array<SliceSeries>(plan.slices.length)
  const laneCount = Math.min(pool.threads, plan.slices.length)
  let next = 0
  let done = 0

  /** Allows each lane the full time limit, so that parallel slices count once. A sweep that runs alone takes
   * that long by the clock. */
  function checkTime(): void {
    if (ticket.busyMs - busyMsBefore > timeLimitMs * laneCount) throw tookTooLong(timeLimitMs)
  }

  async function runLane(): Promise<void> {
    while (next < plan.slices.length) {
      const slice = next++
      series[slice] = await runSlice(pool, plan, slice, { signal: ended, ticket })
      checkTime()
      done += plan.slices[slice].length
      onProgress?.(done, plan.configs.length)
    }
  }

  const lanes = Array.from({ length: laneCount }, runLane)
  const whole = Promise.all(lanes).then(() =>
    finishSweep(pool, plan, series, resultFormat, { signal: ended, ticket }, checkTime),
  )
  try {
    return await (signal ? Promise.race([whole, rejectedBy(signal)]) : whole)
  } finally {
    failed.abort()
    // After an abort, slices may still run although the caller has its response: they keep the ticket until
    // the last one ends.
    Promise.allSettled([...lanes, whole]).then(() => pool.leave(ticket))
  }
}

function tookTooLong(timeLimitMs: number): Failure {
  return new Failure(
    'compute_timeout',
    `The sweep took longer than ${timeLimitMs / 1000} s. Try fewer configurations, rows or dates, or send it with Prefer: respond-async: a submitted sweep may take longer.`,
  )
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Runs one slice of a plan. Returns the same bytes in any process, on any thread and in any order.
 *
 * @param slice its index in `plan.slices` */
export async function runSlice(
  pool: ComputePool,
  plan: SweepPlan,
  slice: number,
  options: RunOptions,
): Promise<SliceSeries> {
  const { view, tradingCosts } = plan
  // All configurations of a slice rank the same rows.
  const data = dataOf(plan, plan.slices[slice][0])
  const configs = plan.slices[slice].map(index => plan.configs[index])
  const series = new Float64Array(new SharedArrayBuffer(sliceBytes(plan, slice)))
  const stop = new Int32Array(new SharedArrayBuffer(4))
  await pool.tasks.simulateSlice({ data, view, configs, tradingCosts, series, stop }, { ...options, stop })
  return series
}

/** The size of the slice's series: per configuration, 8 bytes for each period and 8 for its mean turnover. */
function sliceBytes({ configs, slices, view }: SweepPlan, slice: number): number {
  const periods = rebalanceDates(view.firstDate, view.endDate, configs[0].step).length
  return 8 * slices[slice].length * (periods + 1)
}

/** The result of a sweep whose slices are all done: the resamples of its evidence, then everything else in
 * one task.
 *
 * @param series of each slice, in the order of `plan.slices`
 * @param options with a ticket that the caller admits and leaves
 * @param afterSlice called after each slice of resamples; may throw, to end a sweep that has taken too long
 */
export async function finishSweep(
  pool: ComputePool,
  plan: SweepPlan,
  series: readonly SliceSeries[],
  resultFormat: ResultFormat,
  options: Pick<TaskOptions, 'signal'> & { readonly ticket: Ticket },
  afterSlice?: () => void,
): Promise<EncodedResult> {
  const spa = await runSpa(pool, plan, series, options, afterSlice)
  return pool.tasks.finishSweep({ plan, series, resultFormat, spa }, options)
}
