import type { WrittenResult } from '../../compute/writtenResult.ts'
import { type BacktestDeps, type BodyOptions, prepareBacktest } from './prepareBacktest.ts'
import { runSweep, type SweepOptions } from './runSweep.ts'

export type { BacktestDeps } from './prepareBacktest.ts'

export interface BacktestOptions extends SweepOptions, BodyOptions {}

/** Runs the backtest or sweep that a request body asks for, to the end. */
export async function runBacktest(
  deps: BacktestDeps,
  body: Uint8Array,
  signal?: AbortSignal,
  { onProgress, timeLimitMs, ...bodyOptions }: Omit<BacktestOptions, 'signal'> = {},
): Promise<WrittenResult> {
  const prepared = await prepareBacktest(deps, body, signal, bodyOptions)
  if (prepared.kind === 'result') return prepared.result
  return runSweep(deps.pool, prepared.plan, { signal, form: bodyOptions.form, onProgress, timeLimitMs })
}
