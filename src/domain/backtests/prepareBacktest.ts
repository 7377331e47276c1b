import type { ComputePool } from '../../compute/ComputePool.ts'
import type { SweepPlan } from '../../compute/sweepPlan.ts'
import { Failure } from '../../errors.ts'
import type { BacktestResult } from '../../model/backtestResult.ts'
import type { BodyFormat, BodyQuery } from '../../model/bodyFormat.ts'
import type { MarketCosts } from '../../model/marketCosts.ts'
import type { Dataset } from '../../quant/dataset.ts'
import type { ArchiveCache } from './ArchiveCache.ts'
import { ownBuffer } from './ownBuffer.ts'
import { planSweep } from './planSweep.ts'

export interface BacktestDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get'>
  readonly markets: MarketCosts
  /** The rows of a panel that a key has stored. */
  readonly openPanel?: (keyId: number, panelId: string) => Promise<Dataset>
}

export interface BodyOptions {
  readonly format?: BodyFormat
  /** What a body that is rows alone has no room for. */
  readonly query?: BodyQuery
  /** Whose request it is, and so whose stored panels it may name. */
  readonly keyId?: number | null
}

export type PreparedBacktest =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  | { readonly kind: 'sweep'; readonly plan: SweepPlan }

/** What a request body asks for, as far as one thread takes it: the result of one configuration, or a sweep that is
 * planned and yet to be run. The bytes go to a worker unparsed and are gone for the caller: a panel is never parsed on
 * this thread. Fails with a Failure that names what is wrong, or with the signal's reason. */
export async function prepareBacktest(
  { pool, archive, markets: costs, openPanel }: BacktestDeps,
  body: Uint8Array,
  signal?: AbortSignal,
  { format = 'json', query = {}, keyId = null }: BodyOptions = {},
): Promise<PreparedBacktest> {
  const owned = ownBuffer(body)
  const read = await pool.run(
    'backtest_body',
    { body: owned, format, query, costs },
    { signal, transfer: [owned.buffer] },
  )
  if (read.kind === 'stored') {
    const { request } = read
    if (openPanel === undefined || keyId === null) throw nothingStored()
    const data = await openPanel(keyId, request.panelId)
    return pool.run('backtest_stored', { data, request, costs }, { signal })
  }
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

function nothingStored(): Failure {
  return new Failure('parameter_invalid', 'There are no stored panels here. Send the rows as panel.', {
    param: 'panel',
  })
}
