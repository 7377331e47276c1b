import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import { type BodySource, type SentBody, withBody } from '../codec/bodyBytes.ts'
import type { ArchiveRequest, BacktestSettings, StoredPanelRequest } from '../codec/settings.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { shareDataset } from '../dataset/packed.ts'
import { resolveFactors } from '../factors/factorSeries.ts'
import { resolveBenchmark } from '../judging/benchmark.ts'
import { chanceVariance } from '../overfitting/trialsVariance.ts'
import { deflateRecord, trialRecord } from '../overfitting/winner.ts'
import { withDelisting } from '../priceReturns/pricedDataset.ts'
import { isEvidence, reportSections } from '../report/reportSections.ts'
import type { BacktestConfig, BodyFormat, BodyQuery, ResultFormat } from '../request.ts'
import type { BacktestResult } from '../result.ts'
import { archiveKey, type CachedArchive, listAssetNames } from './archiveDataset.ts'
import { boundComparison, writeComparison } from './comparison.ts'
import { type EncodedResult, encodeResult } from './encodeResult.ts'
import { boundEvidence, type EvidenceSettings, type EvidenceTrial, resolveEvidence } from './evidence.ts'
import { type Judged, judgeAlone, judgeSecond, unjudged } from './judgement.ts'
import { nameRows } from './keptFindings.ts'
import { buildPanelDataset } from './panelDataset.ts'
import { readRequestBody } from './requestBody.ts'
import { echoRequest, versionOf } from './requestEcho.ts'
import { resolveConfig } from './resolveConfig.ts'
import { finiteOrNull } from './resultFields.ts'
import { type RecordedRun, recordConfiguration } from './runConfiguration.ts'
import {
  type ArchiveInput,
  type ComparedRows,
  type PanelScored,
  type RowPrices,
  type SelectedData,
  selectArchiveData,
  selectPanelData,
} from './selectData.ts'
import { planArchiveSweep, planScores, planSweep, type SweepPlan } from './sweepPlan.ts'

/** The outcome of a request on one thread: the result of one configuration, or the plan of a sweep that has
 * yet to run. */
export type BacktestOutcome =
  | { readonly kind: 'result'; readonly result: EncodedResult }
  | { readonly kind: 'sweep'; readonly plan: SweepPlan }

/** A request without its rows: the caller finds the rows and sends both back. */
export type RowsNeeded =
  | { readonly kind: 'archive'; readonly request: ArchiveRequest }
  | { readonly kind: 'stored'; readonly request: StoredPanelRequest }
  /** Rows whose score is a metric, or whose returns come from prices: the caller's licence is checked before either is
   * read. */
  | {
      readonly kind: 'unfinished'
      readonly request: BacktestSettings
      readonly data: Dataset
      readonly names: string
    }

/** A stored panel that a body seems to name. */
export interface NamedPanel {
  readonly panelId: string
  readonly data: Dataset
}

export interface BodyInput {
  /** Not parsed yet. */
  readonly body: SentBody
  readonly format: BodyFormat
  readonly query: BodyQuery
  readonly archives: readonly CachedArchive[]
  /** null: it seems to name none. */
  readonly named: NamedPanel | null
  readonly costs: MarketCosts
  readonly resultFormat: ResultFormat
}

/** Reads a request body. If its rows are in the body, in `archives` or those of `named`, runs the backtest or plans the
 * sweep; otherwise returns which rows are needed. */
export function runBodyRequest(input: BodyInput): Promise<BacktestOutcome | RowsNeeded> {
  return withBody(input.body, source => runBody(source, input))
}

async function runBody(
  source: BodySource,
  { format, query, archives, named, costs, resultFormat }: BodyInput,
): Promise<BacktestOutcome | RowsNeeded> {
  const parsed = await readRequestBody(source, format, query)
  if (parsed.panel !== null && (parsed.score !== undefined || parsed.prices !== undefined)) {
    const { panel, ...request } = parsed
    const data = shareDataset(buildPanelDataset(panel))
    return { kind: 'unfinished', request, data, names: listAssetNames(data) }
  }
  if (parsed.panel !== null)
    return runPanelRequest(buildPanelDataset(parsed.panel), parsed, costs, resultFormat)
  if (parsed.panelId !== null) {
    const { panel: _, ...request } = parsed
    const needsMore = request.score !== undefined || request.prices !== undefined
    if (needsMore || request.panelId !== named?.panelId) return { kind: 'stored', request }
    nameRows(named.data, named.panelId)
    return runPanelRequest(named.data, request, costs, resultFormat)
  }
  const { panel: _, panelId: __, ...request } = parsed
  const archive = findArchive(archives, request)
  if (archive === undefined) return { kind: 'archive', request }
  const { data, dataVersion } = archive
  nameRows(data, archive.id)
  return runArchiveRequest({ data, dataVersion, request, costs }, resultFormat)
}

/** Returns undefined if the rows are ranked by a metric, have their returns from prices or come from another data version:
 * those may be read only after the caller's licence has been checked. */
function findArchive(
  archives: readonly CachedArchive[],
  { source, dataVersion, prices }: ArchiveRequest,
): CachedArchive | undefined {
  if (source.score !== undefined || dataVersion !== undefined || prices !== undefined) return undefined
  const { horizon, market } = archiveKey(source)
  return archives.find(archive => archive.horizon === horizon && archive.market === market)
}

export function runArchiveRequest(sent: ArchiveInput, resultFormat: ResultFormat): BacktestOutcome {
  const input = { ...sent, request: withSections(sent.request, resultFormat) }
  const { sweep, pageOnly = [] } = input.request
  if (sweep) return { kind: 'sweep', plan: { ...planArchiveSweep(input), pageOnly } }
  return { kind: 'result', result: encodeResult(runArchiveBacktest(input), resultFormat, pageOnly) }
}

/** The request with all sections that a page shows; without them, the page would have gaps. A stored result
 * that includes some evidence gets no more of it, because the field `evidence` describes all of its sections
 * together. */
function withSections<Request extends BacktestSettings>(request: Request, format: ResultFormat): Request {
  if (format === 'json') return request
  const { include, sweep, scores } = request
  const hasEvidence = format === 'stored' && include.some(isEvidence)
  const pageOnly = reportSections(Boolean(sweep) || scores !== undefined).filter(
    section => !include.includes(section) && !(hasEvidence && isEvidence(section)),
  )
  return { ...request, include: [...include, ...pageOnly], pageOnly }
}

/** Runs a request for a panel on its dataset: rows sent with the request, or stored rows in shared memory. */
export function runPanelRequest(
  panel: Dataset,
  sent: BacktestSettings,
  costs: MarketCosts,
  resultFormat: ResultFormat,
  scored: PanelScored | null = null,
  prices: RowPrices | null = null,
): BacktestOutcome {
  const request = withSections(sent, resultFormat)
  const { config, sweep, scores, pageOnly = [] } = request
  if (!sweep && scores === undefined) {
    const result = runPanelBacktest(panel, request, costs, scored, prices)
    return { kind: 'result', result: encodeResult(result, resultFormat, pageOnly) }
  }
  if (config.horizons !== undefined) checkHorizons(request)
  const select = (own: BacktestConfig) => selectPanelData(panel, own, scored, prices)
  const plan =
    scores === undefined
      ? planSweep(select(config), request, costs)
      : planScores(select, { columns: scores, rows: panel.asset.length }, request, costs)
  const echo = echoRequest(request, { dataVersion: plan.dataVersion })
  return { kind: 'sweep', plan: { ...plan, pageOnly, request: echo } }
}

/** Runs one configuration on the archive. */
export function runArchiveBacktest(input: ArchiveInput): BacktestResult {
  const { request, costs, compared, prices } = input
  const select = (data: Dataset) => selectArchiveData({ ...input, data })
  return runComparing(select, input.data, { request, costs, compared, prices })
}

/** Runs one configuration on a panel. */
export function runPanelBacktest(
  panel: Dataset,
  request: BacktestSettings,
  costs: MarketCosts,
  scored: PanelScored | null = null,
  prices: RowPrices | null = null,
): BacktestResult {
  const { horizons } = request.config
  if (horizons !== undefined) return runHorizons(panel, request, horizons, { costs, scored, prices })
  const select = (data: Dataset) => selectPanelData(data, request.config, scored, prices)
  const compared = scored?.compared
  return runComparing(select, panel, { request, costs, compared, prices: prices ?? undefined })
}

interface HorizonRows {
  readonly costs: MarketCosts
  readonly scored: PanelScored | null
  readonly prices: RowPrices | null
}

/** Runs one configuration with returns over several horizons. The result is that of the first, which no number chose;
 * each horizon counts as a trial, and so does each that the caller tried before. */
function runHorizons(
  panel: Dataset,
  request: BacktestSettings,
  horizons: readonly number[],
  { costs, scored, prices }: HorizonRows,
): BacktestResult {
  checkHorizons(request)
  const trials = horizons.length + (request.trialsAlreadyTried ?? 0)
  const runs = horizons.map((returnDays, i) => {
    const config = { ...request.config, returnDays }
    const one =
      i === 0 ? { ...request, config } : { ...request, config, include: [], pageOnly: [], factors: undefined }
    return runSelected(selectPanelData(panel, config, scored, prices), one, costs, {
      batchSize: horizons.length > 1 ? horizons.length : null,
    })
  })
  const [{ result }] = runs
  return {
    ...result,
    request: { ...result.request, config: request.config },
    horizons: runs.map(({ result: one, judged }, i) => {
      const { sharpe, judged_sharpe, cagr, max_drawdown, avg_turnover } = one.metrics
      const { dsr } = deflateRecord(trialRecord(judged), chanceVariance(judged.length), trials)
      return {
        returnDays: horizons[i],
        n_periods: one.n_periods,
        periods_per_year: one.periods_per_year,
        sharpe,
        judged_sharpe,
        cagr,
        max_drawdown,
        avg_turnover,
        dsr: finiteOrNull(dsr),
      }
    }),
  }
}

function checkHorizons({ config, sweep, scores, compare }: BacktestSettings): void {
  const other =
    config.returnDays !== undefined
      ? 'config.returnDays'
      : config.rebalance !== undefined
        ? 'config.rebalance'
        : sweep
          ? 'sweep'
          : scores !== undefined
            ? 'scores'
            : compare !== undefined
              ? 'compare'
              : null
  if (other === null) return
  throw new Failure(
    'parameter_invalid',
    `config.horizons and ${other} are both given. horizons runs one configuration with each length of return: omit one of them.`,
    { param: 'config.horizons' },
  )
}

interface Comparing {
  readonly request: BacktestSettings
  readonly costs: MarketCosts
  readonly compared: readonly ComparedRows[] | undefined
  readonly prices: RowPrices | undefined
}

/** Runs one configuration and, if the request compares choices of vintages, also the same configuration on the rows of
 * each other choice. */
function runComparing(
  select: (data: Dataset) => SelectedData,
  data: Dataset,
  { request, costs, compared = [], prices }: Comparing,
): BacktestResult {
  const alone = runSelected(select(data), request, costs)
  const run = { ...alone, result: withDelistingCases(alone.result, { select, data, prices, request, costs }) }
  const { compare } = request
  if (compare === undefined) return run.result
  const { score, n_periods: periods } = run.result
  const evidence = resolveEvidence([], request.evidence)
  boundComparison(evidence, periods)
  // Sections of `include` are about the result only; no positions of another choice leave this thread.
  const others = compared.map(({ vintages, data: rows, assets }) => ({
    vintages,
    assets,
    run: runSelected(select(rows), { ...request, include: [], pageOnly: [], factors: undefined }, costs, {
      judgeRecord:
        vintages === 'final'
          ? unjudged
          : (trial, settings) => judgeSecond(trial, settings, request.trialsAlreadyTried),
    }),
  }))
  const known = { vintages: 'as_known' as const, assets: score?.n_assets ?? 0, run }
  const comparison = writeComparison([known, ...others], compare, evidence)
  return { ...run.result, compare: comparison }
}

interface SelectedOptions {
  /** The size of the batch that the run belongs to; null: it is not part of a batch. */
  readonly batchSize?: number | null
  /** How the record is judged; `judgeAlone` by default. */
  readonly judgeRecord?: (trial: EvidenceTrial, evidence: EvidenceSettings) => Judged
  /** Another thread sets it to 1 to cancel the work; the run is then incomplete. */
  readonly stop?: Int32Array
}

/** Runs one configuration on the rows that a request selects. */
export function runSelected(
  { data, view, returnDays, spacing, warnings, dataVersion, source, score, returns, prices }: SelectedData,
  request: BacktestSettings,
  marketCosts: MarketCosts,
  {
    batchSize = null,
    judgeRecord = (trial, settings) => judgeAlone(trial, settings, batchSize, request.trialsAlreadyTried),
    stop,
  }: SelectedOptions = {},
): RecordedRun {
  const { config, include, evidence } = request
  const resolved = resolveConfig(config, returnDays, spacing)
  const settings = resolveEvidence(include, evidence)
  boundEvidence(settings, 1, Math.ceil((view.endDate - view.firstDate) / resolved.step))
  const run = recordConfiguration(data, view, resolved, {
    include,
    marketCosts,
    dataWarnings: warnings,
    evidence: settings,
    judgeRecord: trial => judgeRecord(trial, settings),
    stop,
    benchmark: days => resolveBenchmark(request.benchmark, evidence, days),
    participation: evidence?.participation,
    factors: resolveFactors(request.factors, prices ?? null),
    entryLag: prices?.entry_lag,
  })
  return {
    ...run,
    result: {
      ...run.result,
      ...versionOf(dataVersion ?? request.dataVersion),
      ...(source === undefined ? {} : { source }),
      ...(score === undefined ? {} : { score }),
      ...(returns === undefined ? {} : { returns }),
      ...(prices === undefined ? {} : { prices }),
      request: echoRequest(request, { dataVersion, source }),
    },
  }
}

interface DelistingRuns {
  readonly select: (data: Dataset) => SelectedData
  readonly data: Dataset
  readonly prices: RowPrices | undefined
  readonly request: BacktestSettings
  readonly costs: MarketCosts
}

/** A result with the metrics that other assumed delisting returns give. */
export function withDelistingCases(
  result: BacktestResult,
  { select, data, prices, request, costs }: DelistingRuns,
): BacktestResult {
  if (prices === undefined || prices.beforeAssumption === null) return result
  const { beforeAssumption, used } = prices
  const plain = { ...request, include: [], pageOnly: [], factors: undefined }
  const sensitivity = used.sensitivity.map(one => {
    const rows = withDelisting({ data, beforeAssumption }, one.delisting)
    const { metrics } = runSelected(select(rows), plain, costs, { judgeRecord: unjudged }).result
    return { ...one, sharpe: metrics.sharpe, cagr: metrics.cagr }
  })
  return { ...result, prices: { ...used, sensitivity } }
}
