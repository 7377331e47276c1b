import type { Dataset } from '../../backtest/dataset/dataset.ts'
import { type ComputePool, ownBuffer, type RunOptions } from '../../backtest/pool/computePool.ts'
import type { Visit } from '../../backtest/pool/scheduler.ts'
import { runSweep, type SweepOptions } from '../../backtest/pool/sweep.ts'
import { archiveOf, type Outcome, type WrittenResult } from '../../backtest/pool/tasks.ts'
import type { BacktestSource, BodyFormat, BodyQuery, ResultForm } from '../../backtest/request.ts'
import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { ArchiveCache } from './archive.ts'
import type { ScoredArchive } from './score.ts'

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

export interface BacktestDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get' | 'atHand'>
  readonly markets: MarketCosts
  /** The rows of a panel that a key has stored. */
  readonly openPanel?: (keyId: number, panelId: string) => Promise<Dataset>
  /** The archive ranked by a figure, where the key may see it. */
  readonly openScored?: (keyId: number, source: BacktestSource) => Promise<ScoredArchive>
}

export interface BodyOptions {
  readonly format?: BodyFormat
  /** What a body that is rows alone has no room for. */
  readonly query?: BodyQuery
  /** Whose request it is, and so whose stored panels it may name. */
  readonly keyId?: number | null
  /** How the result is written; by default JSON. */
  readonly form?: ResultForm | undefined
}

/** A body of no more bytes is copied to the thread that reads it. */
const mostCopied = 65_536

/** What a request body asks for, as far as one thread takes it. The bytes go to a worker unparsed, and a large body is gone
 * for the caller: a panel is never parsed on this thread. Fails with a Failure that names what is wrong, or with the signal's
 * reason.
 *
 * @param turn of a visit that the caller entered and leaves */
export async function prepareBacktest(
  { pool, archive, markets: costs, openPanel, openScored }: BacktestDeps,
  body: Uint8Array,
  turn: RunOptions & { readonly visit: Visit },
  { format = 'json', query = {}, keyId = null, form = 'json' }: BodyOptions,
): Promise<Outcome> {
  const archives = await archive.atHand()
  // A large body moves to the thread. A small one is copied, so that its backtest is tried again where a thread dies.
  const moves = body.length > mostCopied
  const sent = moves ? ownBuffer(body) : new Uint8Array(body)
  const read = await pool.run(
    'backtest_body',
    { body: sent, format, query, archives, costs, form },
    { ...turn, transfer: moves ? [sent.buffer] : [], holdTurn: true },
  )
  if (read.kind === 'stored') {
    const { request } = read
    if (openPanel === undefined || keyId === null) throw nothingStored()
    const data = await atHand(pool, turn.visit, openPanel(keyId, request.panelId))
    return pool.run('backtest_stored', { data, request, costs, form }, turn)
  }
  if (read.kind !== 'archive') return read
  const { request } = read
  if (request.source.score !== undefined) {
    if (openScored === undefined || keyId === null) throw noFigures()
    const scored = await atHand(pool, turn.visit, openScored(keyId, request.source))
    return pool.run('backtest_archive', { ...scored, request, costs, form }, turn)
  }
  const { horizon, market } = archiveOf(request.source)
  const { data, dataVersion } = await atHand(pool, turn.visit, archive.get(horizon, market))
  return pool.run('backtest_archive', { data, request, costs, dataVersion, form }, turn)
}

const patienceMs = 5

/** Rows that lie in memory are there at once, and the turn that read the request is kept for them: asking for another
 * could mean waiting for a second slice of somebody's sweep. Rows that have to be loaded first need turns of their own, so
 * it is given up. */
async function atHand<T>(pool: ComputePool, visit: Visit, rows: Promise<T>): Promise<T> {
  const timer = setTimeout(() => pool.release(visit), patienceMs)
  try {
    return await rows
  } finally {
    clearTimeout(timer)
  }
}

function noFigures(): Failure {
  return new Failure('parameter_invalid', 'There are no figures here. Leave source.score out.', {
    param: 'source.score',
  })
}

function nothingStored(): Failure {
  return new Failure('parameter_invalid', 'There are no stored panels here. Send the rows as panel.', {
    param: 'panel',
  })
}
