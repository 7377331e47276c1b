import type { SchedulerClock } from '../../../src/backtest/pool/scheduler.ts'

/** A clock that only moves when it is told to. Timers run when it passes their time. */
export class FakeClock implements SchedulerClock {
  #now = 0
  #timers: { readonly atMs: number; readonly wake: () => void }[] = []

  readonly nowMs = () => this.#now
  readonly later = (ms: number, wake: () => void) => {
    this.#timers.push({ atMs: this.#now + ms, wake })
  }

  /** When the next timer is due; infinite: there is none. */
  get nextMs(): number {
    return Math.min(...this.#timers.map(({ atMs }) => atMs))
  }

  moveTo(ms: number): void {
    this.#now = ms
    const due = this.#timers.filter(({ atMs }) => atMs <= ms)
    this.#timers = this.#timers.filter(({ atMs }) => atMs > ms)
    for (const { wake } of due) wake()
  }
}
