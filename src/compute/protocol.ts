import type { ErrorCode } from '../errors.ts'
import type { BacktestRequest, BacktestSource } from '../model/backtest.ts'
import type { BacktestResult } from '../model/backtestResult.ts'
import type { MarketCosts } from '../model/marketCosts.ts'
import type { Columns } from '../quant/columns.ts'
import type { Dataset } from '../quant/dataset.ts'

/** A request for the archive, read and checked. */
export interface ArchiveRequest {
  readonly config: NonNullable<BacktestRequest['config']>
  readonly source: BacktestSource
  readonly include: NonNullable<BacktestRequest['include']>
}

/** Everything a worker can be asked, and what it answers. */
export interface Tasks {
  /** A request body, unparsed. A panel is run at once; a request for the archive comes back, read. */
  backtest_body: {
    input: { readonly body: Uint8Array; readonly costs: MarketCosts }
    output:
      | { readonly kind: 'result'; readonly result: BacktestResult }
      | { readonly kind: 'archive'; readonly request: ArchiveRequest }
  }
  backtest_archive: {
    input: {
      readonly data: Dataset
      readonly request: ArchiveRequest
      readonly costs: MarketCosts
      readonly dataVersion: number
    }
    output: BacktestResult
  }
  /** Rows to a ranked dataset. */
  dataset_build: { input: { readonly columns: Columns }; output: Dataset }
  /** One market's rows as a ranked dataset of their own; null where no row has that market. */
  dataset_filter: { input: { readonly data: Dataset; readonly market: string }; output: Dataset | null }
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
