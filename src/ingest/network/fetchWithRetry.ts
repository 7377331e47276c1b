import { Failure } from '../../errors.ts'
import { unpackGzip } from '../reading/archives.ts'
import type { FetchPolicy, Network } from './fetchPolicy.ts'
import { type ReceivedResponse, receive } from './receive.ts'
import type { RegisterRequest } from './source.ts'

/** HTTP validators of an earlier response, for a conditional request. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export type FetchOutcome =
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array; readonly validators: Validators }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** `endsRun`: further requests would fail as well. */
  | { readonly kind: 'failed'; readonly reason: string; readonly endsRun: boolean }

export interface FetchContext {
  readonly network: Network
  readonly fetchPolicy: FetchPolicy
  /** Waits until the next request may be sent. */
  readonly throttle: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** Called before each wait. */
  readonly onRetry: (reason: string, waitMs: number) => void
}

/**
 * Sends a request within the rate limit and retries it after temporary failures, making up to `maxAttempts`
 * attempts.
 */
export async function fetchWithRetry(
  request: RegisterRequest,
  validators: Validators | null,
  context: FetchContext,
): Promise<FetchOutcome> {
  const { network, fetchPolicy, throttle, signal, onRetry } = context
  for (let attempt = 1; ; attempt++) {
    await throttle(signal)
    throwIfStopped(signal)
    const outcome = await sendOnce(request, validators, context)
    throwIfStopped(signal)
    if (outcome.kind !== 'retry') return outcome
    const { reason, retryAfterMs, isRateLimited } = outcome
    if (retryAfterMs !== null && retryAfterMs > fetchPolicy.maxWaitMs) {
      const seconds = Math.ceil(retryAfterMs / 1_000)
      return {
        kind: 'failed',
        endsRun: true,
        reason: `${reason} It asks for a wait of ${seconds} s, which is too long. Run the same command again later.`,
      }
    }
    if (attempt >= fetchPolicy.maxAttempts)
      return {
        kind: 'failed',
        endsRun: isRateLimited,
        reason: `${reason} Gave up after ${attempt} attempts.`,
      }
    const waitMs = retryDelayMs(attempt, network.random(), retryAfterMs)
    onRetry(reason, waitMs)
    await network.sleep(waitMs, signal)
  }
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('shutting_down', 'Stopped. Run the same command again to continue.')
}

/** A failure that may be temporary. */
interface RetryableFailure {
  readonly kind: 'retry'
  readonly reason: string
  readonly retryAfterMs: number | null
  /** True if the register limits this client, false if it has a problem of its own. */
  readonly isRateLimited: boolean
}

const retryable = (reason: string): RetryableFailure => ({
  kind: 'retry',
  reason,
  retryAfterMs: null,
  isRateLimited: false,
})

const largeFactor = 5

async function sendOnce(
  request: RegisterRequest,
  validators: Validators | null,
  { network, fetchPolicy, signal }: FetchContext,
): Promise<FetchOutcome | RetryableFailure> {
  const timeoutMs = fetchPolicy.timeoutMs * (request.isLarge ? largeFactor : 1)
  const timeout = AbortSignal.timeout(timeoutMs)
  const init: RequestInit = {
    method: request.method ?? 'GET',
    headers: headersOf(request, validators, fetchPolicy.userAgent),
    redirect: 'manual',
    signal: AbortSignal.any([signal, timeout]),
    ...(request.body === undefined ? {} : { body: request.body }),
  }
  let response: ReceivedResponse
  try {
    response = await receive(request, init, network.fetch, fetchPolicy.maxResponseBytes)
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', endsRun: false, reason: error.message }
    if (signal.aborted) return retryable('The request was stopped.')
    if (timeout.aborted) return retryable(`The response was not complete within ${timeoutMs / 1_000} s.`)
    // The exception's message may contain the address with its credentials, so it is not shown.
    return retryable('The connection failed or was cut off.')
  }
  try {
    // The request was not conditional and there is no cached response. If this were accepted, the plan would
    // continue with nothing.
    if (response.status === 304 && validators === null)
      return retryable('The register responds to an unconditional request with "not modified" (304).')
    return evaluateResponse(request, response, fetchPolicy.maxResponseBytes, network.now())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A changed format is permanent: the same request would fail again.
    return { kind: 'failed', endsRun: false, reason: error.message }
  }
}

function headersOf(request: RegisterRequest, validators: Validators | null, userAgent: string) {
  return {
    'User-Agent': userAgent,
    'Accept-Encoding': 'gzip, deflate',
    ...(validators?.etag == null ? {} : { 'If-None-Match': validators.etag }),
    ...(validators?.lastModified == null ? {} : { 'If-Modified-Since': validators.lastModified }),
    ...request.headers,
  }
}

function evaluateResponse(
  request: RegisterRequest,
  { status, headers, body }: ReceivedResponse,
  maxBytes: number,
  nowMs: number,
): FetchOutcome | RetryableFailure {
  if (status !== 200) return evaluateStatus(status, parseRetryAfterMs(headers.get('Retry-After'), nowMs))
  if (body === null) return retryable('The response was cut off before its end.')
  const isGzip = request.gzipWithoutHeader && body[0] === 0x1f && body[1] === 0x8b
  const bytes = isGzip ? unpackGzip(body, maxBytes) : body
  const checked = request.check(bytes)
  switch (checked.kind) {
    case 'accepted': {
      const validators = { etag: headers.get('ETag'), lastModified: headers.get('Last-Modified') }
      return { kind: 'fresh', bytes, validators }
    }
    case 'retry':
      return retryable(checked.reason)
    case 'exhausted':
      return { kind: 'failed', endsRun: true, reason: checked.reason }
    case 'refused':
      return { kind: 'refused', status: 401, reason: checked.reason }
    case 'missing':
      return checked
    default: {
      const missing: never = checked
      return missing
    }
  }
}

function evaluateStatus(status: number, retryAfterMs: number | null): FetchOutcome | RetryableFailure {
  switch (status) {
    case 304:
      return { kind: 'unchanged' }
    case 204:
    case 404:
    case 410:
      return { kind: 'missing' }
    case 401:
    case 403:
      return { kind: 'refused', status, reason: `The register refuses the request (${status}).` }
    case 429: {
      const reason = 'The register limits the rate of requests (429).'
      return { kind: 'retry', reason, retryAfterMs, isRateLimited: true }
    }
    default: {
      const isTemporary = status === 408 || status >= 500
      if (!isTemporary)
        return { kind: 'failed', endsRun: false, reason: `The register responds with status ${status}.` }
      const reason = `The register responds with an error (${status}).`
      return { kind: 'retry', reason, retryAfterMs, isRateLimited: false }
    }
  }
}

const firstDelayMs = 1_000
const maxBackoffMs = 60_000

/**
 * The wait after attempt number `attempt`: exponential backoff whose upper half is random, so that clients
 * that failed together do not retry together. Never shorter than the register demands (`retryAfterMs`).
 */
export function retryDelayMs(attempt: number, random: number, retryAfterMs: number | null): number {
  const backoffMs = Math.min(maxBackoffMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + random / 2)
  return Math.max(backoffMs, retryAfterMs ?? 0)
}

/** Parses a Retry-After header: seconds or a date. Null if there is none or it is invalid. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1_000
  const dateMs = Date.parse(text)
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs)
}
