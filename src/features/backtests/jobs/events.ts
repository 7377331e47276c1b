import { Failure } from '../../../errors.ts'
import { type Job, jobSummary } from './schema.ts'

export interface EventSource {
  readonly read: () => Promise<Job>
  readonly watch: (told: (closing: boolean) => void) => () => void
  readonly elapsedMs: () => number
  readonly baseUrl: string
  readonly onEnd: () => void
}

export interface EventPace {
  /** Silence is broken after that, so that nobody takes the connection for dead. */
  readonly heartbeatMs: number
  /** Looked up that often even where nothing is heard. */
  readonly pollMs: number
  /** Between two looks at the least. */
  readonly leastMs: number
  /** A stream is ended after that; the client comes again. */
  readonly mostMs: number
}

export const usualPace: EventPace = { heartbeatMs: 10_000, pollMs: 2_000, leastMs: 50, mostMs: 600_000 }

/** Events that may wait for a client that reads slowly; past that it is left to come again. */
const mostWaiting = 100

/** A job's progress as server-sent events: `progress` whenever it changes, and at the end one event that is called like
 * its last state. Each holds the job without its result. */
export function jobEvents(source: EventSource, pace: EventPace = usualPace): ReadableStream<Uint8Array> {
  let over = false
  let closing = false
  let wake = () => {}
  const unwatch = source.watch(isClosing => {
    closing ||= isClosing
    wake()
  })
  const end = () => {
    if (over) return
    over = true
    unwatch()
    source.onEnd()
    wake()
  }

  async function tell(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const send = (text: string) => controller.enqueue(Buffer.from(text))
    const startMs = source.elapsedMs()
    let sent = ''
    let sentMs = startMs
    send('retry: 2000\n\n')
    while (!over) {
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      const lookedMs = source.elapsedMs()
      const job = await source.read().catch(unlessGone)
      if (over) return
      const now = source.elapsedMs()
      if (job !== null) {
        const data = JSON.stringify(jobSummary(job, source.baseUrl))
        const event = job.finishedAt === null ? 'progress' : job.state
        if (data !== sent) send(`event: ${event}\ndata: ${data}\n\n`)
        if (data !== sent) sentMs = now
        sent = data
        if (job.finishedAt !== null) return
      }
      const tooSlow = (controller.desiredSize ?? 0) < -mostWaiting
      if (closing || tooSlow || now - startMs >= pace.mostMs) return send(': come again\n\n')
      if (now - sentMs >= pace.heartbeatMs) {
        send(': it goes on\n\n')
        sentMs = now
      }
      const patienceMs = Math.min(pace.pollMs, pace.heartbeatMs, startMs + pace.mostMs - now)
      await Promise.race([woken, Bun.sleep(patienceMs)])
      const early = lookedMs + pace.leastMs - source.elapsedMs()
      if (early > 0 && !over && !closing) await Bun.sleep(early)
    }
  }

  return new ReadableStream({
    start(controller) {
      tell(controller)
        .catch(() => {})
        .finally(() => {
          end()
          try {
            controller.close()
          } catch {
            // The client closed it first.
          }
        })
    },
    cancel: end,
  })
}

/** A database that is away for a moment ends no stream; a job that is gone does. */
function unlessGone(error: unknown): null {
  if (error instanceof Failure && error.code === 'entity_unknown') throw error
  return null
}

type Told = (closing: boolean) => void

/** Passes on to whoever waits in this process that a job changed. What changed is for them to look up. */
export class JobNews {
  readonly #waiting = new Map<string, Set<Told>>()
  #closed = false

  /** @returns what ends the watch */
  watch(jobId: string, told: Told): () => void {
    const others = this.#waiting.get(jobId) ?? new Set()
    others.add(told)
    this.#waiting.set(jobId, others)
    if (this.#closed) queueMicrotask(() => told(true))
    return () => {
      others.delete(told)
      if (others.size === 0 && this.#waiting.get(jobId) === others) this.#waiting.delete(jobId)
    }
  }

  tell(jobId: string): void {
    for (const told of this.#waiting.get(jobId) ?? []) told(false)
  }

  /** News may have been missed. */
  tellAll(): void {
    for (const jobId of [...this.#waiting.keys()]) this.tell(jobId)
  }

  /** The process is about to end. */
  close(): void {
    this.#closed = true
    for (const waiting of [...this.#waiting.values()]) for (const told of [...waiting]) told(true)
  }
}
