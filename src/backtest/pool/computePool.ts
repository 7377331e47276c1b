import Piscina from 'piscina'
import { Failure } from '../../errors.ts'
import { TurnQueue, type Visit } from './scheduler.ts'
import type { TaskInput, TaskKind, TaskOutput, TaskReply } from './tasks.ts'

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
  /** From `enter`: the task is one of several of a request that was let in. */
  readonly visit?: Visit
  /** Shared memory at which the task looks as it goes: when its caller gives up, 1 is put there and the task ends by
   * itself. Without it the task's thread is ended, and another one has to start. */
  readonly stop?: Int32Array
  /** The visit's next task follows at once: it has this one's turn, and need not wait for another. A visit that has to
   * wait for something else before gives the turn up with `release`. */
  readonly holdTurn?: boolean
}

/** A task whose caller left may still end by itself: most are about to, and a new thread would be slow at first. */
const graceMs = 50

const entry = new URL('../../../workers/compute.ts', import.meta.url)

/** Worker threads behind the closed list of tasks in `protocol.ts`.
 *
 * A task fails with `compute_busy` where the queue is full, `compute_timeout` past its time, `compute_lost` where
 * its thread dies (tried once more if it can be), `shutting_down` after `close`, and with the signal's reason where
 * its caller gave up. A thread that runs on is ended and replaced, so the pool is whole again. */
export class ComputePool {
  readonly #settings: PoolSettings
  readonly #turns: TurnQueue
  readonly #workers: Piscina

  /** Tasks that can run at a time. */
  get threads(): number {
    return this.#settings.threads
  }

  constructor(settings: PoolSettings) {
    this.#settings = settings
    this.#turns = new TurnQueue(settings.threads, settings.queue)
    this.#workers = new Piscina({
      filename: (settings.worker ?? entry).href,
      minThreads: settings.threads,
      maxThreads: settings.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
    })
    // A thread that dies fails its task, which says so; the event beside it would end the whole process unheard.
    this.#workers.on('error', () => {})
  }

  /** Lets a request of several tasks in: they are never turned away for want of room, and take turns with those of
   * other requests. Fails as `run` does; who enters must leave. */
  enter(newcomer = true): Visit {
    return this.#turns.enter(newcomer)
  }

  leave(visit: Visit): void {
    this.#turns.leave(visit)
  }

  /** Gives up the turn that `holdTurn` kept. */
  release(visit: Visit): void {
    this.#turns.release(visit)
  }

  async run<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    options: RunOptions = {},
  ): Promise<TaskOutput<K>> {
    if (options.visit) return this.#runTurn(kind, input, options, options.visit)
    options.signal?.throwIfAborted()
    const visit = this.enter()
    try {
      return await this.#runTurn(kind, input, options, visit)
    } finally {
      this.leave(visit)
    }
  }

  async #runTurn<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    options: RunOptions,
    visit: Visit,
  ): Promise<TaskOutput<K>> {
    const started = await this.#turns.take(visit, options.signal)
    let held = false
    try {
      const attempts = options.transfer?.length ? 1 : 2
      const reply = await this.#attempt(kind, input, options, attempts)
      options.signal?.throwIfAborted()
      if (reply.ok) {
        held = options.holdTurn === true
        return reply.output
      }
      const { code, message, param, trace } = reply.failure
      throw new Failure(code, message, { ...(param ? { param } : {}), ...(trace ? { cause: trace } : {}) })
    } finally {
      if (held) this.#turns.hold(visit, started)
      else this.#turns.giveBack(visit, started)
    }
  }

  async #attempt<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    options: RunOptions,
    attemptsLeft: number,
  ): Promise<TaskReply<K>> {
    const { timeLimitMs } = this.#settings
    const { signal: callers, transfer = [], stop } = options
    callers?.throwIfAborted()
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(), timeLimitMs)
    let gone: Timer | undefined
    const left = () => {
      if (stop) Atomics.store(stop, 0, 1)
      else gone = setTimeout(() => end.abort(), graceMs)
    }
    callers?.addEventListener('abort', left)
    const sent = { signal: end.signal, transferList: bothKinds(transfer) }
    try {
      return await this.#workers.run({ kind, input }, sent)
    } catch (cause) {
      if (callers?.aborted) throw callers.reason
      if (end.signal.aborted) {
        throw new Failure(
          'compute_timeout',
          `The backtest took longer than ${timeLimitMs / 1000} s. Send fewer rows or dates.`,
          { cause },
        )
      }
      if (attemptsLeft > 1) return this.#attempt(kind, input, options, attemptsLeft - 1)
      throw new Failure(
        'compute_lost',
        'The backtest could not be computed: its worker stopped, perhaps for want of memory. Try again, or with fewer rows.',
        { cause, retryAfterSeconds: 1 },
      )
    } finally {
      clearTimeout(timer)
      clearTimeout(gone)
      callers?.removeEventListener('abort', left)
    }
  }

  /** Refuses new requests, lets those that run or wait finish, then ends the threads. */
  async close(): Promise<void> {
    await this.#turns.close()
    await this.#workers.destroy()
  }
}

/** Piscina takes an array; its types, read with Bun's, ask for options with `transfer`. This is both. */
function bothKinds(transfer: ArrayBuffer[]): ArrayBuffer[] & { transfer: ArrayBuffer[] } {
  return Object.assign([...transfer], { transfer })
}

/** Only a whole ArrayBuffer can move to another thread; a part of one, or shared memory, is copied first. */
export function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(body)
}
