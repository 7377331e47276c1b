import type { SentBody } from '../../backtest/codec/bodyBytes.ts'
import type { BacktestSettings } from '../../backtest/codec/settings.ts'
import type { Dataset } from '../../backtest/dataset/dataset.ts'
import { archiveKey } from '../../backtest/pipeline/archiveDataset.ts'
import type { EncodedResult } from '../../backtest/pipeline/encodeResult.ts'
import type { BacktestOutcome, NamedPanel, RowsNeeded } from '../../backtest/pipeline/runRequest.ts'
import type {
  ArchiveInput,
  ComparedRows,
  PanelScored,
  RowPrices,
} from '../../backtest/pipeline/selectData.ts'
import { withHorizon } from '../../backtest/pipeline/withHorizon.ts'
import { type ComputeCaller, paidKey } from '../../backtest/pool/caller.ts'
import { type ComputePool, ownBuffer, type TaskOptions } from '../../backtest/pool/computePool.ts'
import { runSweep, type SweepOptions } from '../../backtest/pool/runSweep.ts'
import type { Ticket } from '../../backtest/pool/tickets.ts'
import { dateSpacing } from '../../backtest/portfolio/dateSpacing.ts'
import type {
  BacktestConfig,
  BacktestSource,
  BodyFormat,
  BodyQuery,
  ResultFormat,
} from '../../backtest/request.ts'
import type { VintageChoice } from '../../backtest/requestCompare.ts'
import type { BacktestPrices } from '../../backtest/requestPrices.ts'
import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { Sql } from '../../postgres/client.ts'
import { readPrincipal } from '../../rights/queries.ts'
import { Rights } from '../../rights/rights.ts'
import { openPanel, type PanelDeps } from '../panels/panels.ts'
import type { ArchiveCache } from './archive.ts'
import { openNamedPanel } from './namedPanel.ts'
import { type PanelScoreDeps, scorePanel } from './panelScore.ts'
import type { PinnedArchives } from './pinnedArchives.ts'
import { type OpenedRows, priceRows, type RowPriceDeps, type UnpricedRows } from './priceRows.ts'
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
  /** The operator's prices as returns of the rows; omitted offline. */
  readonly prices?: RowPriceDeps
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
  const { pool, archive, costs, panels } = deps
  const named =
    panels !== undefined && keyId !== null && format === 'json' && body instanceof Uint8Array
      ? await openNamedPanel(panels, keyId, body)
      : null
  options.signal?.throwIfAborted()
  const archives = named === null ? await archive.recent() : []
  // Small bodies are copied, so that their task can be retried if its thread dies. A moved body would be lost.
  const sent = !(body instanceof Uint8Array)
    ? body
    : body.length > maxCopiedBytes
      ? ownBuffer(body)
      : new Uint8Array(body)
  const moving = sent instanceof Uint8Array && sent.length > maxCopiedBytes ? [sent.buffer] : []
  const read = await pool.tasks
    .runBodyRequest(
      { body: sent, format, query, archives, named, costs, resultFormat },
      { ...options, transfer: moving, holdThread: true },
    )
    .catch(async error => {
      throw await withKnownHorizons(archive, error)
    })
  if (read.kind === 'stored' || read.kind === 'unfinished') {
    const rows = await awaitRows(pool, options.ticket, openPanelRows(deps, keyId, read, named))
    return pool.tasks.runPanelRequest({ ...rows, costs, resultFormat }, options)
  }
  if (read.kind !== 'archive') return read
  const { request } = read
  const { source, dataVersion, compare, config } = request
  const opened = openSource(deps, keyId, source, dataVersion, compare, { prices: request.prices, config })
  const { prices, ...rows } = await awaitRows(pool, options.ticket, opened)
  const input = prices === undefined ? { request } : { request: withHorizon(request, prices.request), prices }
  return pool.tasks.runArchiveRequest({ ...rows, ...input, costs, resultFormat }, options)
}

interface PanelRows {
  readonly data: Dataset
  readonly request: BacktestSettings
  readonly scored?: PanelScored
  readonly prices?: RowPrices
}

const maxAttempts = 8

/** The rows of a panel that is stored, scored by a metric, or has its returns from prices. */
async function openPanelRows(
  deps: BacktestDeps,
  keyId: number | null,
  needed: Exclude<RowsNeeded, { kind: 'archive' }>,
  named: NamedPanel | null,
): Promise<PanelRows> {
  const { request } = needed
  const data =
    needed.kind === 'unfinished'
      ? needed.data
      : needed.request.panelId === named?.panelId
        ? named.data
        : await openStored(deps, keyId, needed.request.panelId)
  return openRowsOfPanel(deps, keyId, data, request, needed.kind === 'unfinished' ? needed.names : undefined)
}

/** The rows of a panel with the scores and the returns that a request wants.
 *
 * @param listed the names of its assets, one per line; undefined: not listed yet */
export async function openRowsOfPanel(
  deps: BacktestDeps,
  keyId: number | null,
  data: Dataset,
  request: BacktestSettings,
  listed?: string,
): Promise<PanelRows> {
  if (request.score === undefined && request.prices === undefined) return { data, request }
  const names = listed ?? (await listNames(deps, keyId, data))
  if (request.prices === undefined)
    return { ...(await openScoredPanel(deps, keyId, data, names, request)), request }
  for (let attempts = maxAttempts; attempts > 0; attempts--) {
    const settings = { ...request, prices: request.prices }
    const { rows, prices } = await openPricedPanel(deps, keyId, data, settings, names)
    const priced = { data: rows.data, prices, request: withHorizon(request, prices.request) }
    if (request.score === undefined) return priced
    const scored = await openScoredPanel(deps, keyId, rows.data, names, request)
    if (scored.scored.dataVersion === prices.used.data_version) return { ...priced, ...scored }
  }
  throw keptChanging()
}

const listNames = (
  { pool }: Pick<BacktestDeps, 'pool'>,
  keyId: number | null,
  data: Dataset,
): Promise<string> =>
  pool.tasks.listAssetNames({ data }, { caller: paidKey(keyId ?? 0), priority: 'background' })

function openScoredPanel(
  { panelScores }: BacktestDeps,
  keyId: number | null,
  data: Dataset,
  names: string,
  { score, dataVersion, compare }: BacktestSettings,
): ReturnType<typeof scorePanel> {
  if (panelScores === undefined || keyId === null || score === undefined) throw noMetrics('score')
  return scorePanel(panelScores, keyId, data, names, score, dataVersion, compare)
}

/** The rows of a panel with the returns that a price set gives. */
async function openPricedPanel(
  deps: BacktestDeps,
  keyId: number | null,
  data: Dataset,
  {
    prices,
    config,
    dataVersion,
  }: Pick<BacktestSettings, 'config' | 'dataVersion'> & { readonly prices: BacktestPrices },
  names: string,
): Promise<OpenedRows> {
  return openPriced(deps, keyId, {
    data,
    names,
    prices,
    defaultHorizon: config.returnDays ?? Math.max(1, Math.round(dateSpacing(data.days).medianGap)),
    from: null,
    to: null,
    version: dataVersion ?? null,
    isPinned: dataVersion !== undefined,
  })
}

/** Rows with the returns that a price set gives. */
async function openPriced(
  { prices }: Pick<BacktestDeps, 'prices'>,
  keyId: number | null,
  wanted: UnpricedRows,
): Promise<OpenedRows> {
  if (prices === undefined || keyId === null) throw noPrices()
  return priceRows(prices, keyId, wanted)
}

function keptChanging(): Failure {
  return new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
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

/** The returns that a request for the archive wants from prices. */
interface SourcePrices {
  readonly prices: BacktestPrices | undefined
  readonly config: BacktestConfig
}

/**
 * The archive rows that a source names, ranked by its metric if it has one, and with returns from prices if it wants them.
 *
 * @param pinned the data version that the request names, or undefined
 * @param compare choices of vintages by which the metric ranks as well
 */
export async function openSource(
  deps: Pick<BacktestDeps, 'archive' | 'scores' | 'pinned' | 'prices' | 'pool'>,
  keyId: number | null,
  source: BacktestSource,
  pinned: number | undefined,
  compare: readonly VintageChoice[] | undefined,
  { prices, config }: SourcePrices,
): Promise<Pick<ArchiveInput, 'data' | 'dataVersion' | 'score' | 'compared' | 'prices'>> {
  const opened = await openArchive(deps, keyId, source, pinned, compare)
  if (prices === undefined) return opened
  const { data, dataVersion, compared = [] } = opened
  const wanted = {
    names: await listNames(deps, keyId, data),
    prices,
    defaultHorizon: config.returnDays ?? Number.parseInt(source.horizon ?? '1d', 10),
    from: source.from ?? null,
    to: source.to ?? null,
    version: dataVersion,
    isPinned: pinned !== undefined,
  }
  const { rows, prices: used } = await openPriced(deps, keyId, { ...wanted, data })
  const others: ComparedRows[] = []
  for (const one of compared) {
    const again = await openPriced(deps, keyId, { ...wanted, data: one.data })
    others.push({ ...one, data: again.rows.data })
  }
  return { ...opened, data: rows.data, compared: others, prices: used }
}

async function openArchive(
  deps: Pick<BacktestDeps, 'archive' | 'scores' | 'pinned'>,
  keyId: number | null,
  source: BacktestSource,
  pinned: number | undefined,
  compare: readonly VintageChoice[] | undefined,
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

function noPrices(): Failure {
  return new Failure(
    'parameter_invalid',
    'No price sets are available here. Send the returns of the rows as forward_return, and omit prices.',
    { param: 'prices' },
  )
}
