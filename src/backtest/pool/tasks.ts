import type { MarketCosts } from '../../markets/costs.ts'
import { findSlots } from '../asOf/datedNames.ts'
import { buildEvents } from '../asOf/figureEvents.ts'
import { readJoinBody } from '../asOf/joinBody.ts'
import type { PackedVintages } from '../asOf/packedVintages.ts'
import { scoreDataset } from '../asOf/scoreDataset.ts'
import { buildStrategyEvents } from '../asOf/strategyEvents.ts'
import { valueMarket } from '../asOf/valueMarket.ts'
import { writeJoin } from '../asOf/writeJoin.ts'
import { readAuditBody } from '../audit/auditBody.ts'
import { auditRows, interpretColumns } from '../audit/auditTask.ts'
import { buildVintages } from '../audit/vintages.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { SpaOutcome } from '../evidence/superiority.ts'
import { buildArchive, filterArchive, listAssetNames, type SignalDay } from '../pipeline/archiveDataset.ts'
import { openBatch, runBatchItems } from '../pipeline/batch.ts'
import { encodeResult, storedPage, storedPublicPage } from '../pipeline/encodeResult.ts'
import { packPanel } from '../pipeline/panelDataset.ts'
import { readPanelFile } from '../pipeline/readPanelFile.ts'
import { runArchiveRequest, runBodyRequest, runPanelRequest } from '../pipeline/runRequest.ts'
import type { ArchiveInput, PanelScored, RowPrices } from '../pipeline/selectData.ts'
import { prepareSweepSpa, runSpaSlice } from '../pipeline/sweepEvidence.ts'
import { type SliceSeries, type SweepPlan, simulateSlice } from '../pipeline/sweepPlan.ts'
import { writeSweepResult } from '../pipeline/sweepResult.ts'
import type { TaskFailure } from '../pipeline/taskFailure.ts'
import { lookAheadPremium, type PremiumInput } from '../premium/lookAheadPremium.ts'
import { writePremium } from '../premium/writePremium.ts'
import { computeReturns } from '../priceReturns/computeReturns.ts'
import { priceDataset } from '../priceReturns/pricedDataset.ts'
import { resultParts } from '../report/resultParts.ts'
import type { OpenSpan } from '../report/tearSheet/publicPage.ts'
import type { ResultFormat } from '../request.ts'

/** Every task that a worker thread can run. `ComputePool.tasks` has a method for each of them. Only threads import
 * the functions. The pool imports only their types, so the server's own thread never loads them. */
export const tasks = {
  /** Takes an unparsed request body. A request that needs rows from elsewhere is returned parsed: it names a stored panel
   * other than `named`, an archive that is not among `archives`, or a metric to rank by, which depends on the caller's
   * licence. */
  runBodyRequest,
  /** Runs a request for a stored or scored panel on its dataset. */
  runPanelRequest: (input: PanelInput) =>
    runPanelRequest(input.data, input.request, input.costs, input.resultFormat, input.scored, input.prices),
  runArchiveRequest: (input: ArchiveInput & { readonly resultFormat: ResultFormat }) =>
    runArchiveRequest(input, input.resultFormat),
  /** Parses the body of a batch: its backtests, and its rows if it has any. */
  openBatch: (input: { readonly body: Uint8Array }) => openBatch(input.body),
  /** Runs some backtests of a batch on one dataset. Ends early if `stop` is set to 1. */
  runBatchItems,
  /** Simulates some configurations of a sweep. Fills `series`, and ends early if `stop` is set to 1. */
  simulateSlice,
  /** Turns the series of all slices, in the order of the plan's slices, into a result. */
  finishSweep: ({ plan, series, spa, resultFormat }: FinishInput) =>
    encodeResult(writeSweepResult(plan, series, spa), resultFormat, plan.pageOnly),
  /** Prepares the resamples of a sweep's test for superior predictive ability; null if it cannot be
   * computed. */
  prepareSpa: (input: { readonly plan: SweepPlan; readonly series: readonly SliceSeries[] }) =>
    prepareSweepSpa(input.plan, input.series),
  /** Computes some of its resamples. Fills `maxima`, and ends early if `stop` is set to 1. */
  runSpaSlice,
  /** Turns a result as a job stores it into a page. */
  renderResultPage: (input: { readonly stored: string }) => storedPage(input.stored),
  /** Turns a stored result into a page for people who are not its owner. */
  renderPublicPage: (input: { readonly stored: string; readonly open: OpenSpan }) =>
    storedPublicPage(input.stored, input.open),
  /** The parts of a result that a page shows and offers for download. */
  readResultParts: (input: { readonly result: string }) => resultParts(JSON.parse(input.result)),
  /** Turns a file of rows into a valid body, and reports what was detected in it. */
  readPanelFile,
  /** Turns a body of rows into what is stored: packed rows, their hash and the ranking of the dataset. */
  packPanel,
  rankDataset: (input: { readonly data: Dataset }) => rankDataset(input.data).ranking,
  /** Builds a ranked dataset from signals. */
  buildArchive: (input: { readonly days: readonly SignalDay[] }) => buildArchive(input.days),
  /** One market's rows as a separate ranked dataset; null if no row has that market. */
  filterDataset: (input: { readonly data: Dataset; readonly market: string }) =>
    filterArchive(input.data, input.market),
  /** The ids of the dataset's assets in order, one per line. */
  listAssetNames: (input: { readonly data: Dataset }) => listAssetNames(input.data),
  /** The same rows with a metric of their companies as the score. Only the columns that differ take
   * additional memory. */
  scoreDataset,
  /** Computes the returns of the rows of some assets from prices. Fills `found`. */
  computeReturns,
  /** The same rows with the returns that were found, without those that cannot be traded. */
  priceDataset,
  /** The same backtest on scores as sent and as known, and the difference of their Sharpe ratios. */
  lookAheadPremium: (input: PremiumInput) => writePremium(lookAheadPremium(input)),
  /** Parses the body of an as-of join: its rows and its settings. */
  readJoinBody,
  /** Finds which company's days each row of a symbol is in. */
  findSlots,
  /** Turns the vintages of a block of companies into what is known of them on each day. */
  buildEvents: (input: PackedVintages) =>
    input.strategy === undefined
      ? buildEvents(input)
      : buildStrategyEvents({ ...input, strategy: input.strategy }),
  /** Turns the rows of an as-of join into the bytes of its response. */
  writeJoin,
  /** Values the companies of a market on one day. */
  valueMarket,
  /** Parses the body of an audit: its rows, its settings and its columns of numbers. */
  readAuditBody,
  /** Lays out every vintage of a block of companies with its filing. */
  buildVintages,
  /** Finds what the columns of an audit contain, at which scale and sign. */
  interpretColumns,
  /** Finds the state of every cell, and writes the rows of the answer. */
  auditRows,
}

interface PanelInput {
  readonly data: Dataset
  readonly request: BacktestSettings
  readonly costs: MarketCosts
  readonly resultFormat: ResultFormat
  /** For rows whose score is a metric. */
  readonly scored?: PanelScored
  /** For rows whose returns come from prices. */
  readonly prices?: RowPrices
}

interface FinishInput {
  readonly plan: SweepPlan
  readonly series: readonly SliceSeries[]
  readonly resultFormat: ResultFormat
  readonly spa: SpaOutcome
}

type Tasks = typeof tasks
export type TaskKind = keyof Tasks
export type TaskInput<K extends TaskKind> = Parameters<Tasks[K]>[0]
export type TaskOutput<K extends TaskKind> = Awaited<ReturnType<Tasks[K]>>

/** Each task as a method that sends its input to a thread. Written with `keyof`, so that an editor leads from a
 * call to the entry in `tasks`. */
export type TaskMethods<Options> = {
  readonly [K in keyof Tasks]: (input: TaskInput<K>, options: Options) => Promise<TaskOutput<K>>
}

export type Task = { [K in TaskKind]: { readonly kind: K; readonly input: TaskInput<K> } }[TaskKind]

export type TaskReply<K extends TaskKind> =
  | { readonly ok: true; readonly output: TaskOutput<K> }
  | { readonly ok: false; readonly failure: TaskFailure }

type PerformedTasks = {
  readonly [K in keyof Tasks]: (input: TaskInput<K>) => TaskOutput<K> | Promise<TaskOutput<K>>
}

const performed: PerformedTasks = tasks

/** Runs a task in this thread. */
export const performTask = <K extends TaskKind>(
  kind: K,
  input: TaskInput<K>,
): TaskOutput<K> | Promise<TaskOutput<K>> => performed[kind](input)
