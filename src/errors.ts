/** Every way in which a request or a command can fail, as a closed union. Each transport maps the codes to
 * its own vocabulary in one place; nothing here depends on HTTP. */
export const errorCodes = [
  'malformed_json',
  'parameter_unknown',
  'parameter_repeated',
  'parameter_invalid',
  'body_invalid',
  'key_missing',
  'key_malformed',
  'key_unknown',
  'key_revoked',
  'key_expired',
  'licence_required',
  'quant_required',
  'entity_cap_reached',
  'form_refused',
  'route_unknown',
  'entity_unknown',
  'method_not_allowed',
  'body_too_large',
  'media_type_unsupported',
  'idempotency_in_flight',
  'idempotency_reused',
  'backtest_impossible',
  'rate_limited_minute',
  'rate_limited_day',
  'compute_busy',
  'compute_timeout',
  'compute_lost',
  'compute_failed',
  'database_unavailable',
  'statement_timeout',
  'shutting_down',
  'conflict',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export interface FailureDetails {
  /** The parameter, header or body path at fault. */
  param?: string
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number
  /** The methods that the route accepts, for `method_not_allowed`. */
  allow?: readonly string[]
  /** IDs close to the one that was not found. */
  near?: readonly string[]
  /** Logged, but never shown to a client. */
  cause?: unknown
}

/** An expected failure. `message` is written for the person who sent the request: what was sent, what is
 * allowed, and how to fix it. Anything else that is thrown is a defect and is answered as `internal`. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly details: FailureDetails

  constructor(code: ErrorCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'Failure'
    this.code = code
    this.details = details
  }
}

/** The system's description of a failed operation, without its code, the name of the call and the path:
 * `permission denied`. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^E[A-Z0-9]+: ([^,]+),.*$/s, '$1') : String(error)
