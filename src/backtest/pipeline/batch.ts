import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { BatchSummaryLine } from '../batchResult.ts'
import { type BatchItem, readBatchBody } from '../codec/batchBody.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { shareDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { BacktestScore, PanelScore } from '../figureScore.ts'
import { type Findings, judge } from '../judging/verdict.ts'
import { chanceVariance, trialsVarianceOf } from '../overfitting/trialsVariance.ts'
import { deflateRecord, pickWinner, type TrialRecord, trialRecord } from '../overfitting/winner.ts'
import type { BacktestConfig, BacktestInclude, BacktestSource } from '../request.ts'
import type { BacktestBenchmark } from '../requestBenchmark.ts'
import type { BacktestFactors } from '../requestFactors.ts'
import { encodeResult } from './encodeResult.ts'
import { buildPanelDataset } from './panelDataset.ts'
import { resolveConfig } from './resolveConfig.ts'
import { finiteOrNull, writeDeflation } from './resultFields.ts'
import { runSelected, withDelistingCases } from './runRequest.ts'
import {
  panelSelector,
  panelSpacing,
  type RowPrices,
  rowSettings,
  type SelectedData,
  selectArchiveData,
} from './selectData.ts'
import { describeFailure, type TaskFailure } from './taskFailure.ts'
import { withHorizon } from './withHorizon.ts'

/** A batch whose body has been read and validated. */
export interface OpenedBatch {
  readonly items: readonly BatchItem[]
  /** The rows in the body, ranked, in shared memory; null if it has none. */
  readonly panel: Dataset | null
  /** True if the body names one panel or source for all items. */
  readonly sharesRows: boolean
  /** The data version of the archive for all items; undefined: the current one. */
  readonly dataVersion: number | undefined
  /** Configurations that the caller tried before, for all items together. */
  readonly trialsAlreadyTried: number | undefined
}

/** Reads the body of a batch. Rejects the whole batch for any fault of an item that can be found without rows
 * from elsewhere. */
export function openBatch(body: Uint8Array): OpenedBatch {
  const { items, panel, sharesRows, dataVersion, trialsAlreadyTried } = readBatchBody(body)
  const data = panel === null ? null : rankDataset(shareDataset(buildPanelDataset(panel)))
  const panelReturnDays = data === null ? null : panelSpacing(data).returnDays
  for (const { config, rows, prices, configPath } of items) {
    if (config.horizons !== undefined) throw horizonsInBatch(`${configPath}.horizons`)
    const known = rows.kind === 'archive' ? archiveReturnDays(rows.source) : panelReturnDays
    const returnDays = config.returnDays ?? prices?.horizon ?? known
    if (returnDays !== null) resolveConfig(config, returnDays, anySpacing, `${configPath}.holdDays`)
  }
  return { items, panel: data, sharesRows, dataVersion, trialsAlreadyTried }
}

/** Each horizon would be a backtest that the batch does not count. */
function horizonsInBatch(param: string): Failure {
  return new Failure(
    'parameter_invalid',
    `${param} is not for batches, which count every configuration as a trial. Send one configuration for each horizon, with returnDays.`,
    { param },
  )
}

/** The spacing of the dates does not affect which holding periods are possible. */
const anySpacing = { medianGap: 1, meanCalendarGap: 1 }

const archiveReturnDays = ({ horizon }: BacktestSource) => Number.parseInt(horizon ?? '1d', 10)

/** The rows that some items of a batch run on. */
export interface BatchRowsOpened {
  readonly data: Dataset
  /** Null for a panel whose score is no metric. */
  readonly dataVersion: number | null
  /** Describes the score if it is a metric. */
  readonly score?: BacktestScore | undefined
  readonly prices?: RowPrices | undefined
}

export interface BatchEntry {
  /** Its index in the batch. */
  readonly index: number
  readonly config: BacktestConfig
  readonly include: readonly BacktestInclude[]
  /** See `BacktestSettings`. */
  readonly benchmark?: BacktestBenchmark | undefined
  /** See `BacktestSettings`. */
  readonly factors?: BacktestFactors | undefined
  /** See `BacktestSettings`. */
  readonly score?: PanelScore | undefined
  /** Selects the rows of the archive; null for a panel. */
  readonly source: BacktestSource | null
  readonly panelId?: string | undefined
  /** The data version that the request names. */
  readonly dataVersion?: number | undefined
  readonly trialsAlreadyTried?: number | undefined
}

export interface BatchInput extends BatchRowsOpened {
  readonly entries: readonly BatchEntry[]
  /** The number of backtests in the whole batch. */
  readonly size: number
  readonly costs: MarketCosts
  /** Set to 1 to stop the work within a block of periods. */
  readonly stop: Int32Array
}

export interface BatchOutput {
  /** NDJSON, one line for each entry that has a result. */
  readonly lines: Uint8Array<ArrayBuffer>
  readonly trials: readonly BatchTrial[]
  readonly failures: readonly { readonly index: number; readonly failure: TaskFailure }[]
}

/** The fields of a result that the summary of a batch needs. */
export interface BatchTrial {
  readonly index: number
  readonly label: string
  readonly sharpe: number | null
  readonly avgTurnover: number
  readonly periodsPerYear: number
  readonly record: TrialRecord
  readonly findings: Findings
}

/** Runs some backtests of a batch one after the other. Their results have the same bytes as single requests,
 * except for the verdict, which takes the whole batch into account. */
export function runBatchItems(input: BatchInput): BatchOutput {
  const { entries, size, costs, stop, prices } = input
  const select = selector(input)
  const parts: Uint8Array[] = []
  const trials: BatchTrial[] = []
  const failures: { index: number; failure: TaskFailure }[] = []
  for (const sent of entries) {
    if (Atomics.load(stop, 0) === 1) break
    const { index } = sent
    try {
      const entry = prices === undefined ? sent : withHorizon(sent, prices.request)
      const run = runSelected(select(entry), entry, costs, { batchSize: size, stop })
      const { label, judged, findings } = run
      const selectRows = (data: Dataset) => selector({ ...input, data })(entry)
      const delisting = { select: selectRows, data: input.data, prices, request: entry, costs }
      const result = withDelistingCases(run.result, delisting)
      const record = trialRecord(judged)
      const { trialsAlreadyTried = 0 } = entry
      const deflation = deflateRecord(record, chanceVariance(judged.length), size + trialsAlreadyTried)
      const { sharpe, avg_turnover: avgTurnover } = result.metrics
      const { periods_per_year: periodsPerYear } = result
      trials.push({
        index,
        label,
        sharpe,
        avgTurnover: avgTurnover ?? Number.POSITIVE_INFINITY,
        periodsPerYear,
        record,
        findings,
      })
      const head = {
        object: 'batch_result',
        index,
        batch_size: size,
        deflated_sharpe: { ...writeDeflation(deflation), note: noteOfLine },
        verdict: result.verdict,
      }
      parts.push(
        Buffer.from(`${JSON.stringify(head).slice(0, -1)},"result":`),
        encodeResult(result, 'json').bytes,
        lineEnd,
      )
    } catch (error) {
      failures.push({ index, failure: describeFailure(error) })
    }
  }
  return { lines: new Uint8Array(Buffer.concat(parts)), trials, failures }
}

/** Added because a line's Deflated Sharpe ratio differs from the batch's, and both are correct. */
const noteOfLine =
  'trials_variance is the one that chance alone would give the Sharpe ratios of the batch, because its other results were not known yet. The summary has another dsr for the best backtest: it takes the variance of the Sharpe ratios that the batch really has.'
const noteOfSummary =
  'trials_variance is that of the Sharpe ratios in this batch, as in a sweep of the same configurations. The line of this backtest has another dsr: it was written before the other results were known, and takes the variance that chance alone would give.'

const lineEnd = Buffer.from('}\n')

function selector({
  data,
  dataVersion,
  score,
  costs,
  prices,
}: BatchInput): (entry: BatchEntry) => SelectedData {
  const scored = dataVersion === null || score === undefined ? null : { dataVersion, score }
  const selectPanel = panelSelector(data, scored, prices ?? null)
  const selections = new Map<string, SelectedData>()
  return ({ config, include, source }) => {
    if (source === null || dataVersion === null) return selectPanel(config)
    const key = JSON.stringify([source, ...rowSettings(config)])
    const selected =
      selections.get(key) ??
      selectArchiveData({ data, dataVersion, score, costs, prices, request: { config, include, source } })
    selections.set(key, selected)
    return selected
  }
}

/** The last line of a batch. Its winner is deflated like that of a sweep, since V is now known from the other
 * trials. If no other trial has a Sharpe ratio, V stays the one expected by chance.
 *
 * @param trials in any order
 * @param size N: the backtests in the batch, including those that failed */
export function summariseBatch(trials: readonly BatchTrial[], size: number): BatchSummaryLine {
  const ordered = trials.toSorted((a, b) => a.index - b.index)
  const counts = { batch_size: size, count: trials.length, failed: size - trials.length }
  return { object: 'batch_summary', ...counts, best: bestOf(ordered, size) }
}

function bestOf(trials: readonly BatchTrial[], size: number): BatchSummaryLine['best'] {
  if (new Set(trials.map(({ periodsPerYear }) => periodsPerYear)).size !== 1) return null
  const winner = pickWinner(trials.map(trial => ({ ...trial, sharpe: trial.findings.judgedSharpe })))
  const { index, label, sharpe, record, findings } = trials[winner]
  const sharpes = trials.map(trial => trial.record.sharpePerPeriod)
  // A single Sharpe ratio has no variance. With V = 0, the only result of 500 backtests would be judged as if
  // it were the only trial.
  const isKnown = sharpes.filter(value => value !== null).length > 1
  const variance = isKnown ? trialsVarianceOf(sharpes) : chanceVariance(record.periods)
  const { before, ...found } = findings
  const deflation = deflateRecord(record, variance, size + (before?.count ?? 0))
  const { trialsVariance, sharpeThreshold } = deflation
  const basis = isKnown ? 'trials' : 'chance'
  return {
    index,
    label,
    sharpe,
    deflated_sharpe: { ...writeDeflation(deflation), note: isKnown ? noteOfSummary : noteOfLine },
    verdict: judge({
      ...found,
      dsr: finiteOrNull(deflation.dsr),
      ...(before === undefined ? {} : { before: { ...before, basis, trialsVariance, sharpeThreshold } }),
    }),
  }
}
