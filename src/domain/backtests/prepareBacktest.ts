import type { ComputePool } from '../../compute/ComputePool.ts'
import type { SweepPlan } from '../../compute/sweepPlan.ts'
import type { BacktestResult } from '../../model/backtestResult.ts'
import type { BodyFormat, BodyQuery } from '../../model/bodyFormat.ts'
import type { MarketCosts } from '../../model/marketCosts.ts'
import type { ArchiveCache } from './ArchiveCache.ts'
import { planSweep } from './planSweep.ts'

export interface BacktestDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get'>
  readonly markets: MarketCosts
}

export interface BodyOptions {
  readonly format?: BodyFormat
  /** What a body that is rows alone has no room for. */
  readonly query?: BodyQuery
}

export type PreparedBacktest =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  | { readonly kind: 'sweep'; readonly plan: SweepPlan }

/** What a request body asks for, as far as one thread takes it: the result of one configuration, or a sweep that is
 * planned and yet to be run. The bytes go to a worker unparsed and are gone for the caller: a panel is never parsed on
 * this thread. Fails with a Failure that names what is wrong, or with the signal's reason. */
export async function prepareBacktest(
  { pool, archive, markets: costs }: BacktestDeps,
  body: Uint8Array,
  signal?: AbortSignal,
  { format = 'json', query = {} }: BodyOptions = {},
): Promise<PreparedBacktest> {
  const owned = ownBuffer(body)
  const read = await pool.run(
    'backtest_body',
    { body: owned, format, query, costs },
    { signal, transfer: [owned.buffer] },
  )
  if (read.kind !== 'archive') return read
  const { request } = read
  const { data, dataVersion } = await archive.get(
    request.source.horizon ?? '1d',
    request.source.market ?? null,
  )
  const input = { data, request, costs, dataVersion }
  if (request.sweep) return { kind: 'sweep', plan: await planSweep(pool, input, { signal }) }
  return { kind: 'result', result: await pool.run('backtest_archive', input, { signal }) }
}

/** Only a whole ArrayBuffer can move to another thread; a part of one, or shared memory, is copied first. */
function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(body)
}
