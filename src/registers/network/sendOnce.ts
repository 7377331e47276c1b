import { Failure } from '../../errors.ts'
import { unpackGzip } from '../reading/unpackGzip.ts'
import type { Asking, Outcome, Validators } from './askPolitely.ts'
import type { Network } from './network.ts'
import { readBody } from './readBody.ts'
import type { RegisterRequest } from './source.ts'
import { retryAfterMs } from './waitMs.ts'

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
