import type { Outcome } from '../../compute/protocol.ts'
import { Failure } from '../../errors.ts'

/** A job that this process works at, or did a moment ago. */
export interface OpenJob {
  readonly id: string
  /** Aborts when the job has ended (it was cancelled, or it failed elsewhere), and with a Failure where it goes on without
   * this process. */
  readonly signal: AbortSignal
  /** What this process made of the body; it serves every share that comes here. */
  prepared: { readonly round: number; readonly backtest: Promise<Outcome> } | null
}

interface Held {
  readonly job: OpenJob
  readonly controller: AbortController
  users: number
}

/** Each holds a dataset in memory. */
const mostIdle = 2

/** The jobs that this process works at. */
export class OpenJobs {
  readonly #held = new Map<string, Held>()

  enter(id: string): OpenJob {
    const found = this.#held.get(id)
    if (found) {
      found.users++
      // The last to be used is the last to go.
      this.#held.delete(id)
      this.#held.set(id, found)
      return found.job
    }
    const controller = new AbortController()
    const job: OpenJob = { id, signal: controller.signal, prepared: null }
    this.#held.set(id, { job, controller, users: 1 })
    return job
  }

  leave(id: string): void {
    const held = this.#held.get(id)
    if (held) held.users--
    const idle = [...this.#held].filter(([, { users }]) => users === 0)
    for (const [old] of idle.slice(0, Math.max(0, idle.length - mostIdle))) this.#held.delete(old)
  }

  /** The job is over: whatever of it runs here leaves off. */
  end(id: string): void {
    this.#held.get(id)?.controller.abort(new Error('The job is over.'))
    this.#held.delete(id)
  }

  /** The process has to end before its work does. */
  interrupt(): void {
    const failure = new Failure('shutting_down', 'The process that ran this was told to end.')
    for (const { controller } of this.#held.values()) controller.abort(failure)
  }

  ids(): string[] {
    return [...this.#held.keys()]
  }
}
