import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import type { BatchEntry, BatchRowsOpened, BatchTrial } from '../pipeline/batch.ts'
import { restoreFailure } from '../pipeline/taskFailure.ts'
import type { ComputePool } from './computePool.ts'
import type { Ticket } from './tickets.ts'

/** Backtests of a batch that run on the same rows. */
export interface BatchGroup {
  readonly entries: readonly BatchEntry[]
  /** Called once, shortly before the first of them runs. If it fails, each of them fails. */
  readonly open: () => Promise<BatchRowsOpened>
}

export interface BatchOptions {
  readonly costs: MarketCosts
  readonly signal: AbortSignal
  /** From `pool.admit`; `runBatch` leaves it when the batch is over. */
  readonly ticket: Ticket
  /** How long the whole batch may run, not counting the time that it waits for other requests. */
  readonly timeLimitMs: number
}

/** Everything that has finished since the previous part. */
export interface BatchPart {
  /** NDJSON, one line for each backtest with a result. */
  readonly lines: Uint8Array<ArrayBuffer>
  readonly trials: readonly BatchTrial[]
  readonly failures: readonly BatchFailure[]
}

export interface BatchFailure {
  readonly index: number
  readonly failure: Failure
}

/** Bytes of results that may wait for the reader. Beyond this, no further backtest starts. */
const maxWaitingBytes = 1_024 * 1_024

/** Runs a batch on this process's threads and yields its results in order of completion. Small backtests
 * share a task, because sending each to a thread on its own takes half as long as running it. Each task
 * competes fairly with other requests. A slow reader pauses the batch: at most a megabyte waits, besides
 * what is running. The reader must read to the end or return.
 *
 * Throws the signal's reason once the caller gives up. A running task then ends within a block of periods. */
export async function* runBatch(
  pool: ComputePool,
  groups: readonly BatchGroup[],
  { costs, signal, ticket, timeLimitMs }: BatchOptions,
): AsyncGenerator<BatchPart, void, undefined> {
  const busyMsBefore = ticket.busyMs
  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  const size = groups.reduce((sum, { entries }) => sum + entries.length, 0)
  const laneCount = Math.min(pool.threads, size)
  const parts = new PartQueue(maxWaitingBytes)
  const units = cutUnits(groups, size, laneCount)
  const open = new Set(groups.flatMap(({ entries }) => entries.map(({ index }) => index)))
  let isLate = false

  async function runLane(): Promise<void> {
    while (!isLate) {
      await parts.room()
      ended.throwIfAborted()
      const { value: unit } = await units.next()
      if (!unit) return
      for await (const part of runUnit(unit)) {
        for (const { index } of [...part.trials, ...part.failures]) open.delete(index)
        parts.put(part)
        // Allows each lane the full time limit, so that parallel tasks count once. A batch that runs alone
        // takes that long by the clock.
        isLate ||= ticket.busyMs - busyMsBefore > timeLimitMs * laneCount
        if (isLate) break
      }
    }
  }

  async function* runUnit({ rows, entries }: Unit): AsyncGenerator<BatchPart, void, undefined> {
    if (rows instanceof Failure) return yield failing(entries, rows)
    const stop = new Int32Array(new SharedArrayBuffer(4))
    try {
      const input = { ...rows, entries, size, costs, stop }
      const { lines, trials, failures } = await pool.tasks.runBatchItems(input, {
        signal: ended,
        ticket,
        stop,
      })
      yield {
        lines,
        trials,
        failures: failures.map(({ index, failure }) => ({ index, failure: restoreFailure(failure) })),
      }
    } catch (error) {
      ended.throwIfAborted()
      if (!(error instanceof Failure)) throw error
      if (entries.length === 1) return yield failing(entries, error)
      // If a thread dies, all backtests of its task fail, although only one of them may be the cause. So each
      // is run again by itself.
      for (const entry of entries) yield* runUnit({ rows, entries: [entry] })
    }
  }

  const lanes = Promise.all(Array.from({ length: laneCount }, runLane)).then(() => {
    if (open.size > 0)
      parts.put(
        failing(
          [...open].map(index => ({ index })),
          tookTooLong(timeLimitMs),
        ),
      )
    parts.end()
  })
  lanes.catch(error => parts.fail(error))
  try {
    yield* parts.taken()
  } finally {
    over.abort()
    parts.fail(over.signal.reason)
    // After an abort, tasks may still run although the caller is gone: they keep the ticket until the last
    // one ends.
    lanes.catch(() => {}).finally(() => pool.leave(ticket))
  }
}

const noLines = new Uint8Array(0)

function failing(entries: readonly Pick<BatchEntry, 'index'>[], failure: Failure): BatchPart {
  return { lines: noLines, trials: [], failures: entries.map(({ index }) => ({ index, failure })) }
}

function tookTooLong(timeLimitMs: number): Failure {
  return new Failure(
    'compute_timeout',
    `The batch took longer than ${timeLimitMs / 1000} s before this backtest started. Send the remaining ones in another batch.`,
  )
}

/** The work of one task. */
interface Unit {
  readonly rows: BatchRowsOpened | Failure
  readonly entries: readonly BatchEntry[]
}

/** Cuts a batch into tasks on demand. Only the rows of the next group are opened while those of the current
 * one are in use, because a batch may name more panels than fit into memory. */
async function* cutUnits(
  groups: readonly BatchGroup[],
  size: number,
  lanes: number,
): AsyncGenerator<Unit, void, undefined> {
  let left = size
  let opening = openRows(groups[0])
  for (const [g, { entries }] of groups.entries()) {
    const rows = await opening
    if (g + 1 < groups.length) opening = openRows(groups[g + 1])
    for (let at = 0; at < entries.length; ) {
      const count = rows instanceof Failure ? entries.length : unitSize(rows, entries[at], left, lanes)
      const some = entries.slice(at, at + count)
      at += some.length
      left -= some.length
      yield { rows, entries: some }
    }
  }
}

async function openRows({ open }: BatchGroup): Promise<BatchRowsOpened | Failure> {
  try {
    return await open()
  } catch (error) {
    return error instanceof Failure
      ? error
      : new Failure('internal', 'The rows cannot be read.', { cause: error })
  }
}

/** Approximate time of a backtest: a fixed part, and a part per row. */
const backtestMs = 0.1
const rowMs = 1.2e-5
/** Approximate time per date of the sections that resample, with the default number of resamples. */
const resampledDateMs = 0.01
/** A task has this much work, unless the batch is about to end, so that sending it costs little in
 * comparison. Other requests wait for at most one task. */
const maxUnitMs = 20
const minUnitMs = 2

/** Tasks get smaller towards the end of a batch, so that its threads finish together.
 *
 * @param next the first backtest of the task: those of a batch mostly include the same sections */
function unitSize({ data }: BatchRowsOpened, next: BatchEntry, left: number, lanes: number): number {
  const resampled = next.include.filter(section => section === 'spa' || section === 'interval').length
  const eachMs = backtestMs + data.asset.length * rowMs + data.days.length * resampledDateMs * resampled
  const fair = Math.ceil(left / (2 * lanes))
  return Math.max(1, Math.min(Math.max(fair, Math.floor(minUnitMs / eachMs)), Math.floor(maxUnitMs / eachMs)))
}

/** Results that were computed but not read yet. */
class PartQueue {
  readonly #maxBytes: number
  readonly #parts: BatchPart[] = []
  #bytes = 0
  #isEnded = false
  #failure: { readonly reason: unknown } | null = null
  #changed = Promise.withResolvers<void>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  put(part: BatchPart): void {
    this.#parts.push(part)
    this.#bytes += part.lines.length
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#wake()
  }

  /** Resolves when there is room for more results, or when the reader is gone. */
  async room(): Promise<void> {
    while (this.#bytes >= this.#maxBytes && this.#failure === null) await this.#changed.promise
  }

  async *taken(): AsyncGenerator<BatchPart, void, undefined> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) {
        this.#bytes -= part.lines.length
        this.#wake()
        yield part
      } else if (this.#failure !== null) throw this.#failure.reason
      else if (this.#isEnded) return
      else await this.#changed.promise
    }
  }

  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
