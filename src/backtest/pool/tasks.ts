import type { ErrorCode } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { Dataset, DateView, Ranking } from '../dataset/dataset.ts'
import type { Prices } from '../portfolio/settings.ts'
import type {
  BacktestRequest,
  BacktestSource,
  BacktestSweep,
  BodyFormat,
  BodyQuery,
  ResultForm,
} from '../request.ts'
import type { BacktestResult, BacktestScore } from '../result.ts'
import type { ResolvedConfig, SliceSeries, SweepPlan } from './sweepPlan.ts'

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

/** The archive of a horizon, or one market of it, in shared memory. */
export interface HeldArchive {
  readonly horizon: Horizon
  /** Null: all markets. */
  readonly market: string | null
  readonly data: Dataset
  readonly dataVersion: number
}

/** Which archive a request asks for. */
export function archiveOf(source: BacktestSource): Pick<HeldArchive, 'horizon' | 'market'> {
  return { horizon: source.horizon ?? '1d', market: source.market ?? null }
}

/** A result as it is sent. The thread that computed it also writes it, so that nobody else does, and only bytes are
 * copied between threads. */
export interface WrittenResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null for a panel. */
  readonly dataVersion: number | null
}

/** The result itself, of one that was written as JSON. */
export function readWritten({ bytes }: WrittenResult): BacktestResult {
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** The resolved signals of one day and horizon as the database packs them: to read millions of rows one by one would
 * keep a thread from everything else for seconds. Ordered by ticker, then market. */
export interface SignalDay {
  /** Since 1970-01-01. */
  readonly day: number
  /** `TICKER MARKET`, one a line. */
  readonly names: string
  /** The forecasts, 8 bytes each, big-endian. */
  readonly predicted: Uint8Array
  /** The outcomes, likewise. */
  readonly actual: Uint8Array
}

/** The figures that rank the assets of a dataset, as the database packs them: for each of some assets the spans of dates
 * in which one figure is its score. Numbers are big-endian. */
export interface ScoreSpans {
  /** Places in the dataset's assets, ascending, 4 bytes each. */
  readonly places: Uint8Array
  /** Spans of each of them, 4 bytes each; the spans themselves follow one another in this order. */
  readonly counts: Uint8Array
  /** The first date on which the span's figure may be used: the day after it became known. Days since 1970-01-01, 4 bytes
   * each, ascending within an asset; a span ends where the next of its asset begins. */
  readonly firstDays: Uint8Array
  /** The last date on which it is not too old, likewise. */
  readonly lastDays: Uint8Array
  /** 8 bytes each; NaN: no figure. */
  readonly values: Uint8Array
}
