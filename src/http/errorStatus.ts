import type { ErrorCode } from '../errors.ts'

export interface ErrorClass {
  readonly status: number
  /** The `type` of an error body: what a client branches on before it looks at the code. */
  readonly type: string
  /** For people, and the `title` of a problem document. */
  readonly title: string
}

const invalid = (status: number, title: string): ErrorClass => ({ status, type: 'invalid_request', title })
const unauthenticated = (title: string): ErrorClass => ({ status: 401, type: 'authentication', title })
const forbidden = (title: string): ErrorClass => ({ status: 403, type: 'permission', title })
const limited = (title: string): ErrorClass => ({ status: 429, type: 'rate_limit', title })
const away = (title: string): ErrorClass => ({ status: 503, type: 'unavailable', title })

/** The one place where a code becomes a status. */
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
      return away('Database away')
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
