import { Failure } from '../errors.ts'
import type { Job } from './job.ts'

interface EventSource {
  readonly read: () => Promise<Job>
  readonly watch: (onChange: OnChange) => () => void
  readonly elapsedMs: () => number
  /** The job as events have it: without its result. */
  readonly summarize: (job: Job) => object
  readonly onEnd: () => void
}

export interface EventPace {
  /** After this long without an event a comment is sent, so that no proxy considers the connection dead. */
  readonly heartbeatMs: number
  /** The job is read this often even without a notification: one may be lost. */
  readonly pollMs: number
  /** The shortest time between two reads. */
  readonly minIntervalMs: number
  /** A stream ends after this long; the client reconnects. */
  readonly maxDurationMs: number
}

const defaultPace: EventPace = {
  heartbeatMs: 10_000,
  pollMs: 2_000,
  minIntervalMs: 50,
  maxDurationMs: 600_000,
}

/** Events that may wait for a slow client. Past that the stream ends and the client has to reconnect. */
const maxQueuedEvents = 100

/** A job's progress as server-sent events: `progress` at every change, and at the end one event named after its last state. Each
 * contains the job without its result. */
export function jobEvents(source: EventSource, pace: EventPace = defaultPace): ReadableStream<Uint8Array> {
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

  async function sendEvents(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const send = (text: string) => controller.enqueue(Buffer.from(text))
    const startMs = source.elapsedMs()
    let sent = ''
    let sentMs = startMs
    send('retry: 2000\n\n')
    while (!over) {
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      const readMs = source.elapsedMs()
      const job = await source.read().catch(nullUnlessGone)
      if (over) return
      const now = source.elapsedMs()
      if (job !== null) {
        const data = JSON.stringify(source.summarize(job))
        if (data !== sent) {
          send(`event: ${job.finishedAt === null ? 'progress' : job.state}\ndata: ${data}\n\n`)
          sentMs = now
        }
        sent = data
        if (job.finishedAt !== null) return
      }
      const tooSlow = (controller.desiredSize ?? 0) < -maxQueuedEvents
      if (closing || tooSlow || now - startMs >= pace.maxDurationMs) return send(': reconnect\n\n')
      if (now - sentMs >= pace.heartbeatMs) {
        send(': heartbeat\n\n')
        sentMs = now
      }
      const waitMs = Math.min(pace.pollMs, pace.heartbeatMs, startMs + pace.maxDurationMs - now)
      await Promise.race([woken, Bun.sleep(waitMs)])
      const early = readMs + pace.minIntervalMs - source.elapsedMs()
      if (early > 0 && !over && !closing) await Bun.sleep(early)
    }
  }

  return new ReadableStream({
    start(controller) {
      sendEvents(controller)
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

/** A database that is unreachable for a moment ends no stream; a job that is gone does. */
function nullUnlessGone(error: unknown): null {
  if (error instanceof Failure && error.code === 'entity_unknown') throw error
  return null
}

/** `closing`: the process is about to end. */
type OnChange = (closing: boolean) => void

/** Notifies the streams of this process that a job changed. They read the job themselves, because a notification may be late or
 * lost. */
export class JobNotifier {
  readonly #watchers = new Map<string, Set<OnChange>>()
  #closed = false

  /** @returns the function that ends the watch */
  watch(jobId: string, onChange: OnChange): () => void {
    const watchers = this.#watchers.get(jobId) ?? new Set()
    watchers.add(onChange)
    this.#watchers.set(jobId, watchers)
    if (this.#closed) queueMicrotask(() => onChange(true))
    return () => {
      watchers.delete(onChange)
      if (watchers.size === 0 && this.#watchers.get(jobId) === watchers) this.#watchers.delete(jobId)
    }
  }

  notify(jobId: string): void {
    for (const onChange of this.#watchers.get(jobId) ?? []) onChange(false)
  }

  /** For after a broken connection, when notifications may have been lost. */
  notifyAll(): void {
    for (const jobId of [...this.#watchers.keys()]) this.notify(jobId)
  }

  /** Ends all streams. Without this they would delay the end of the process by up to `maxDurationMs`. */
  close(): void {
    this.#closed = true
    for (const watchers of [...this.#watchers.values()]) for (const onChange of [...watchers]) onChange(true)
  }
}
