import { type Static, Type } from '@sinclair/typebox'
import { type ErrorCode, Failure } from '../errors.ts'
import type { Answer, RequestContext } from './context.ts'
import { answerHeaders } from './headers.ts'

export interface ErrorClass {
  readonly status: number
  /** The `type` of an error body, for clients that treat a whole class of codes alike. */
  readonly type: string
  /** Human-readable; also the `title` of a problem document. */
  readonly title: string
}

const invalid = (status: number, title: string): ErrorClass => ({ status, type: 'invalid_request', title })
const unauthenticated = (title: string): ErrorClass => ({ status: 401, type: 'authentication', title })
const forbidden = (title: string): ErrorClass => ({ status: 403, type: 'permission', title })
const limited = (title: string): ErrorClass => ({ status: 429, type: 'rate_limit', title })
const away = (title: string): ErrorClass => ({ status: 503, type: 'unavailable', title })

/** The only mapping from error codes to HTTP statuses. */
export function errorStatus(code: ErrorCode): ErrorClass {
  switch (code) {
    case 'malformed_json':
      return invalid(400, 'The body is not JSON')
    case 'parameter_unknown':
      return invalid(400, 'Unknown parameter')
    case 'parameter_repeated':
      return invalid(400, 'Repeated parameter')
    case 'parameter_invalid':
      return invalid(400, 'Invalid parameter')
    case 'body_invalid':
      return invalid(400, 'Invalid body')
    case 'key_missing':
      return unauthenticated('API key missing')
    case 'key_malformed':
      return unauthenticated('API key malformed')
    case 'key_unknown':
      return unauthenticated('API key unknown')
    case 'key_revoked':
      return forbidden('API key revoked')
    case 'key_expired':
      return forbidden('API key expired')
    case 'licence_required':
      return forbidden('Licence required')
    case 'quant_required':
      return forbidden('Quant plan required')
    case 'entity_cap_reached':
      return forbidden('Entity cap reached')
    case 'form_refused':
      return forbidden('Form of another site')
    case 'route_unknown':
      return { status: 404, type: 'not_found', title: 'No such route' }
    case 'entity_unknown':
      return { status: 404, type: 'not_found', title: 'No such entity' }
    case 'method_not_allowed':
      return invalid(405, 'Method not allowed')
    case 'body_too_large':
      return invalid(413, 'Body too large')
    case 'media_type_unsupported':
      return invalid(415, 'Media type not supported')
    case 'idempotency_in_flight':
      return invalid(409, 'Idempotency key in flight')
    case 'conflict':
      return invalid(409, 'Conflict')
    case 'idempotency_reused':
      return invalid(422, 'Idempotency key reused')
    case 'backtest_impossible':
      return invalid(422, 'Impossible backtest')
    case 'rate_limited_minute':
      return limited('Minute limit reached')
    case 'rate_limited_day':
      return limited('Day limit reached')
    case 'compute_busy':
      return away('Compute queue full')
    case 'compute_timeout':
      return { status: 504, type: 'unavailable', title: 'Computation timed out' }
    case 'compute_lost':
      return away('Worker lost')
    case 'database_unavailable':
      return away('Database unavailable')
    case 'statement_timeout':
      return away('Statement timed out')
    case 'shutting_down':
      return away('Shutting down')
    case 'compute_failed':
      return { status: 500, type: 'internal', title: 'Computation failed' }
    case 'internal':
      return { status: 500, type: 'internal', title: 'Internal error' }
    default: {
      const missing: never = code
      return missing
    }
  }
}

/** Maps a driver's exception to the expected failure behind it (the database is unreachable, a statement
 * timed out); null: it is a defect. */
export type ExplainError = (error: unknown) => Failure | null

/** Maps whatever was thrown to a failure. A `defect` is answered as `internal`, and its text goes only to the
 * log. */
export function asFailure(explain: ExplainError, error: unknown): { failure: Failure; defect: boolean } {
  if (error instanceof Failure) return { failure: error, defect: false }
  const explained = explain(error)
  if (explained !== null) return { failure: explained, defect: false }
  const message = 'An internal error occurred. Report the request id: it identifies the error in the log.'
  return { failure: new Failure('internal', message, { cause: error }), defect: true }
}

const defaultRetrySeconds = 1

/** The fields of every error, whether it is a whole response or one line of it. */
export function errorBody(
  baseUrl: string,
  requestId: string,
  { code, message, details }: Failure,
): ErrorBody {
  const near = details.near === undefined ? {} : { near: details.near.slice(0, 3) }
  const { type } = errorStatus(code)
  const param = details.param ?? null
  const doc_url = `${baseUrl}/docs/errors#${code}`
  return { error: { type, code, message, param, request_id: requestId, doc_url, ...near } }
}

function problemOf(error: ErrorBody['error'], status: number, title: string): ProblemBody {
  const { type: _, message: detail, doc_url: type, code, param, request_id, ...near } = error
  return { type, title, status, detail, code, param, request_id, ...near }
}

/** The error response; with `Accept: application/problem+json` the same content as RFC 9457. */
export function errorAnswer(baseUrl: string, context: RequestContext, failure: Failure): Answer {
  const { status, title } = errorStatus(failure.code)
  const { details, code } = failure
  const { error } = errorBody(baseUrl, context.id, failure)
  const asProblem = context.request.headers.get('accept')?.includes('application/problem+json') === true
  const body = asProblem ? problemOf(error, status, title) : { error }
  const headers: Record<string, string> = {
    'Content-Type': asProblem ? 'application/problem+json' : 'application/json',
    'Cache-Control': 'no-store',
    Vary: 'Accept, Authorization',
  }
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="asfiled"'
  if (details.allow !== undefined) headers.Allow = details.allow.join(', ')
  if (status === 429 || status === 503 || details.retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(details.retryAfterSeconds ?? defaultRetrySeconds)
  }
  // Closes the connection if a body arrives too slowly: waiting for the rest would hold the connection. Keeps
  // it open for a body that is too large: the rest is still arriving, and a reset would hide the response
  // from the client. Bun reads and drops the rest.
  if (code === 'body_invalid' && details.param === 'body') headers.Connection = 'close'
  return { status, headers: answerHeaders(headers), body: JSON.stringify(body) }
}

const strict = { additionalProperties: false } as const
const param = Type.Union([Type.String(), Type.Null()], {
  description: 'The parameter, header or place in the body that is wrong; null if there is none.',
  examples: ['as_of'],
})
const code = Type.String({ description: 'What went wrong, for programs. /docs/errors explains every code.' })
const requestId = Type.String({ description: 'The same as X-Request-Id; identifies the request in the log.' })
const near = Type.Optional(
  Type.Array(Type.String(), { maxItems: 3, description: 'IDs similar to the one that was not found.' }),
)

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.String({ description: 'The kind of error, for programs to branch on.' }),
        code,
        message: Type.String({ description: 'What was sent, what is allowed, and how to fix it.' }),
        param,
        request_id: requestId,
        doc_url: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
        near,
      },
      { ...strict, $id: 'ErrorDetail' },
    ),
  },
  { ...strict, $id: 'ErrorAnswer', description: 'Any error, without Accept: application/problem+json.' },
)
export type ErrorBody = Static<typeof ErrorBody>

export const ProblemBody = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What was sent, what is allowed, and how to fix it.' }),
    code,
    param,
    request_id: requestId,
    near,
  },
  {
    ...strict,
    $id: 'Problem',
    description: 'The same error as a problem document (RFC 9457), with Accept: application/problem+json.',
  },
)
export type ProblemBody = Static<typeof ProblemBody>
