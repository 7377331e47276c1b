import type { ComputePool } from '../../compute/ComputePool.ts'
import type { BacktestResult } from '../../model/backtestResult.ts'
import type { MarketCosts } from '../../model/marketCosts.ts'
import type { ArchiveCache } from './ArchiveCache.ts'

export interface BacktestDeps {
  readonly pool: ComputePool
  readonly archive: ArchiveCache
  readonly markets: MarketCosts
}

/** Runs the backtest that a request body asks for. The bytes go to a worker unparsed and are gone for the caller: a
 * panel is never parsed on this thread. Fails with a Failure that names what is wrong, or with the signal's reason. */
export async function runBacktest(
  { pool, archive, markets: costs }: BacktestDeps,
  body: Uint8Array,
  signal?: AbortSignal,
): Promise<BacktestResult> {
  const owned = ownBuffer(body)
  const read = await pool.run('backtest_body', { body: owned, costs }, { signal, transfer: [owned.buffer] })
  if (read.kind === 'result') return read.result
  const { request } = read
  const { data, dataVersion } = await archive.get(
    request.source.horizon ?? '1d',
    request.source.market ?? null,
  )
  return pool.run('backtest_archive', { data, request, costs, dataVersion }, { signal })
}

/** Only a whole ArrayBuffer can move to another thread; a part of one, or shared memory, is copied first. */
function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(body)
}
