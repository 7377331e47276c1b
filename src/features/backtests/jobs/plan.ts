import type { Dataset } from '../../../backtest/dataset/dataset.ts'
import type { SweepPlan } from '../../../backtest/pool/sweepPlan.ts'
import type { Outcome } from '../../../backtest/pool/tasks.ts'
import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import { type BacktestDeps, prepareBacktest } from '../run.ts'
import { nextRound } from './progressQueries.ts'
import { readBody } from './rowQueries.ts'
import type { Job } from './schema.ts'
import { startTask } from './taskNames.ts'

/** What this process makes of a job's body, made once for each round. */
export function prepareJob(work: JobWork, open: OpenJob, job: Job): Promise<Outcome> {
  if (open.prepared?.round === job.round) return open.prepared.backtest
  const backtest = prepare(work, open, job)
  const prepared = { round: job.round, backtest }
  open.prepared = prepared
  backtest.catch(() => {
    if (open.prepared === prepared) open.prepared = null
  })
  return backtest
}

/** The body waits for room in memory: to read it for every look whether there is some would be 256 MB five times a
 * second, from a database that is busy too. */
async function prepare({ sql, backtests }: JobWork, { signal }: OpenJob, job: Job): Promise<Outcome> {
  const read = () => readBody(sql, job.id, job.bodyBytes)
  let body = await read()
  return whenThereIsRoom(signal, async () => {
    // A try that came as far as a thread gave the bytes to it.
    if (body?.byteLength !== job.bodyBytes) body = await read()
    if (body === null) throw new Failure('internal', 'The body of the backtest is no longer there.')
    const visit = backtests.pool.enter()
    try {
      const { bodyFormat: format, bodyQuery: query, keyId } = job
      return await prepareBacktest(backtests, body, { signal, visit }, { format, query, keyId })
    } finally {
      backtests.pool.leave(visit)
    }
  })
}

const mostRounds = 5
const lagMs = 250
const mostLags = 60

/** The plan of a job's sweep in this process, for the very rows that the job was planned for. null where the archive has
 * others by now: then the sweep has begun anew, for what two states of the archive yielded must not meet in one result. */
export async function preparedSweep(work: JobWork, open: OpenJob, job: Job): Promise<SweepPlan | null> {
  for (let lag = 0; lag < mostLags; lag++) {
    const prepared = await prepareJob(work, open, job)
    if (prepared.kind === 'sweep') {
      const { plan } = prepared
      if ((await fingerprint(plan.data)) === job.fingerprint) return { ...plan, dataVersion: job.dataVersion }
      if ((plan.dataVersion ?? 0) >= (job.dataVersion ?? 0)) break
    }
    // This process has yet to hear of the data version that another one planned for.
    open.prepared = null
    await Bun.sleep(lagMs)
    open.signal.throwIfAborted()
  }
  if (job.round + 1 >= mostRounds) {
    throw new Failure(
      'conflict',
      `The archive changed ${mostRounds} times while the sweep ran on it. Submit it again when the import is over.`,
    )
  }
  await nextRound(work.sql, job.id, job.round, startTask(job.id, job.round + 1))
  return null
}

const pieceBytes = 8 * 1_024 * 1_024
const known = new WeakMap<Dataset, Promise<string>>()

/** A number that differs where two datasets differ: two processes that may have read the archive at different times see
 * by it whether their slices fit together. The data version would not do: it also grows where other data changed. */
export function fingerprint(data: Dataset): Promise<string> {
  const found = known.get(data)
  if (found) return found
  const made = hashColumns(data)
  known.set(data, made)
  return made
}

/** In pieces, between which others get their turn. */
async function hashColumns(data: Dataset): Promise<string> {
  const { days, offsets, asset, market, score, forwardReturn, assets, markets } = data
  const columns = [days, offsets, asset, market, score, forwardReturn]
  const names = [assets.offsets, assets.bytes, markets.offsets, markets.bytes]
  let hash = 0n
  for (const { buffer, byteOffset, byteLength } of [...columns, ...names]) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    for (let at = 0; at < byteLength; at += pieceBytes) {
      hash = Bun.hash.xxHash64(bytes.subarray(at, at + pieceBytes), hash)
      await new Promise(setImmediate)
    }
  }
  return hash.toString(16)
}

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

/** What the tasks of jobs work with. */
export interface JobWork {
  readonly sql: Sql
  readonly backtests: BacktestDeps
  readonly open: OpenJobs
  readonly processId: string
  /** The foreseen failure behind what a driver threw; null: a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly report: (message: string, error: unknown) => void
}

const patienceMs = 200

/** A job has time: where the pool is full of requests whose clients wait, it waits for them. */
export async function whenThereIsRoom<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'compute_busy') throw error
    }
    await Bun.sleep(patienceMs)
  }
}
