import type { MarketCosts } from '../../markets/costs.ts'
import type { EventBlock, PackedVintages } from '../asOf/events.ts'
import type { JoinBody, JoinBodyInput } from '../asOf/joinBody.ts'
import type { ScoredRows, ScoreInput } from '../asOf/scoreDataset.ts'
import type { JoinTask, WrittenJoin } from '../asOf/writeJoin.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import type { Dataset, Ranking } from '../dataset/dataset.ts'
import type { SpaTest } from '../evidence/spa.ts'
import type { SpaOutcome } from '../evidence/superiority.ts'
import type { SignalDay } from '../pipeline/archiveDataset.ts'
import type { BatchInput, BatchOutput, OpenedBatch } from '../pipeline/batch.ts'
import type { EncodedResult } from '../pipeline/encodeResult.ts'
import type { PackedPanel, PanelBody } from '../pipeline/panelDataset.ts'
import type { PanelFile, PanelFileInput } from '../pipeline/readPanelFile.ts'
import type { BacktestOutcome, BodyInput, RowsNeeded } from '../pipeline/runRequest.ts'
import type { ArchiveInput, PanelScored } from '../pipeline/selectData.ts'
import type { SpaSliceInput } from '../pipeline/sweepEvidence.ts'
import type { SliceInput, SliceSeries, SweepPlan } from '../pipeline/sweepPlan.ts'
import type { TaskFailure } from '../pipeline/taskFailure.ts'
import type { ResultParts } from '../report/resultParts.ts'
import type { ResultFormat } from '../request.ts'

/** Every task that a worker thread can run, with what it takes and returns. */
export interface Tasks {
  /** A request body, unparsed. A request that needs rows from elsewhere comes back parsed. It names a stored panel, an
   * archive that is not among `archives`, or a metric to rank by, which depends on the caller's licence. */
  backtest_body: { input: BodyInput; output: BacktestOutcome | RowsNeeded }
  /** A request for a panel that is stored or has been scored, on its dataset. */
  backtest_stored: {
    input: {
      readonly data: Dataset
      readonly request: BacktestSettings
      readonly costs: MarketCosts
      readonly resultFormat: ResultFormat
      /** Of rows whose score is a metric. */
      readonly scored?: PanelScored
    }
    output: BacktestOutcome
  }
  backtest_archive: {
    input: ArchiveInput & { readonly resultFormat: ResultFormat }
    output: BacktestOutcome
  }
  /** The body of a batch, unparsed: its backtests, and its rows if it has some. */
  batch_body: { input: { readonly body: Uint8Array }; output: OpenedBatch }
  /** Some backtests of a batch, on one dataset. Ends early if 1 is put at `stop`. */
  batch_items: { input: BatchInput; output: BatchOutput }
  /** Some configurations of a sweep. Fills `series`, and stops early if 1 is put at `stop`. */
  sweep_slice: { input: SliceInput; output: null }
  /** The series of all slices, in the order of the plan's slices, to a result. */
  sweep_finish: {
    input: {
      readonly plan: SweepPlan
      readonly series: readonly SliceSeries[]
      readonly resultFormat: ResultFormat
      readonly spa: SpaOutcome
    }
    output: EncodedResult
  }
  /** Prepares the resamples of a sweep's test for superior predictive ability; null if it cannot be computed. */
  sweep_spa: {
    input: { readonly plan: SweepPlan; readonly series: readonly SliceSeries[] }
    output: SpaTest | null
  }
  /** Some of its resamples. Fills `maxima`, and stops early if 1 is put at `stop`. */
  spa_slice: { input: SpaSliceInput; output: null }
  /** A result as a job stores it, to a page. */
  result_page: { input: { readonly stored: string }; output: EncodedResult }
  /** What a page shows of a result and offers for download. */
  result_parts: { input: { readonly result: string }; output: ResultParts }
  /** A file of rows to a body without faults, and what was recognised in it. */
  panel_file: { input: PanelFileInput; output: PanelFile }
  /** A body of rows to be stored: packed, with its hash and the ranking of its dataset. */
  panel_pack: { input: PanelBody; output: PackedPanel }
  dataset_rank: { input: { readonly data: Dataset }; output: Ranking }
  /** Signals to a ranked dataset. */
  archive_build: { input: { readonly days: readonly SignalDay[] }; output: Dataset }
  /** One market's rows as a separate ranked dataset; null if no row has that market. */
  dataset_filter: { input: { readonly data: Dataset; readonly market: string }; output: Dataset | null }
  /** The ids of the dataset's assets in their order, one per line. */
  dataset_names: { input: { readonly data: Dataset }; output: string }
  /** The same rows with a metric of their companies as the score. Only the columns that differ take additional memory. */
  dataset_score: { input: ScoreInput; output: ScoredRows }
  /** The body of an as-of join, unparsed: its rows, and what is computed for them. */
  join_body: { input: JoinBodyInput; output: JoinBody }
  /** The vintages of a block of companies, to what is known of them on each day. */
  events_build: { input: PackedVintages; output: EventBlock }
  /** The rows of an as-of join, to the bytes of its answer. */
  join_rows: { input: JoinTask; output: WrittenJoin }
}

export type TaskKind = keyof Tasks
export type TaskInput<K extends TaskKind> = Tasks[K]['input']
export type TaskOutput<K extends TaskKind> = Tasks[K]['output']

export type Task = { [K in TaskKind]: { readonly kind: K; readonly input: TaskInput<K> } }[TaskKind]

export type TaskReply<K extends TaskKind> =
  | { readonly ok: true; readonly output: TaskOutput<K> }
  | { readonly ok: false; readonly failure: TaskFailure }
