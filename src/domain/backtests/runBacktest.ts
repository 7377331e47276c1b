import type { WrittenResult } from '../../compute/writtenResult.ts'
import { type BacktestDeps, type BodyOptions, prepareBacktest } from './prepareBacktest.ts'
import { runSweep, type SweepOptions } from './runSweep.ts'

export type { BacktestDeps } from './prepareBacktest.ts'

export interface BacktestOptions extends Omit<SweepOptions, 'visit'>, BodyOptions {}

/** Runs the backtest or sweep that a request body asks for, to the end. */
export async function runBacktest(
  deps: BacktestDeps,
  body: Uint8Array,
  signal?: AbortSignal,
  { onProgress, timeLimitMs, ...bodyOptions }: Omit<BacktestOptions, 'signal'> = {},
): Promise<WrittenResult> {
  signal?.throwIfAborted()
  const { pool } = deps
  const { form } = bodyOptions
  // Who was let in stays in: a sweep whose body was read is not turned away half-way.
  const visit = pool.enter()
  let left = false
  try {
    const prepared = await prepareBacktest(deps, body, { signal, visit }, bodyOptions)
    if (prepared.kind === 'result') return prepared.result
    left = true
    return await runSweep(pool, prepared.plan, { signal, visit, form, onProgress, timeLimitMs })
  } finally {
    if (!left) pool.leave(visit)
  }
}
