import Piscina from 'piscina'
import { Failure } from '../../errors.ts'
import { restoreFailure } from '../pipeline/taskFailure.ts'
import type { ComputeCaller } from './caller.ts'
import { FairScheduler } from './scheduler.ts'
import { TaskEstimates, unitsOf } from './taskEstimates.ts'
import { taskKinds, taskNames } from './taskMessages.ts'
import type { TaskInput, TaskKind, TaskMethods, TaskOutput, TaskReply } from './tasks.ts'
import type { Priority, Ticket } from './tickets.ts'

export interface PoolSettings {
  readonly threads: number
  /** How many requests with paid keys may wait while all threads are busy. Free keys and the demo key each
   * have a queue of half that length. */
  readonly queue: number
  /** How long a task may run, not counting the time in the queue. */
  readonly timeLimitMs: number
  /** Set by a server, whose callers should not wait for a thread. Its threads run small backtests as soon as they
   * are idle, and the reserve thread, for a paid caller that finds all others in use, starts together with them.
   * By default it starts when it is first needed, which takes longer than most backtests. */
  readonly warmsUp?: boolean
  /** The thread's entry point; tests pass a misbehaving one. */
  readonly worker?: URL
}

/** What a thread is told when it starts. */
export type ThreadSettings = Required<Pick<PoolSettings, 'warmsUp'>>

export type RunOptions = TaskOptions & (AdmittedTask | SingleTask)

/** The task is one of several of an admitted request. */
interface AdmittedTask {
  /** From `admit`. */
  readonly ticket: Ticket
  readonly caller?: undefined
}

/** The task is a request of its own. */
interface SingleTask {
  /** The caller on whose behalf it runs. */
  readonly caller: ComputeCaller
  readonly priority?: Priority
  readonly ticket?: undefined
}

export interface TaskOptions {
  readonly signal?: AbortSignal | undefined
  /** Memory that is transferred to the thread. A task that transferred memory is not retried after a
   * crash. */
  readonly transfer?: ArrayBuffer[]
  /** Shared memory that the running task checks. When its caller gives up, it is set to 1 and the task ends
   * by itself. Without it, the task's thread is terminated and another one must start. */
  readonly stop?: Int32Array
  /** The ticket's next task follows at once and reuses this thread without waiting. A request that has to
   * wait for something else in between must call `releaseHeldThread`. */
  readonly holdThread?: boolean
}

/** How long a task may take to end by itself after its caller gave up. Most are about to end, and a new
 * thread starts slowly. */
const graceMs = 50

const workerEntry = new URL('../../../workers/compute.ts', import.meta.url)

/** Worker threads that run the tasks listed in `tasks.ts`: `pool.tasks.buildArchive(input, options)`.
 *
 * A task fails with `compute_busy` if the queue is full, and with `compute_timeout` past its time limit. It
 * fails with `compute_lost` if its thread dies, after a second attempt if one is possible. After `close` it
 * fails with `shutting_down`. If its caller gave up, it fails with the signal's reason. A thread that does
 * not end is terminated and replaced, so the pool keeps its size. */
export class ComputePool {
  readonly #settings: PoolSettings
  readonly #scheduler: FairScheduler
  readonly #workers: Piscina
  readonly #estimates = new TaskEstimates()
  readonly tasks: TaskMethods<RunOptions>

  /** How many tasks can run at the same time. */
  get threads(): number {
    return this.#settings.threads
  }

  /** What is running and waiting now, and the total seconds that threads were in use. */
  get use(): { threads: number; running: number; waiting: number; busySeconds: number } {
    const { running, waiting, busyMs } = this.#scheduler.use
    return { threads: this.#settings.threads, running, waiting, busySeconds: busyMs / 1_000 }
  }

  constructor(settings: PoolSettings) {
    this.#settings = settings
    this.tasks = taskMethods((kind, input, options) => this.#run(kind, input, options))
    this.#scheduler = new FairScheduler(settings.threads, settings.queue)
    const { warmsUp = false } = settings
    const threadSettings: ThreadSettings = { warmsUp }
    this.#workers = new Piscina({
      filename: (settings.worker ?? workerEntry).href,
      workerData: threadSettings,
      minThreads: settings.threads + (warmsUp ? 1 : 0),
      maxThreads: settings.threads + 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Otherwise an idle thread blocks in Atomics.wait, which suspends its event loop and garbage collector.
      // The rows and responses of its last tasks would then stay in memory until its next task: gigabytes
      // after a busy period.
      atomics: 'disabled',
    })
    // If a thread dies, its task fails anyway. Without a listener, the error event would also end the whole
    // process.
    this.#workers.on('error', () => {})
  }

  /** Admits a request of several tasks. None of them is rejected later because the queue is full, and they
   * alternate with the tasks of other requests. Fails as a task does. Every ticket must `leave`. */
  admit(caller: ComputeCaller, priority?: Priority): Ticket {
    return this.#scheduler.admit(caller, priority)
  }

  leave(ticket: Ticket): void {
    this.#scheduler.leave(ticket)
  }

  /** Gives up the thread that `holdThread` reserved. */
  releaseHeldThread(ticket: Ticket): void {
    this.#scheduler.releaseHeld(ticket)
  }

  async #run<K extends TaskKind>(kind: K, input: TaskInput<K>, options: RunOptions): Promise<TaskOutput<K>> {
    if (options.ticket) return this.#runAdmitted(kind, input, options, options.ticket)
    options.signal?.throwIfAborted()
    const ticket = this.admit(options.caller, options.priority)
    try {
      return await this.#runAdmitted(kind, input, options, ticket)
    } finally {
      this.leave(ticket)
    }
  }

  async #runAdmitted<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    options: TaskOptions,
    ticket: Ticket,
  ): Promise<TaskOutput<K>> {
    const units = unitsOf(kind, input)
    const slot = await this.#scheduler.acquire(
      ticket,
      options.signal,
      this.#estimates.estimateMs(kind, units),
    )
    const startedMs = performance.now()
    let held = false
    try {
      const attempts = options.transfer?.length ? 1 : 2
      const reply = await this.#attempt(kind, input, options, attempts)
      options.signal?.throwIfAborted()
      if (reply.ok) {
        this.#estimates.learn(kind, units, performance.now() - startedMs)
        held = options.holdThread === true
        return reply.output
      }
      throw restoreFailure(reply.failure)
    } finally {
      if (held) this.#scheduler.hold(ticket, slot)
      else this.#scheduler.release(ticket, slot)
    }
  }

  async #attempt<K extends TaskKind>(
    kind: K,
    input: TaskInput<K>,
    options: TaskOptions,
    attemptsLeft: number,
  ): Promise<TaskReply<K>> {
    const { timeLimitMs } = this.#settings
    const { signal, transfer = [], stop } = options
    const { what, mend } = taskNames[kind]
    signal?.throwIfAborted()
    const terminate = new AbortController()
    const timer = setTimeout(() => terminate.abort(), timeLimitMs)
    let grace: Timer | undefined
    const onCallerGone = () => {
      if (stop) Atomics.store(stop, 0, 1)
      else grace = setTimeout(() => terminate.abort(), graceMs)
    }
    signal?.addEventListener('abort', onCallerGone)
    const piscinaOptions = { signal: terminate.signal, transferList: asTransferList(transfer) }
    try {
      return await this.#workers.run({ kind, input }, piscinaOptions)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (terminate.signal.aborted) {
        throw new Failure(
          'compute_timeout',
          `${what} took longer than ${timeLimitMs / 1000} s. ${sentence(mend)}`,
          { cause },
        )
      }
      if (attemptsLeft > 1) return this.#attempt(kind, input, options, attemptsLeft - 1)
      throw new Failure(
        'compute_lost',
        `${what} could not be completed: its worker stopped, possibly out of memory. Try again, or ${mend}.`,
        { cause, retryAfterSeconds: 1 },
      )
    } finally {
      clearTimeout(timer)
      clearTimeout(grace)
      signal?.removeEventListener('abort', onCallerGone)
    }
  }

  /** Stops admitting requests, lets running and waiting ones finish, then ends the threads. */
  async close(): Promise<void> {
    await this.#scheduler.close()
    await this.#workers.destroy()
  }
}

type RunTask = <K extends TaskKind>(
  kind: K,
  input: TaskInput<K>,
  options: RunOptions,
) => Promise<TaskOutput<K>>

function taskMethods(run: RunTask): TaskMethods<RunOptions> {
  const methodOf =
    <K extends TaskKind>(kind: K) =>
    (input: TaskInput<K>, options: RunOptions) =>
      run(kind, input, options)
  return Object.fromEntries(taskKinds.map(kind => [kind, methodOf(kind)])) as TaskMethods<RunOptions>
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

/** Piscina expects an array, while its types combined with Bun's require options with a `transfer` field.
 * This is both. */
function asTransferList(transfer: ArrayBuffer[]): ArrayBuffer[] & { transfer: ArrayBuffer[] } {
  return Object.assign([...transfer], { transfer })
}

/** Only a whole ArrayBuffer can be transferred to another thread. Part of a buffer, or shared memory, is
 * copied first. */
export function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(body)
}
