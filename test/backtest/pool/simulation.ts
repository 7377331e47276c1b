import type { ComputeCaller } from '../../../src/backtest/pool/caller.ts'
import { FairScheduler } from '../../../src/backtest/pool/scheduler.ts'
import type { Slot, Ticket } from '../../../src/backtest/pool/tickets.ts'
import { FakeClock } from './fakeClock.ts'

interface Running {
  readonly endMs: number
  readonly end: () => void
}

/** How a simulated task was served. */
export interface Served {
  readonly caller: ComputeCaller
  readonly askedMs: number
  readonly startMs: number
  readonly endMs: number
}

/** A scheduler whose tasks take the time that a test gives them, on a clock of its own. */
export class Simulation {
  readonly clock = new FakeClock()
  readonly scheduler: FairScheduler
  readonly served: Served[] = []
  /** The most tasks of free and demo callers that ran at a time. */
  mostUnpaid = 0
  #running: (Running & { readonly caller: ComputeCaller })[] = []

  constructor(slots: number, maxWaiting: number) {
    this.scheduler = new FairScheduler(slots, maxWaiting, this.clock)
  }

  get running(): readonly { readonly caller: ComputeCaller }[] {
    return this.#running
  }

  /** One request of one task. Resolves when it has ended. */
  async request(caller: ComputeCaller, ms: number, estimateMs?: number): Promise<void> {
    const ticket = this.scheduler.admit(caller)
    await this.task(ticket, ms, estimateMs)
    this.scheduler.leave(ticket)
  }

  async task(ticket: Ticket, ms: number, estimateMs?: number): Promise<void> {
    const askedMs = this.clock.nowMs()
    const slot = await this.scheduler.acquire(ticket, undefined, estimateMs)
    await this.#run(ticket, slot, ms, askedMs)
  }

  #run(ticket: Ticket, slot: Slot, ms: number, askedMs: number): Promise<void> {
    const { caller } = ticket
    const startMs = this.clock.nowMs()
    return new Promise(resolve => {
      const endMs = startMs + ms
      const end = () => {
        this.served.push({ caller, askedMs, startMs, endMs })
        this.scheduler.release(ticket, slot)
        resolve()
      }
      this.#running.push({ caller, endMs, end })
      const unpaid = this.#running.filter(task => task.caller.tier === 'demo' || task.caller.tier === 'free')
      this.mostUnpaid = Math.max(this.mostUnpaid, unpaid.length)
    })
  }

  /** Lets time pass until `ms`, task by task. */
  async runUntil(ms: number): Promise<void> {
    await settled()
    for (;;) {
      const next = Math.min(this.clock.nextMs, ...this.#running.map(({ endMs }) => endMs))
      if (next > ms) break
      this.clock.moveTo(next)
      const due = this.#running.filter(({ endMs }) => endMs <= next)
      this.#running = this.#running.filter(({ endMs }) => endMs > next)
      for (const { end } of due) end()
      await settled()
    }
    this.clock.moveTo(ms)
    await settled()
  }

  /** Milliseconds of slots that a caller used up to now. */
  usedBy({ name }: ComputeCaller): number {
    return this.served
      .filter(({ caller }) => caller.name === name)
      .reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
  }
}

/** Until all that follows from promises has happened. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}
