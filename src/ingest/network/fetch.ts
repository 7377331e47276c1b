import { Failure } from '../../errors.ts'
import { unpackGzip } from '../reading/archives.ts'
import type { Manners, Network } from './network.ts'
import type { RegisterRequest } from './source.ts'

/** What an earlier answer was known by. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export type Outcome =
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array; readonly validators: Validators }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** It did not come. `ends`: nothing else would come either. */
  | { readonly kind: 'failed'; readonly reason: string; readonly ends: boolean }

export interface Asking {
  readonly network: Network
  readonly manners: Manners
  /** Waits for the next request's turn. */
  readonly pace: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** Told before each wait. */
  readonly onRetry: (reason: string, waitMs: number) => void
}

/** Asks at the register's pace, again where it makes sense, and a bounded number of times. */
export async function askPolitely(
  request: RegisterRequest,
  known: Validators | null,
  asking: Asking,
): Promise<Outcome> {
  const { network, manners, pace, signal, onRetry } = asking
  for (let attempt = 1; ; attempt++) {
    await pace(signal)
    stopIfAsked(signal)
    const sent = await sendOnce(request, known, asking)
    stopIfAsked(signal)
    if (sent.kind !== 'again') return sent
    const { reason, askedMs, limited } = sent
    if (askedMs !== null && askedMs > manners.longestWaitMs) {
      const seconds = Math.ceil(askedMs / 1_000)
      return { kind: 'failed', ends: true, reason: `${reason} It asks to come again in ${seconds} s.` }
    }
    if (attempt >= manners.attempts) {
      return { kind: 'failed', ends: limited, reason: `${reason} It was asked ${attempt} times.` }
    }
    const wait = waitMs(attempt, network.random(), askedMs)
    onRetry(reason, wait)
    await network.sleep(wait, signal)
  }
}

/** A stop that was asked for ends whatever is under way. */
export function stopIfAsked(signal: AbortSignal): void {
  if (signal.aborted)
    throw new Failure('shutting_down', 'Stopped, as asked. Run the same command again to go on.')
}

/** An attempt that another may mend. */
export interface Again {
  readonly kind: 'again'
  readonly reason: string
  readonly askedMs: number | null
  /** The register limits us, rather than being unwell. */
  readonly limited: boolean
}

const mostRedirects = 3

/** Sends a request once and judges what comes. */
export async function sendOnce(
  request: RegisterRequest,
  known: Validators | null,
  { network, manners, signal }: Asking,
): Promise<Outcome | Again> {
  const timeout = AbortSignal.timeout(manners.timeoutMs)
  const init: RequestInit = {
    method: request.method ?? 'GET',
    headers: headersOf(request, known, manners.userAgent),
    redirect: 'manual',
    signal: AbortSignal.any([signal, timeout]),
    ...(request.body === undefined ? {} : { body: request.body }),
  }
  let received: Received
  try {
    received = await receive(request, init, network.fetch, manners.largestAnswerBytes)
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', ends: false, reason: error.message }
    if (signal.aborted) return again('It was stopped.')
    if (timeout.aborted) return again(`There was no whole answer within ${manners.timeoutMs / 1_000} s.`)
    // The text of the exception may hold the address with its credentials: it is not told.
    return again('The connection failed or broke off.')
  }
  try {
    // Taken for an answer, it would be none, and a plan would go on as if it had one.
    if (received.status === 304 && known === null)
      return again('Nothing has changed (304), it says, and was never asked so.')
    return judgeReceived(request, received, manners.largestAnswerBytes, network.now())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A form that has changed is no accident: asking again would give the same.
    return { kind: 'failed', ends: false, reason: error.message }
  }
}

interface Received {
  readonly status: number
  readonly headers: Headers
  /** null: it broke off, or is of no interest. */
  readonly body: Uint8Array | null
}

async function receive(
  request: RegisterRequest,
  init: RequestInit,
  fetch: Network['fetch'],
  mostBytes: number,
): Promise<Received> {
  const response = await follow(request, init, fetch)
  const { status, headers } = response
  if (status === 200) return { status, headers, body: await readBody(response, mostBytes) }
  await response.body?.cancel()
  return { status, headers, body: null }
}

const again = (reason: string): Again => ({ kind: 'again', reason, askedMs: null, limited: false })

function headersOf(request: RegisterRequest, known: Validators | null, userAgent: string) {
  return {
    'User-Agent': userAgent,
    'Accept-Encoding': 'gzip, deflate',
    ...(known?.etag == null ? {} : { 'If-None-Match': known.etag }),
    ...(known?.lastModified == null ? {} : { 'If-Modified-Since': known.lastModified }),
    ...request.headers,
  }
}

/** Follows a register that has moved a document. Credentials never go to another host. */
async function follow(
  request: RegisterRequest,
  init: RequestInit,
  fetch: Network['fetch'],
): Promise<Response> {
  let url = new URL(request.url)
  for (const [name, value] of Object.entries(request.secretQuery ?? {})) url.searchParams.set(name, value)
  const hasSecrets = request.secretQuery !== undefined || request.headers !== undefined
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url.href, init)
    const location = response.headers.get('Location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
    await response.body?.cancel()
    const next = new URL(location, url)
    if (
      redirects === mostRedirects ||
      (hasSecrets && next.origin !== url.origin) ||
      !/^https?:$/.test(next.protocol)
    ) {
      throw new Failure(
        'body_invalid',
        `The register has moved to ${next.origin}; set its address in the settings.`,
      )
    }
    url = next
  }
}

function judgeReceived(
  request: RegisterRequest,
  { status, headers, body }: Received,
  mostBytes: number,
  now: number,
): Outcome | Again {
  if (status !== 200) return judgeStatus(status, retryAfterMs(headers.get('Retry-After'), now))
  if (body === null) return again('The answer broke off before its end.')
  const isGzip = request.packed && body[0] === 0x1f && body[1] === 0x8b
  const bytes = isGzip ? unpackGzip(body, mostBytes) : body
  const verdict = request.judge(bytes)
  switch (verdict.kind) {
    case 'good': {
      const validators = { etag: headers.get('ETag'), lastModified: headers.get('Last-Modified') }
      return { kind: 'fresh', bytes, validators }
    }
    case 'again':
      return again(verdict.reason)
    case 'exhausted':
      return { kind: 'failed', ends: true, reason: verdict.reason }
    case 'refused':
      return { kind: 'refused', status: 401, reason: verdict.reason }
    case 'missing':
      return verdict
    default: {
      const missing: never = verdict
      return missing
    }
  }
}

function judgeStatus(status: number, askedMs: number | null): Outcome | Again {
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
    case 429:
      return { kind: 'again', reason: 'The register is asked too often (429).', askedMs, limited: true }
    default:
      if (status === 408 || status >= 500)
        return {
          kind: 'again',
          reason: `The register answers with an error (${status}).`,
          askedMs,
          limited: false,
        }
      return { kind: 'failed', ends: false, reason: `The register answers with status ${status}.` }
  }
}

/** The whole body; null where it is shorter than was announced. A body that has no end is not read to it. */
export async function readBody(response: Response, mostBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (response.body !== null) {
    for await (const chunk of response.body) {
      length += chunk.length
      if (length > mostBytes) {
        throw new Failure('body_too_large', `The answer has more than ${Math.floor(mostBytes / 1e6)} MB.`)
      }
      chunks.push(chunk)
    }
  }
  const announced = response.headers.get('Content-Length')
  // The length of a packed body is that of its packing.
  const isPlain = response.headers.get('Content-Encoding') === null
  if (isPlain && announced !== null && Number(announced) !== length) return null
  return Buffer.concat(chunks)
}

const firstWaitMs = 1_000
const longestBackOffMs = 60_000

/** How long to wait before attempt `attempt` + 1: twice as long each time, between half of it and all, so that many who
 * failed together do not come back together; and never less than the register asked for. */
export function waitMs(attempt: number, random: number, askedMs: number | null): number {
  const backOff = Math.min(longestBackOffMs, firstWaitMs * 2 ** (attempt - 1)) * (0.5 + random / 2)
  return Math.max(backOff, askedMs ?? 0)
}

/** What a Retry-After asks for: seconds, or a date. null where there is none that can be read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
