import type { MarketCosts } from '../../markets/costs.ts'
import { buildEvents } from '../asOf/events.ts'
import { readJoinBody } from '../asOf/joinBody.ts'
import { scoreDataset } from '../asOf/scoreDataset.ts'
import { writeJoin } from '../asOf/writeJoin.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { SpaOutcome } from '../evidence/superiority.ts'
import { buildArchive, filterArchive, listAssetNames, type SignalDay } from '../pipeline/archiveDataset.ts'
import { openBatch, runBatchItems } from '../pipeline/batch.ts'
import { encodeResult, storedPage } from '../pipeline/encodeResult.ts'
import { packPanel } from '../pipeline/panelDataset.ts'
import { readPanelFile } from '../pipeline/readPanelFile.ts'
import { runArchiveRequest, runBodyRequest, runPanelRequest } from '../pipeline/runRequest.ts'
import type { ArchiveInput, PanelScored } from '../pipeline/selectData.ts'
import { prepareSweepSpa, runSpaSlice } from '../pipeline/sweepEvidence.ts'
import { type SliceSeries, type SweepPlan, simulateSlice } from '../pipeline/sweepPlan.ts'
import { writeSweepResult } from '../pipeline/sweepResult.ts'
import type { TaskFailure } from '../pipeline/taskFailure.ts'
import { resultParts } from '../report/resultParts.ts'
import type { ResultFormat } from '../request.ts'

/** Every task that a worker thread can run, by the name that `ComputePool.run` takes. Only threads import the functions. The pool imports
 * their types, so that a server's own thread never loads them. */
export const tasks = {
  /** A request body, unparsed. A request that needs rows from elsewhere comes back parsed. It names a stored panel, an
   * archive that is not among `archives`, or a metric to rank by, which depends on the caller's licence. */
  backtest_body: runBodyRequest,
  /** A request for a panel that is stored or has been scored, on its dataset. */
  backtest_stored: (input: PanelInput) =>
    runPanelRequest(input.data, input.request, input.costs, input.resultFormat, input.scored),
  backtest_archive: (input: ArchiveInput & { readonly resultFormat: ResultFormat }) =>
    runArchiveRequest(input, input.resultFormat),
  /** The body of a batch, unparsed: its backtests, and its rows if it has some. */
  batch_body: (input: { readonly body: Uint8Array }) => openBatch(input.body),
  /** Some backtests of a batch, on one dataset. Ends early if 1 is put at `stop`. */
  batch_items: runBatchItems,
  /** Some configurations of a sweep. Fills `series`, and stops early if 1 is put at `stop`. */
  sweep_slice: simulateSlice,
  /** The series of all slices, in the order of the plan's slices, to a result. */
  sweep_finish: ({ plan, series, spa, resultFormat }: FinishInput) =>
    encodeResult(writeSweepResult(plan, series, spa), resultFormat, plan.pageOnly),
  /** Prepares the resamples of a sweep's test for superior predictive ability; null if it cannot be computed. */
  sweep_spa: (input: { readonly plan: SweepPlan; readonly series: readonly SliceSeries[] }) =>
    prepareSweepSpa(input.plan, input.series),
  /** Some of its resamples. Fills `maxima`, and stops early if 1 is put at `stop`. */
  spa_slice: runSpaSlice,
  /** A result as a job stores it, to a page. */
  result_page: (input: { readonly stored: string }) => storedPage(input.stored),
  /** What a page shows of a result and offers for download. */
  result_parts: (input: { readonly result: string }) => resultParts(JSON.parse(input.result)),
  /** A file of rows to a body without faults, and what was recognised in it. */
  panel_file: readPanelFile,
  /** A body of rows to be stored: packed, with its hash and the ranking of its dataset. */
  panel_pack: packPanel,
  dataset_rank: (input: { readonly data: Dataset }) => rankDataset(input.data).ranking,
  /** Signals to a ranked dataset. */
  archive_build: (input: { readonly days: readonly SignalDay[] }) => buildArchive(input.days),
  /** One market's rows as a separate ranked dataset; null if no row has that market. */
  dataset_filter: (input: { readonly data: Dataset; readonly market: string }) =>
    filterArchive(input.data, input.market),
  /** The ids of the dataset's assets in their order, one per line. */
  dataset_names: (input: { readonly data: Dataset }) => listAssetNames(input.data),
  /** The same rows with a metric of their companies as the score. Only the columns that differ take additional memory. */
  dataset_score: scoreDataset,
  /** The body of an as-of join, unparsed: its rows, and what is computed for them. */
  join_body: readJoinBody,
  /** The vintages of a block of companies, to what is known of them on each day. */
  events_build: buildEvents,
  /** The rows of an as-of join, to the bytes of its answer. */
  join_rows: writeJoin,
}

interface PanelInput {
  readonly data: Dataset
  readonly request: BacktestSettings
  readonly costs: MarketCosts
  readonly resultFormat: ResultFormat
  /** Of rows whose score is a metric. */
  readonly scored?: PanelScored
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

export type Task = { [K in TaskKind]: { readonly kind: K; readonly input: TaskInput<K> } }[TaskKind]

export type TaskReply<K extends TaskKind> =
  | { readonly ok: true; readonly output: TaskOutput<K> }
  | { readonly ok: false; readonly failure: TaskFailure }

type PerformedTasks = {
  readonly [K in TaskKind]: (input: TaskInput<K>) => TaskOutput<K> | Promise<TaskOutput<K>>
}

const performed: PerformedTasks = tasks

/** Runs a task in this thread. */
export const performTask = <K extends TaskKind>(
  kind: K,
  input: TaskInput<K>,
): TaskOutput<K> | Promise<TaskOutput<K>> => performed[kind](input)
