import type { BatchDeflation, BatchSummaryLine } from '../../../../src/backtest/batchResult.ts'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import type { ComputePool } from '../../../../src/backtest/pool/computePool.ts'
import { runBatch } from '../../../../src/backtest/pool/runBatch.ts'
import type { BacktestResult } from '../../../../src/backtest/result.ts'
import { batchLines } from '../../../../src/features/backtests/batch/lines.ts'
import { checkBatch } from '../../../../src/features/backtests/batch/openBatch.ts'
import type { BacktestDeps } from '../../../../src/features/backtests/run.ts'
import { errorBody } from '../../../../src/http/errors.ts'

interface BatchRun {
  readonly lines: AsyncGenerator<Uint8Array, void, undefined>
  /** Hangs up. */
  readonly leave: () => void
}

interface RunOptions {
  readonly pool?: ComputePool
  readonly timeLimitMs?: number
}

/** A batch as its route runs it, without HTTP. */
export async function openBatch(
  deps: BacktestDeps,
  body: unknown,
  { pool = deps.pool, timeLimitMs = 60_000 }: RunOptions = {},
): Promise<BatchRun> {
  const left = new AbortController()
  const { signal } = left
  const ticket = pool.admit(operator)
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const checked = await checkBatch({ ...deps, pool }, bytes, 1, { signal, ticket }).catch(error => {
    pool.leave(ticket)
    throw error
  })
  const parts = runBatch(pool, checked.groups, { costs: deps.costs, signal, ticket, timeLimitMs })
  const stop = () => left.abort(new Error('the client left'))
  const errorOf = (failure: Parameters<typeof errorBody>[2]) =>
    errorBody('http://localhost', 'request-1', failure).error
  return { lines: batchLines(parts, { size: checked.size, errorOf, stop }), leave: stop }
}

export interface Line {
  readonly object: string
  readonly index: number
  readonly batch_size: number
  readonly deflated_sharpe?: BatchDeflation
  readonly verdict?: BacktestResult['verdict']
  readonly result?: BacktestResult
  readonly error?: { readonly code: string; readonly message: string; readonly param: string | null }
  readonly done?: number
  readonly count?: number
  readonly failed?: number
  readonly best?: BatchSummaryLine['best']
  /** The line as it was sent. */
  readonly text: string
}

export function linesOf(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => ({ ...JSON.parse(line), text: line }))
}

/** All lines of a batch that runs to its end. */
export async function runToEnd(deps: BacktestDeps, body: unknown, options: RunOptions = {}): Promise<Line[]> {
  const { lines } = await openBatch(deps, body, options)
  const pieces = await Array.fromAsync(lines)
  return linesOf(Buffer.concat(pieces).toString())
}

/** The text of `result` in a line, as it was sent. */
export const resultText = ({ text }: Line) => text.slice(text.indexOf(',"result":') + ',"result":'.length, -1)
