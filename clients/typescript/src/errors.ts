import { type components, type ErrorCode, errorCodes } from './openapi.ts'

type Detail = components['schemas']['ErrorDetail']

/** `no_response`: no complete response arrived. `job_cancelled`: the job has no result. `data_changed`: there was an import
 * between two pages. `setting_invalid`: a setting of this client. `unrecognised`: the response has no error of asfiled, so
 * a proxy may have sent it, or one that is newer than this client. */
export type ClientCode = 'no_response' | 'job_cancelled' | 'data_changed' | 'setting_invalid' | 'unrecognised'

/** Any failure, told apart by `code`. Neither its message nor its fields contain the key. */
export class AsfiledError extends Error {
  override readonly name = 'AsfiledError'

  constructor(
    readonly code: ErrorCode | ClientCode,
    message: string,
    /** The HTTP status; null if no response was refused. */
    readonly status: number | null = null,
    /** What else the server says: `param`, `near`, `request_id`, `doc_url`. */
    readonly detail: Partial<Detail> = {},
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message)
  }
}

/** The error that the server states in a response, or as the reason why a job failed. */
export function statedError(stated: unknown, status: number | null, retryAfterSeconds: number | null = null) {
  const detail: Partial<Detail> = typeof stated === 'object' && stated !== null ? stated : {}
  const code = errorCodes.find(known => known === detail.code) ?? 'unrecognised'
  const message = detail.message ?? `The response has status ${status} and no error of asfiled.`
  return new AsfiledError(code, message, status, detail, retryAfterSeconds)
}

/** The error that a response with a status of 400 or more describes. */
export async function errorOf(response: Response): Promise<AsfiledError> {
  const body: unknown = await response.json().catch(() => null)
  const stated = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  return statedError(stated, response.status, secondsOf(response.headers.get('Retry-After')))
}

/** `Retry-After` is a number of seconds or, from some proxies, a time. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header)
  const time = Date.parse(header)
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000)
}
