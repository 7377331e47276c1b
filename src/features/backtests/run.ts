import type { SentBody } from '../../backtest/codec/bodyBytes.ts'
import type { Dataset } from '../../backtest/dataset/dataset.ts'
import { archiveKey } from '../../backtest/pipeline/archiveDataset.ts'
import type { EncodedResult } from '../../backtest/pipeline/encodeResult.ts'
import type { BacktestOutcome, RowsNeeded } from '../../backtest/pipeline/runRequest.ts'
import type { ArchiveInput, PanelScored } from '../../backtest/pipeline/selectData.ts'
import { type ComputeCaller, paidKey } from '../../backtest/pool/caller.ts'
import { type ComputePool, ownBuffer, type TaskOptions } from '../../backtest/pool/computePool.ts'
import { runSweep, type SweepOptions } from '../../backtest/pool/runSweep.ts'
import type { Ticket } from '../../backtest/pool/tickets.ts'
import type { BacktestSource, BodyFormat, BodyQuery, ResultFormat } from '../../backtest/request.ts'
import type { VintageChoice } from '../../backtest/requestCompare.ts'
import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { Sql } from '../../postgres/client.ts'
import { readPrincipal } from '../../rights/queries.ts'
import { Rights } from '../../rights/rights.ts'
import { openPanel, type PanelDeps } from '../panels/panels.ts'
import type { ArchiveCache } from './archive.ts'
import { type PanelScoreDeps, scorePanel } from './panelScore.ts'
import type { PinnedArchives } from './pinnedArchives.ts'
import { openScored, type ScoreDeps } from './score.ts'

interface BacktestOptions extends Omit<SweepOptions, 'ticket'>, BodyOptions {
  readonly caller: ComputeCaller
}

/** Runs the backtest or sweep of a request body to its result. */
export async function runBacktest(
  deps: BacktestDeps,
  body: SentBody,
  signal: AbortSignal | undefined,
  { caller, onProgress, timeLimitMs, ...bodyOptions }: Omit<BacktestOptions, 'signal'>,
): Promise<EncodedResult> {
  signal?.throwIfAborted()
  const { pool } = deps
  const { resultFormat } = bodyOptions
  // One ticket covers the whole request, so that a sweep whose body was read is not refused halfway.
  const ticket = pool.admit(caller)
  let sweepLeaves = false
  try {
    const prepared = await prepareBacktest(deps, body, { signal, ticket }, bodyOptions)
    if (prepared.kind === 'result') return prepared.result
    sweepLeaves = true
    return await runSweep(pool, prepared.plan, { signal, ticket, resultFormat, onProgress, timeLimitMs })
  } finally {
    if (!sweepLeaves) pool.leave(ticket)
  }
}

export interface BacktestDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get' | 'recent' | 'horizons'>
  readonly costs: MarketCosts
  /** Stored panels; omitted offline. */
  readonly panels?: PanelDeps
  /** The archive ranked by company metrics; omitted offline. */
  readonly scores?: ScoreDeps
  /** Metrics as scores of the caller's rows; omitted offline. */
  readonly panelScores?: PanelScoreDeps
  /** The archive of earlier data versions; omitted offline. */
  readonly pinned?: PinnedDeps
}

interface BodyOptions {
  readonly format?: BodyFormat
  /** The other fields, for bodies that contain only rows. */
  readonly query?: BodyQuery
  /** The request's key, which determines the stored panels that it may name. */
  readonly keyId?: number | null
  /** JSON by default. */
  readonly resultFormat?: ResultFormat | undefined
}

/** Larger bodies are moved to the thread that reads them instead of being copied. */
const maxCopiedBytes = 65_536

/**
 * The result of a request body, or the plan of its sweep. The bytes go to a worker thread unparsed, because
 * parsing a panel here would block all other requests. A large body is moved to that thread, so the caller
 * loses its bytes. Fails with a Failure that names the fault, or with the signal's reason.
 *
 * @param options with a ticket that the caller admits and leaves
 */
export async function prepareBacktest(
  deps: BacktestDeps,
  body: SentBody,
  options: TaskOptions & { readonly ticket: Ticket },
  { format = 'json', query = {}, keyId = null, resultFormat = 'json' }: BodyOptions,
): Promise<BacktestOutcome> {
  const { pool, archive, costs } = deps
  const archives = await archive.recent()
  // Small bodies are copied, so that their task can be retried if its thread dies. A moved body would be lost.
  const sent = !(body instanceof Uint8Array)
    ? body
    : body.length > maxCopiedBytes
      ? ownBuffer(body)
      : new Uint8Array(body)
  const moving = sent instanceof Uint8Array && sent.length > maxCopiedBytes ? [sent.buffer] : []
  const read = await pool.tasks
    .runBodyRequest(
      { body: sent, format, query, archives, costs, resultFormat },
      { ...options, transfer: moving, holdThread: true },
    )
    .catch(async error => {
      throw await withKnownHorizons(archive, error)
    })
  if (read.kind === 'stored' || read.kind === 'unscored') {
    const { request } = read
    const rows = await awaitRows(pool, options.ticket, openPanelRows(deps, keyId, read))
    return pool.tasks.runPanelRequest({ ...rows, request, costs, resultFormat }, options)
  }
  if (read.kind !== 'archive') return read
  const { request } = read
  const rows = await awaitRows(
    pool,
    options.ticket,
    openSource(deps, keyId, request.source, request.dataVersion, request.compare),
  )
  return pool.tasks.runArchiveRequest({ ...rows, request, costs, resultFormat }, options)
}

/** The rows of a panel that is stored, or scored by a metric, or both. */
async function openPanelRows(
  deps: BacktestDeps,
  keyId: number | null,
  needed: Exclude<RowsNeeded, { kind: 'archive' }>,
): Promise<{ data: Dataset; scored?: PanelScored }> {
  const { score, dataVersion, compare } = needed.request
  const data = needed.kind === 'stored' ? await openStored(deps, keyId, needed.request.panelId) : needed.data
  if (score === undefined) return { data }
  if (deps.panelScores === undefined || keyId === null) throw noMetrics('score')
  const names =
    needed.kind === 'unscored'
      ? needed.names
      : await deps.pool.tasks.listAssetNames({ data }, { caller: paidKey(keyId), priority: 'background' })
  return scorePanel(deps.panelScores, keyId, data, names, score, dataVersion, compare)
}

/** The rows of a key's stored panel. */
export async function openStored(
  { panels }: Pick<BacktestDeps, 'panels'>,
  keyId: number | null,
  panelId: string,
): Promise<Dataset> {
  if (panels === undefined || keyId === null) throw noStoredPanels()
  return openPanel(panels, keyId, panelId)
}

interface PinnedDeps {
  readonly sql: Sql
  readonly archives: Pick<PinnedArchives, 'get'>
}

/**
 * The archive rows that a source names, ranked by its metric if it has one.
 *
 * @param pinned the data version that the request names, or undefined
 * @param compare choices of vintages by which the metric ranks as well
 */
export async function openSource(
  deps: Pick<BacktestDeps, 'archive' | 'scores' | 'pinned'>,
  keyId: number | null,
  source: BacktestSource,
  pinned?: number,
  compare?: readonly VintageChoice[],
): Promise<Pick<ArchiveInput, 'data' | 'dataVersion' | 'score' | 'compared'>> {
  const { archive, scores } = pinned === undefined ? deps : await pinSource(deps, keyId, pinned)
  if (source.score !== undefined) {
    if (scores === undefined || keyId === null) throw noMetrics('source.score')
    return openScored(scores, keyId, source, compare)
  }
  const { horizon, market } = archiveKey(source)
  const { data, dataVersion } = await archive.get(horizon, market)
  return { data, dataVersion }
}

/**
 * Opens the archive at a data version. The licence is read here rather than with the request, because a job may run long
 * after its request.
 */
async function pinSource(
  { scores, pinned }: Pick<BacktestDeps, 'scores' | 'pinned'>,
  keyId: number | null,
  version: number,
): Promise<Pick<BacktestDeps, 'archive' | 'scores'>> {
  if (pinned === undefined || keyId === null) throw noVersions()
  const rights = new Rights(await readPrincipal(pinned.sql, keyId))
  if (!rights.seesAllHistory) throw pinRefused(rights.licence)
  const at = await pinned.archives.get(version)
  return {
    archive: at.archive,
    ...(scores === undefined ? {} : { scores: { ...scores, scores: at.scores } }),
  }
}

function pinRefused(licence: string): Failure {
  return new Failure(
    'licence_required',
    `data_version for the archive requires an evaluation key or a Personal or Commercial data licence; this key has the quant plan with the ${licence} licence. Omit data_version for the present.`,
    { param: 'data_version' },
  )
}

function noVersions(): Failure {
  return new Failure('parameter_invalid', 'No earlier data versions are available here. Omit data_version.', {
    param: 'data_version',
  })
}

/**
 * Adds the archive's horizons to an error about an unknown one, because the archive may have no rows for some horizons
 * that the schema allows.
 */
async function withKnownHorizons(archive: BacktestDeps['archive'], error: unknown): Promise<unknown> {
  if (!(error instanceof Failure) || error.code !== 'parameter_invalid') return error
  if (error.details.param !== 'source.horizon') return error
  const known = await archive.horizons()
  if (known.length === 0) return error
  return new Failure(error.code, `${error.message} The archive has ${known.join(' and ')}.`, error.details)
}

const maxThreadHoldMs = 5

/**
 * Waits for a request's rows while its ticket holds the thread that read the body. Rows in memory arrive at
 * once; releasing the thread for them could make the request wait for a second slice of another sweep.
 * Loading rows needs threads itself, so the thread is released for that.
 */
async function awaitRows<T>(pool: ComputePool, ticket: Ticket, rows: Promise<T>): Promise<T> {
  const timer = setTimeout(() => pool.releaseHeldThread(ticket), maxThreadHoldMs)
  try {
    return await rows
  } finally {
    clearTimeout(timer)
  }
}

function noMetrics(param: string): Failure {
  return new Failure('parameter_invalid', `No company metrics are available here. Omit ${param}.`, {
    param,
  })
}

function noStoredPanels(): Failure {
  return new Failure('parameter_invalid', 'No stored panels are available here. Send the rows as panel.', {
    param: 'panel',
  })
}
