import Piscina from 'piscina'
import { Failure } from '../errors.ts'
import type { TaskInput, TaskKind, TaskOutput, TaskReply } from './protocol.ts'
import { TurnQueue } from './TurnQueue.ts'

export interface PoolSettings {
  readonly threads: number
  /** Tasks that may wait while all threads are busy. */
  readonly queue: number
  /** Longest a task may run, its wait not counted. */
  readonly timeLimitMs: number
  /** The thread's entry point; the tests put a misbehaving one here. */
  readonly worker?: URL
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Memory that moves to the thread. A task that gave its memory away is not tried again after a crash. */
  readonly transfer?: ArrayBuffer[]
}

const entry = new URL('../../workers/compute.ts', import.meta.url)

/** Worker threads behind the closed list of tasks in `protocol.ts`.
 *
 * A task fails with `compute_busy` where the queue is full, `compute_timeout` past its time, `compute_failed` where
 * its thread dies (tried once more if it can be), `shutting_down` after `close`, and with the signal's reason where
 * its caller gave up. A thread that runs on is ended and replaced, so the pool is whole again. */
export class ComputePool {
  readonly #settings: PoolSettings
  readonly #turns: TurnQueue
  readonly #threads: Piscina

  constructor(settings: PoolSettings) {
    this.#settings = settings
    this.#turns = new TurnQueue(settings.threads, settings.queue)
    this.#threads = new Piscina({
      filename: (settings.worker ?? entry).href,
      minThreads: settings.threads,
      maxThreads: settings.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
    })
  }

  async run<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    options: RunOptions = {},
  ): Promise<TaskOutput<K>> {
    const { signal, transfer = [] } = options
    const started = await this.#turns.take(signal)
    try {
      const attempts = transfer.length === 0 ? 2 : 1
      const reply = await this.#attempt(kind, input, transfer, signal, attempts)
      if (reply.ok) return reply.output
      const { code, message, param, trace } = reply.failure
      throw new Failure(code, message, { ...(param ? { param } : {}), ...(trace ? { cause: trace } : {}) })
    } finally {
      this.#turns.giveBack(started)
    }
  }

  async #attempt<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    transferList: ArrayBuffer[],
    callers: AbortSignal | undefined,
    attemptsLeft: number,
  ): Promise<TaskReply<K>> {
    const { timeLimitMs } = this.#settings
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeLimitMs)
    const signal = callers ? AbortSignal.any([callers, limit.signal]) : limit.signal
    try {
      return await this.#threads.run({ kind, input }, { signal, transferList: bothKinds(transferList) })
    } catch (cause) {
      if (callers?.aborted) throw callers.reason
      if (limit.signal.aborted) {
        throw new Failure(
          'compute_timeout',
          `The backtest took longer than ${timeLimitMs / 1000} s. Send fewer rows or dates.`,
          { cause },
        )
      }
      if (attemptsLeft > 1) return this.#attempt(kind, input, transferList, callers, attemptsLeft - 1)
      throw new Failure(
        'compute_failed',
        'The backtest could not be computed: its worker stopped, perhaps for want of memory. Try fewer rows.',
        { cause },
      )
    } finally {
      clearTimeout(timer)
    }
  }

  /** Refuses new tasks, lets those that run or wait finish, then ends the threads. */
  async close(): Promise<void> {
    await this.#turns.close()
    await this.#threads.destroy()
  }
}

/** Piscina takes an array; its types, read with Bun's, ask for options with `transfer`. This is both. */
function bothKinds(transfer: ArrayBuffer[]): ArrayBuffer[] & { transfer: ArrayBuffer[] } {
  return Object.assign([...transfer], { transfer })
}
