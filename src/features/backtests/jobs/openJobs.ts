import { LRUCache } from 'lru-cache'
import type { BacktestOutcome } from '../../../backtest/pipeline/runRequest.ts'
import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import type { StorageWatch } from '../../../postgres/storage.ts'
import type { BacktestDeps } from '../run.ts'
import type { Job } from './job.ts'
import type { JobOrigin } from './jobQueries.ts'
import type { ProcessIdentity } from './maintainQueries.ts'

/** A task of a job in the log. Only tasks of traces have a line: all others are known from their job. */
export interface TaskLine {
  readonly jobId: string
  /** Of the request that submitted the job. */
  readonly requestId: string
  readonly traceId: string
  readonly parentId: string
  readonly task: string
  readonly attempt: number
  readonly outcome: 'done' | 'failed'
  readonly ms: number
}

/** What a process runs tasks with. */
export interface JobDeps {
  readonly sql: Sql
  readonly backtests: BacktestDeps
  /** Runs a submitted as-of join, and stores its result; none where there are only backtests. */
  readonly runJoin?: (job: Job, openJob: OpenJob) => Promise<void>
  readonly openJobs: OpenJobs
  readonly processId: string
  /** null: it says nothing of itself. */
  readonly identity?: ProcessIdentity | null
  /** The foreseen failure behind what a driver threw; null: a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly storage: StorageWatch
  readonly report: (message: string, error: unknown) => void
  /** Logs a task that belongs to a trace. */
  readonly logTask?: (line: TaskLine) => void
}

/** A job that this process works on, or did a moment ago. */
export interface OpenJob {
  readonly id: string
  /** Aborts when the job has ended (cancelled, or failed in another process). Aborts with a Failure when only this process
   * stops working on it. */
  readonly signal: AbortSignal
  /** The request that submitted it; null: not read yet. */
  origin: Promise<JobOrigin | null> | null
  /** What this process made of the body; shared by all shards that run here. */
  prepared: { readonly round: number; readonly backtest: Promise<BacktestOutcome> } | null
}

interface Entry {
  readonly job: OpenJob
  readonly controller: AbortController
  /** Tasks in progress. */
  tasks: number
}

/** Each idle job holds a dataset in memory, so that its next shard need not prepare it again. */
const maxIdle = 2

/** The jobs that this process works on, with what their tasks share. */
export class OpenJobs {
  readonly #busy = new Map<string, Entry>()
  readonly #idle = new LRUCache<string, Entry>({ max: maxIdle })

  /** Opens a job for a task. Every task has to `leave` it. */
  enter(id: string): OpenJob {
    const entry = this.#find(id) ?? newEntry(id)
    entry.tasks++
    this.#idle.delete(id)
    this.#busy.set(id, entry)
    return entry.job
  }

  leave(id: string): void {
    const entry = this.#busy.get(id)
    if (entry === undefined || --entry.tasks > 0) return
    this.#busy.delete(id)
    this.#idle.set(id, entry)
  }

  /** Stops the tasks of a job that has ended. */
  end(id: string): void {
    this.#find(id)?.controller.abort(new Error('The job is over.'))
    this.#busy.delete(id)
    this.#idle.delete(id)
  }

  /** Stops all tasks because the process ends; other processes continue them. */
  interrupt(): void {
    const failure = new Failure('shutting_down', 'The process that ran this task is shutting down.')
    for (const id of this.ids()) this.#find(id)?.controller.abort(failure)
  }

  ids(): string[] {
    return [...this.#busy.keys(), ...this.#idle.keys()]
  }

  #find(id: string): Entry | undefined {
    return this.#busy.get(id) ?? this.#idle.get(id)
  }
}

function newEntry(id: string): Entry {
  const controller = new AbortController()
  return { job: { id, signal: controller.signal, origin: null, prepared: null }, controller, tasks: 0 }
}
