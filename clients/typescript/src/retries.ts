import { AsfiledError, errorOf } from './errors.ts'

export interface RetryOptions {
  /** How often a request is sent again after it failed for a reason that passes. Default: 4. */
  readonly retries?: number
  /** The longest sum of the waits of one request. A longer `Retry-After` fails at once. Default: 120,000. */
  readonly maxWaitMs?: number
}

const firstWaitMs = 500
const longestWaitMs = 8_000
const passing = new Set<number | null>([429, 502, 503])
/** Paths whose POST has the same effect when it is sent twice: they store nothing, or get an Idempotency-Key. */
const repeatablePost = /\/api\/v1\/(backtest|as-of|audits|prices\/[^/]+\/forward-returns)$/

type Fetch = (request: Request) => Promise<Response>

/** A fetch that repeats what may be repeated, and throws for a status of 400 or more. */
export function retryingFetch(send: Fetch, { retries = 4, maxWaitMs = 120_000 }: RetryOptions): Fetch {
  return async request => {
    if (storesOnce(request) && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID())
    const repeats = isRepeatable(request) ? retries : 0
    let waitedMs = 0
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptOf(send, attempt < repeats ? request.clone() : request)
      if (outcome instanceof Response) return outcome
      const waitMs = waitOf(outcome, attempt)
      if (attempt >= repeats || waitMs === null || waitedMs + waitMs > maxWaitMs) throw outcome
      await sleep(waitMs, request.signal)
      waitedMs += waitMs
    }
  }
}

function isRepeatable({ method, url }: Request): boolean {
  return method === 'GET' || method === 'DELETE' || repeatablePost.test(new URL(url).pathname)
}

/** Whether the server stores a job, and stores it once if it knows that the request is the same. */
function storesOnce({ method, url, headers }: Request): boolean {
  const isStored = headers.has('Prefer') || /\/api\/v1\/(backtest|audits)$/.test(new URL(url).pathname)
  return method === 'POST' && isStored
}

async function attemptOf(send: Fetch, request: Request): Promise<Response | AsfiledError> {
  try {
    const response = await send(request)
    return response.status < 400 ? response : await errorOf(response)
  } catch (error) {
    request.signal.throwIfAborted()
    return noResponse(request.url, error)
  }
}

/** The message names the server and the kind of failure. The exception itself is dropped: it may hold the request. */
export function noResponse(url: string, error: unknown): AsfiledError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const kind = code || (cause instanceof Error ? cause.name : 'unknown')
  return new AsfiledError('no_response', `No complete response from ${new URL(url).origin}: ${kind}.`)
}

/** Milliseconds until the next attempt; null: another attempt would fail as well. */
function waitOf(error: AsfiledError, attempt: number): number | null {
  // With `idempotency_in_flight`, the first request still runs, and its response will be that of the next attempt.
  const passes = passing.has(error.status) || ['no_response', 'idempotency_in_flight'].includes(error.code)
  if (!passes) return null
  if (error.retryAfterSeconds !== null) return error.retryAfterSeconds * 1000
  // Half of it is random, so that many clients do not return at the same moment.
  return Math.min(longestWaitMs, firstWaitMs * 2 ** attempt) * (0.5 + Math.random() / 2)
}

/** Waits, and rejects with the reason of the signal as soon as it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', stop, { once: true })
  })
}
