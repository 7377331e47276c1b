import { Failure } from '../errors.ts'
import type { Answer, Call } from './Call.ts'
import { errorStatus } from './errorStatus.ts'
import { answerHeaders } from './headers.ts'
import type { Services } from './services.ts'

/** What was thrown, as a foreseen failure; `defect` where it was not foreseen, and only the log learns of it. */
export function asFailure(services: Services, error: unknown): { failure: Failure; defect: boolean } {
  if (error instanceof Failure) return { failure: error, defect: false }
  const explained = services.explain(error)
  if (explained !== null) return { failure: explained, defect: false }
  const message = 'Something went wrong on our side. The request id finds it in the log.'
  return { failure: new Failure('internal', message, { cause: error }), defect: true }
}

const usualRetrySeconds = 1

/** The error body of decisions section 2, or the same as RFC 9457 where that is asked for. */
export function errorAnswer(services: Services, call: Call, failure: Failure): Answer {
  const { status, type, title } = errorStatus(failure.code)
  const { details, code, message } = failure
  const docUrl = `${services.settings.baseUrl}/docs/errors#${code}`
  const param = details.param ?? null
  const near = details.near === undefined ? {} : { near: details.near.slice(0, 3) }
  const asProblem = call.request.headers.get('accept')?.includes('application/problem+json') === true
  const body = asProblem
    ? { type: docUrl, title, status, detail: message, code, param, request_id: call.id, ...near }
    : { error: { type, code, message, param, request_id: call.id, doc_url: docUrl, ...near } }
  const headers: Record<string, string> = {
    'Content-Type': asProblem ? 'application/problem+json' : 'application/json',
    'Cache-Control': 'no-store',
    Vary: 'Accept, Authorization',
  }
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="asfiled"'
  if (details.allow !== undefined) headers.Allow = details.allow.join(', ')
  if (status === 429 || status === 503 || details.retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(details.retryAfterSeconds ?? usualRetrySeconds)
  }
  // The rest of a body that came too slowly is not waited for. One that is refused for its size goes on arriving while
  // this is sent: closing on it would reset the connection, and the client would not learn why. Bun reads what is left
  // of it and keeps nothing.
  if (code === 'body_invalid' && details.param === 'body') headers.Connection = 'close'
  return { status, headers: answerHeaders(headers), body: JSON.stringify(body) }
}
