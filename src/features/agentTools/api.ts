// Registers formats such as uuid and date-time, as in the server whose schemas the answers have.
import 'elysia/type-system'
import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { registerFormats } from '../../dates.ts'
import { inToolWords } from './words.ts'

registerFormats()

/** A request to the HTTP API. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** Undefined parameters are not sent. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  /** Sends `Prefer: respond-async`. */
  readonly isAsync?: boolean
}

export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
  readonly retryAfterSeconds: number | null
}

/**
 * Performs a request as the tools' caller: with their key, from their address. Every figure that a tool shows
 * comes through here, so limits, licences, entity caps and refusals are those of the API. Calling the
 * functions behind the routes would save little: a cached call takes 1.3 ms (median), and its request alone
 * 0.4 ms.
 */
export type PerformRequest = (request: ApiRequest, signal: AbortSignal) => Promise<ApiAnswer>

/** A tool's error result. The message is written for whoever reads the conversation. */
export class ToolRefusal extends Error {
  readonly code: string
  readonly near: readonly string[]
  /** Seconds after which the call may be retried; null if a retry would not help. */
  readonly retryAfterSeconds: number | null

  constructor(
    code: string,
    message: string,
    near: readonly string[] = [],
    retryAfterSeconds: number | null = null,
  ) {
    super(message)
    this.name = 'ToolRefusal'
    this.code = code
    this.near = near
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Where and how requests are sent. */
export interface ApiPlace {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** Throws a ToolRefusal if there is no response. */
  readonly send: (request: Request) => Promise<Response>
}

/** Larger responses are refused: no tool needs them, and one could fill the memory. */
const maxAnswerBytes = 32 * 1_024 * 1_024

export function requestsTo({ address, headers, send }: ApiPlace): PerformRequest {
  return async ({ method = 'GET', path, query = {}, body, isAsync }, signal) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    const text = search.size === 0 ? '' : `?${search}`
    const request = new Request(`${address}${path}${text}`, {
      method,
      signal,
      headers: {
        ...headers,
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(isAsync === true ? { Prefer: 'respond-async' } : {}),
      },
      // A redirect could carry the key to another host.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const response = await send(request)
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      status: response.status,
      body: await readJson(response, address),
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    }
  }
}

async function readJson(response: Response, address: string): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (response.body !== null) {
    for await (const chunk of response.body) {
      size += chunk.length
      if (size > maxAnswerBytes) throw new ToolRefusal('answer_too_large', answerTooLarge)
      chunks.push(chunk)
    }
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new ToolRefusal(
      'answer_unknown',
      `${address} answered with status ${response.status} and no JSON. ASFILED_URL has to be the address of an asfiled server, without a path.`,
    )
  }
}

const answerTooLarge =
  'The answer is larger than 32 MB. Request less: name metrics, one market, or fewer companies.'

/** What a tool works with: the requests of one call, aborted when the call is cancelled. */
export interface ToolCall {
  readonly request: (request: ApiRequest) => Promise<ApiAnswer>
  /** Sends a request even after the call was cancelled, for cleanup. */
  readonly requestAnyway: (request: ApiRequest) => Promise<ApiAnswer>
  readonly signal: AbortSignal
  readonly reportProgress: (done: number, total: number | null, message: string) => Promise<void>
}

interface RefusedBody {
  readonly error: { readonly code: string; readonly message: string; readonly near?: readonly string[] }
}

function isRefusedBody(body: unknown): body is RefusedBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  const { error } = body
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return false
  return typeof error.code === 'string' && typeof error.message === 'string'
}

/** Turns an error response into a refusal, with the API's message in the tools' terms. */
export function refusalOf({ status, body, retryAfterSeconds }: ApiAnswer): ToolRefusal {
  if (!isRefusedBody(body))
    return new ToolRefusal('answer_unknown', `The service answered with status ${status} and no message.`)
  const { code, message, near } = body.error
  return new ToolRefusal(code, inToolWords(message), near ?? [], retryAfterSeconds)
}

/** The schema without its ban on additional fields: a newer server may send some. */
function lenient<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: T = Array.isArray(schema) ? Object.assign([]) : Object.create(null)
  for (const name of Reflect.ownKeys(schema)) {
    const value: unknown = Reflect.get(schema, name)
    if (name !== 'additionalProperties' || value !== false) Reflect.set(Object(copy), name, lenient(value))
  }
  return copy
}

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/**
 * Sends a request and returns the response, validated against the schema that the tool reads; additional
 * fields are allowed. Throws a refusal if the API refuses.
 */
export async function read<T extends TSchema>(
  call: Pick<ToolCall, 'request'>,
  schema: T,
  request: ApiRequest,
): Promise<Static<T>> {
  return readAs(schema, await call.request(request))
}

export function readAs<T extends TSchema>(schema: T, answer: ApiAnswer): Static<T> {
  if (answer.status >= 300) throw refusalOf(answer)
  const known = compiled.get(schema)
  const check = known ?? TypeCompiler.Compile<TSchema>(lenient(schema))
  if (known === undefined) compiled.set(schema, check)
  const { body } = answer
  if (isOf(schema, check, body)) return body
  throw new ToolRefusal(
    'answer_unknown',
    'The service answered in a form that this version of the tools does not know. Update the older of the two.',
  )
}

const isOf = <T extends TSchema>(_: T, check: TypeCheck<TSchema>, body: unknown): body is Static<T> =>
  check.Check(body)
