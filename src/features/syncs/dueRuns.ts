import { nextTime, type ScheduledSync } from '../../cron.ts'
import type { Sql } from '../../postgres/client.ts'
import { claimDue, type DueRun, postponeDue, settleDue } from './dueRunQueries.ts'
import {
  failRun,
  isSyncRunning,
  lastRunAfter,
  lastRunId,
  recordFailedRun,
  type SyncOutcome,
} from './runQueries.ts'

interface ProcessEnd {
  /** Null if a signal ended it. */
  readonly code: number | null
  /** The end of its standard error, for the log only. */
  readonly output: string
}

/** A child process that runs `asfiled sync <market>`. */
export interface SyncProcess {
  readonly ended: Promise<ProcessEnd>
  /** Asks it to stop at a point where it loses nothing. */
  stop(): void
  /** Kills it at once; what is archived or imported stays. */
  kill(): void
}

export interface SyncRunnerDeps {
  readonly sql: Sql
  /** The ID in this process's heartbeats: a claim lasts as long as they do. */
  readonly processId: string
  readonly schedule: readonly ScheduledSync[]
  readonly start: (market: string) => SyncProcess
  readonly epochMs: () => number
  /** Longer runs are stopped. */
  readonly timeoutMs: number
  readonly report: (level: 'info' | 'warn', fields: object, line: string) => void
}

/** The exit code of a run that found another run of its market in progress. */
export const busyExitCode = 3

const pollMs = 1_000
/** Each run may need the memory of an import. */
const maxRunning = 2
/** The wait if another process, or a manual run, is already fetching the market. */
const busyWaitMs = 10_000
const firstRetryMs = 60_000
const maxRetryMs = 3_600_000
/** How long a stopped run may take before it is killed. */
const stopGraceMs = 60_000

/** The wait after a number of failed runs: one minute, then four times as long each, up to an hour. */
export const retryWaitMs = (attempts: number): number =>
  Math.min(maxRetryMs, firstRetryMs * 4 ** Math.max(0, attempts - 1))

/** Runs what is due, each in its own process, until closed. */
export class SyncRunner {
  readonly #deps: SyncRunnerDeps
  readonly #runs = new Map<string, Promise<void>>()
  readonly #processes = new Map<string, SyncProcess>()
  readonly #timer: Timer
  #claiming: Promise<void> | null = null
  #closed = false
  #killer: Timer | undefined

  constructor(deps: SyncRunnerDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => this.#tick(), pollMs)
  }

  /**
   * Claims no more runs and stops those in progress where they lose nothing. After `graceMs` they are killed.
   */
  stop(graceMs: number): void {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#timer)
    for (const process of this.#processes.values()) process.stop()
    this.#killer = setTimeout(() => {
      for (const process of this.#processes.values()) process.kill()
    }, graceMs)
  }

  /** Resolves when this process has no run in progress. */
  async close(graceMs: number): Promise<void> {
    this.stop(graceMs)
    await this.#claiming
    await Promise.all(this.#runs.values())
    clearTimeout(this.#killer)
  }

  #tick(): void {
    // Other parts of the process report an unreachable database; the next tick tries again.
    this.#claiming ??= this.#claim()
      .catch(() => {})
      .finally(() => {
        this.#claiming = null
      })
  }

  async #claim(): Promise<void> {
    const { sql, processId, schedule } = this.#deps
    const free = maxRunning - this.#runs.size
    const markets = schedule.map(({ market }) => market).filter(market => !this.#runs.has(market))
    if (free <= 0 || markets.length === 0) return
    for (const due of await claimDue(sql, processId, markets, free)) {
      const run = this.#perform(due)
        // The claim stays with this process, and a later tick resumes it.
        .catch(() => {})
        .finally(() => this.#runs.delete(due.market))
      this.#runs.set(due.market, run)
    }
  }

  async #perform(due: DueRun): Promise<void> {
    const { sql, processId, start } = this.#deps
    const { market } = due
    if (await isSyncRunning(sql, market)) return postponeDue(sql, processId, due, busyWaitMs)
    const before = await lastRunId(sql, market)
    if (this.#closed) return postponeDue(sql, processId, due, 0)
    const process = start(market)
    this.#processes.set(market, process)
    const { end, isLate } = await this.#waitFor(process).finally(() => this.#processes.delete(market))
    if (end.code === busyExitCode) return postponeDue(sql, processId, due, busyWaitMs)
    const outcome = await this.#outcomeOf(market, before, end, isLate)
    if (outcome === 'done') return settleDue(sql, processId, market)
    if (this.#closed) return postponeDue(sql, processId, due, 0)
    return this.#retry({ market, attempts: due.attempts + 1 })
  }

  /** Waits for the end of a run, stopping it at its time limit. */
  async #waitFor(process: SyncProcess) {
    let isLate = false
    let killer: Timer | undefined
    const stopper = setTimeout(() => {
      isLate = true
      process.stop()
      killer = setTimeout(() => process.kill(), stopGraceMs)
    }, this.#deps.timeoutMs)
    const end = await process.ended
    clearTimeout(stopper)
    clearTimeout(killer)
    return { end, isLate }
  }

  async #outcomeOf(
    market: string,
    before: string,
    { code, output }: ProcessEnd,
    isLate: boolean,
  ): Promise<SyncOutcome> {
    const { sql, report, timeoutMs } = this.#deps
    const run = await lastRunAfter(sql, market, before)
    if (run === null) {
      const reason = `The process of the run ended ${code === null ? 'by a signal' : `with code ${code}`} before it began.`
      await recordFailedRun(sql, { market, isScheduled: true, isPartial: false }, reason)
      report('warn', { market, code, output }, `The sync of ${market} did not begin.`)
      return 'failed'
    }
    const { id, outcome, documents, facts } = run
    const late = `It was not finished within ${timeoutMs / 60_000} minutes, and was stopped. The next run continues.`
    const reason = isLate && outcome !== 'done' ? late : run.reason
    if (reason === late) await failRun(sql, id, late)
    const fields = { market, outcome, documents, facts, reason }
    if (outcome === 'done') report('info', fields, `The sync of ${market} is done.`)
    else report('warn', { ...fields, output }, `The sync of ${market} was not finished.`)
    return outcome
  }

  /** Retries after a wait, unless the schedule's next time comes first. */
  async #retry(due: DueRun): Promise<void> {
    const { sql, processId, schedule, epochMs } = this.#deps
    const cron = schedule.find(({ market }) => market === due.market)?.cron
    const waitMs = retryWaitMs(due.attempts)
    if (cron === undefined || epochMs() + waitMs >= nextTime(cron, epochMs()))
      return settleDue(sql, processId, due.market)
    return postponeDue(sql, processId, due, waitMs)
  }
}
