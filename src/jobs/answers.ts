import { Failure } from '../errors.ts'
import { jsonType } from '../http/answers.ts'
import type { Answer } from '../http/context.ts'
import { answerHeaders } from '../http/headers.ts'

/** The headers of a 202 for a job of any kind. */
export function acceptedHeaders(
  summary: { readonly url: string; readonly finished_at: string | null },
  replayed: boolean,
): Headers {
  const { headers } = plainAnswer(summary)
  headers.set('Location', summary.url)
  if (replayed) headers.set('Idempotency-Replayed', 'true')
  if (summary.finished_at === null) headers.set('Retry-After', '1')
  return headers
}

export const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  Vary: 'Accept, Authorization',
  // Without this nginx buffers events until a block is full.
  'X-Accel-Buffering': 'no',
}

/** An answer that is not cached, because the job changes without a new data version. */
export function plainAnswer(body: object): Answer {
  return {
    status: 200,
    headers: answerHeaders({
      'Content-Type': jsonType,
      'Cache-Control': 'no-store',
      Vary: 'Authorization',
    }),
    body: JSON.stringify(body),
  }
}

const maxStreams = 256
const maxStreamsPerKey = 8

/** Counts open event streams, in total and per key. */
export class StreamCount {
  readonly #ofKey = new Map<number, number>()
  #all = 0

  /** Counts a stream and returns the function that uncounts it. */
  take(keyId: number): () => void {
    const own = this.#ofKey.get(keyId) ?? 0
    if (own >= maxStreamsPerKey || this.#all >= maxStreams) {
      const limit = own >= maxStreamsPerKey ? `${maxStreamsPerKey} per key` : `${maxStreams} per server`
      throw new Failure(
        'compute_busy',
        `The limit of open event streams is reached: ${limit}. Close one, or poll the backtest instead.`,
        { retryAfterSeconds: 10 },
      )
    }
    this.#ofKey.set(keyId, own + 1)
    this.#all++
    return () => {
      const left = (this.#ofKey.get(keyId) ?? 1) - 1
      if (left === 0) this.#ofKey.delete(keyId)
      else this.#ofKey.set(keyId, left)
      this.#all--
    }
  }
}
