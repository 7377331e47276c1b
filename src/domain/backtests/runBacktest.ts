import type { ComputePool } from '../../compute/ComputePool.ts'
import type { BacktestResult } from '../../model/backtestResult.ts'
import type { BodyFormat, BodyQuery } from '../../model/bodyFormat.ts'
import type { MarketCosts } from '../../model/marketCosts.ts'
import type { ArchiveCache } from './ArchiveCache.ts'
import { planSweep } from './planSweep.ts'
import { runSweep, type SweepOptions } from './runSweep.ts'

export interface BacktestDeps {
  readonly pool: ComputePool
  readonly archive: ArchiveCache
  readonly markets: MarketCosts
}

export interface BacktestOptions extends SweepOptions {
  readonly format?: BodyFormat
  /** What a body that is rows alone has no room for. */
  readonly query?: BodyQuery
}

/** Runs the backtest or sweep that a request body asks for. The bytes go to a worker unparsed and are gone for the caller: a
 * panel is never parsed on this thread. Fails with a Failure that names what is wrong, or with the signal's reason. */
export async function runBacktest(
  { pool, archive, markets: costs }: BacktestDeps,
  body: Uint8Array,
  signal?: AbortSignal,
  { format = 'json', query = {}, onProgress }: Omit<BacktestOptions, 'signal'> = {},
): Promise<BacktestResult> {
  const owned = ownBuffer(body)
  const read = await pool.run(
    'backtest_body',
    { body: owned, format, query, costs },
    { signal, transfer: [owned.buffer] },
  )
  if (read.kind === 'result') return read.result
  if (read.kind === 'sweep') return runSweep(pool, read.plan, { signal, onProgress })
  const { request } = read
  const { data, dataVersion } = await archive.get(
    request.source.horizon ?? '1d',
    request.source.market ?? null,
  )
  const input = { data, request, costs, dataVersion }
  if (!request.sweep) return pool.run('backtest_archive', input, { signal })
  return runSweep(pool, await planSweep(pool, input, { signal }), { signal, onProgress })
}

/** Only a whole ArrayBuffer can move to another thread; a part of one, or shared memory, is copied first. */
function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(body)
}
