import type { BacktestOutcome } from '../../../backtest/pipeline/runRequest.ts'
import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import type { StorageWatch } from '../../../postgres/storage.ts'
import type { BacktestDeps } from '../run.ts'

/** What a process runs tasks with. */
export interface JobDeps {
  readonly sql: Sql
  readonly backtests: BacktestDeps
  readonly openJobs: OpenJobs
  readonly processId: string
  /** The foreseen failure behind what a driver threw; null: a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly storage: StorageWatch
  readonly report: (message: string, error: unknown) => void
}

/** A job that this process works on, or did a moment ago. */
export interface OpenJob {
  readonly id: string
  /** Aborts when the job has ended (cancelled, or failed in another process). Aborts with a Failure when only this process
   * stops working on it. */
  readonly signal: AbortSignal
  /** What this process made of the body; shared by all shards that run here. */
  prepared: { readonly round: number; readonly backtest: Promise<BacktestOutcome> } | null
}

interface Entry {
  readonly job: OpenJob
  readonly controller: AbortController
  /** Tasks under way. */
  tasks: number
}

/** Each idle job keeps a dataset in memory, so that its next shard need not prepare it again. */
const maxIdle = 2

/** The jobs that this process works on, with what their tasks share. */
export class OpenJobs {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>()

  /** Opens a job for a task. Every task has to `leave` it. */
  enter(id: string): OpenJob {
    const existing = this.#entries.get(id)
    if (existing) {
      existing.tasks++
      this.#entries.delete(id)
      this.#entries.set(id, existing)
      return existing.job
    }
    const controller = new AbortController()
    const job: OpenJob = { id, signal: controller.signal, prepared: null }
    this.#entries.set(id, { job, controller, tasks: 1 })
    return job
  }

  leave(id: string): void {
    const entry = this.#entries.get(id)
    if (entry) entry.tasks--
    const idle = [...this.#entries].filter(([, { tasks }]) => tasks === 0)
    for (const [old] of idle.slice(0, Math.max(0, idle.length - maxIdle))) this.#entries.delete(old)
  }

  /** Stops the tasks of a job that has ended. */
  end(id: string): void {
    this.#entries.get(id)?.controller.abort(new Error('The job is over.'))
    this.#entries.delete(id)
  }

  /** Stops all tasks because the process ends; other processes continue them. */
  interrupt(): void {
    const failure = new Failure('shutting_down', 'The process that ran this task is shutting down.')
    for (const { controller } of this.#entries.values()) controller.abort(failure)
  }

  ids(): string[] {
    return [...this.#entries.keys()]
  }
}
