import { LRUCache } from 'lru-cache'
import { Failure } from '../errors.ts'
import type { JobOrigin } from './jobQueries.ts'

/** A job that this process works on, or did a moment ago. The same object as long as the process has it open, so that a task can
 * keep in a WeakMap what the next one of the job needs, too. */
export interface OpenJob {
  readonly id: string
  /** Aborts when the job has ended (cancelled, or failed in another process). Aborts with a Failure when only this process
   * stops working on it. */
  readonly signal: AbortSignal
  /** The request that submitted it; null: not read yet. */
  origin: Promise<JobOrigin | null> | null
}

interface Entry {
  readonly job: OpenJob
  readonly controller: AbortController
  /** Tasks in progress. */
  tasks: number
}

/** Each idle job may hold a dataset in memory, so that its next task need not prepare it again. */
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
  return { job: { id, signal: controller.signal, origin: null }, controller, tasks: 0 }
}
