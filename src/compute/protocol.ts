import type { ErrorCode } from '../errors.ts'
import type { BacktestRequest, BacktestSource, BacktestSweep } from '../model/backtest.ts'
import type { BacktestScore } from '../model/backtestResult.ts'
import type { BodyFormat, BodyQuery } from '../model/bodyFormat.ts'
import type { MarketCosts } from '../model/marketCosts.ts'
import type { ResultForm } from '../model/resultForm.ts'
import type { ScoreSpans } from '../model/scoreSpans.ts'
import type { SignalDay } from '../model/signalDay.ts'
import type { Dataset, Ranking } from '../quant/dataset.ts'
import type { Prices } from '../quant/prices.ts'
import type { DateView } from '../quant/viewDates.ts'
import type { HeldArchive } from './heldArchive.ts'
import type { ResolvedConfig } from './resolvedConfig.ts'
import type { SliceSeries, SweepPlan } from './sweepPlan.ts'
import type { WrittenResult } from './writtenResult.ts'

/** A request for the archive, read and checked. */
export interface ArchiveRequest {
  readonly config: NonNullable<BacktestRequest['config']>
  readonly source: BacktestSource
  readonly include: NonNullable<BacktestRequest['include']>
  /** Absent or false: one configuration. */
  readonly sweep?: boolean | BacktestSweep | undefined
}

/** A request for a stored panel, read and checked. */
export interface StoredRequest extends Omit<ArchiveRequest, 'source'> {
  readonly panelId: string
}

export interface ArchiveInput {
  readonly data: Dataset
  readonly request: ArchiveRequest
  readonly costs: MarketCosts
  readonly dataVersion: number
  /** What the score is, where it is no forecast. */
  readonly score?: BacktestScore | undefined
}

/** What one thread makes of a request: the result of one configuration, or a sweep that is planned and yet to be run. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: WrittenResult }
  | { readonly kind: 'sweep'; readonly plan: SweepPlan }

/** Everything a worker can be asked, and what it answers. */
export interface Tasks {
  /** A request body, unparsed. A request for a stored panel, or for an archive that is not at hand, comes back, read; and so
   * does one that ranks by a figure, for who may is decided elsewhere. */
  backtest_body: {
    input: {
      readonly body: Uint8Array
      readonly format: BodyFormat
      readonly query: BodyQuery
      readonly archives: readonly HeldArchive[]
      readonly costs: MarketCosts
      readonly form: ResultForm
    }
    output:
      | Outcome
      | { readonly kind: 'archive'; readonly request: ArchiveRequest }
      | { readonly kind: 'stored'; readonly request: StoredRequest }
  }
  /** A request for a stored panel, on its dataset. */
  backtest_stored: {
    input: {
      readonly data: Dataset
      readonly request: StoredRequest
      readonly costs: MarketCosts
      readonly form: ResultForm
    }
    output: Outcome
  }
  backtest_archive: { input: ArchiveInput & { readonly form: ResultForm }; output: Outcome }
  /** Some configurations of a sweep. Fills `series`, and leaves off where 1 is put at `stop`. */
  sweep_slice: {
    input: {
      readonly data: Dataset
      readonly view: DateView
      readonly configs: readonly ResolvedConfig[]
      readonly prices: Prices
      readonly series: SliceSeries
      readonly stop: Int32Array
    }
    output: null
  }
  /** The series of all slices, in the order of the plan's slices, to a result. */
  sweep_finish: {
    input: {
      readonly plan: SweepPlan
      readonly series: readonly SliceSeries[]
      readonly form: ResultForm
    }
    output: WrittenResult
  }
  /** A result that was written as JSON, as a page. */
  result_page: { input: { readonly result: string }; output: WrittenResult }
  /** A body of rows to be stored: packed, with the SHA-256 of that, and the ranking of the dataset that it is. */
  panel_pack: {
    input: { readonly body: Uint8Array; readonly format: BodyFormat }
    output: { readonly packed: Uint8Array; readonly content: Uint8Array; readonly ranking: Ranking }
  }
  dataset_rank: { input: { readonly data: Dataset }; output: Ranking }
  /** Signals to a ranked dataset. */
  archive_build: { input: { readonly days: readonly SignalDay[] }; output: Dataset }
  /** One market's rows as a ranked dataset of their own; null where no row has that market. */
  dataset_filter: { input: { readonly data: Dataset; readonly market: string }; output: Dataset | null }
  /** The ids of the dataset's assets in their order, one a line. */
  dataset_names: { input: { readonly data: Dataset }; output: string }
  /** The same rows, ranked by other scores; only what differs takes memory of its own. */
  archive_score: { input: { readonly data: Dataset; readonly spans: ScoreSpans }; output: Dataset }
}

export type TaskKind = keyof Tasks
export type TaskInput<K extends TaskKind> = Tasks[K]['input']
export type TaskOutput<K extends TaskKind> = Tasks[K]['output']

export type Task = { [K in TaskKind]: { readonly kind: K; readonly input: TaskInput<K> } }[TaskKind]

/** A foreseen failure as data: an Error would lose its code between threads. */
export interface TaskFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  /** For the log, never for a client. */
  readonly trace: string | null
}

export type TaskReply<K extends TaskKind> =
  | { readonly ok: true; readonly output: TaskOutput<K> }
  | { readonly ok: false; readonly failure: TaskFailure }
