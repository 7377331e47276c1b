import type { TSchema } from '@sinclair/typebox'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import errorExamples from './examples/errors.json' with { type: 'json' }
import { type HeaderName, headerReferences, ofLimits, ofRows } from './responseHeaders.ts'
import { documentedSchema } from './schemas.ts'

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** A media type of a response in OpenAPI's form. */
export interface MediaParts {
  readonly schema: object
  readonly examples?: Examples
  /** In NDJSON, the schema of one line; `schema` describes the whole text. */
  readonly 'x-line'?: object
  /** In an event stream, the schema of one event's data. */
  readonly 'x-event'?: object
}
export type Media = Readonly<Record<string, MediaParts>>

/** The successful response of a route. */
export interface AnswerParts {
  /** The schema of the JSON; null: the route does not serve JSON. */
  readonly schema: TSchema | null
  readonly description: string
  readonly examples: Examples
  /** In addition to the headers of every response. */
  readonly headers?: readonly HeaderName[]
  /** The response may be a 201 with a Location header; this describes it. */
  readonly created?: string
  /** The rows are also served as CSV, NDJSON and Parquet; these are examples of the text formats. */
  readonly rows?: { readonly csv: string; readonly ndjson: string }
  /** The response is also served as an HTML page; this describes it. */
  readonly html?: string
  /** The media types that the response is also, or exclusively, served in. */
  readonly media?: Media
}

/** The response to `Prefer: respond-async`: a 202, sent before the work is done. */
export interface AcceptedParts {
  readonly schema: TSchema
  readonly description: string
  readonly example: unknown
}

const text = { type: 'string' } as const
const bytes = { type: 'string', format: 'binary' } as const

const capturedErrors: Partial<Record<string, unknown>> = errorExamples

/** Cannot be captured from a server, because no client input causes an internal error. */
function defectExample(code: ErrorCode) {
  const { error } = errorExamples.internal
  const { title } = errorStatus(code)
  return { error: { ...error, code, message: `${title}.`, doc_url: error.doc_url.replace('internal', code) } }
}

/** An example of each error code, shared by all operations. */
export const examplesOfErrors = Object.fromEntries(
  errorCodes.map(code => [
    code,
    { summary: errorStatus(code).title, value: capturedErrors[code] ?? defectExample(code) },
  ]),
)

interface ResponseTraits {
  /** The response has an ETag and may be a 304. */
  readonly data: boolean
  /** The request counts towards rate limits. */
  readonly limited: boolean
}

/** The successful response in all its media types. JSON comes first: clients that name no media type get it,
 * and generators that read only one media type read the first. */
export function success(answer: AnswerParts, { data, limited }: ResponseTraits) {
  return {
    description: answer.description,
    headers: headerReferences(
      'X-Request-Id',
      ...(data ? ['ETag' as const] : []),
      ...(limited ? ofLimits : []),
      ...(answer.rows === undefined ? [] : ofRows),
      ...(answer.headers ?? []),
    ),
    content: {
      ...(answer.schema === null ? {} : jsonMedia(answer.schema, answer.examples)),
      ...rowMedia(answer.rows),
      ...htmlMedia(answer.html),
      ...answer.media,
    },
  }
}

/** The response to a request that stores something new: the same body, with a Location header. */
export function created(answer: AnswerParts, description: string, traits: ResponseTraits) {
  return success({ ...answer, description, headers: [...(answer.headers ?? []), 'Location'] }, traits)
}

/** The response to a request that is accepted but not finished. */
export function accepted({ schema, description, example }: AcceptedParts) {
  return {
    description,
    headers: headerReferences(
      'X-Request-Id',
      ...ofLimits,
      'Location',
      'Retry-After',
      'Preference-Applied',
      'Idempotency-Replayed',
    ),
    content: jsonMedia(schema, { accepted: { summary: 'What was stored', value: example } }),
  }
}

/** The responses of a file that supports range requests (RFC 9110 section 14).
 *
 * @param media the media types of the parts */
export function partialResponses(media: Media) {
  const shared: readonly HeaderName[] = [
    'X-Request-Id',
    'ETag',
    ...ofLimits,
    'Accept-Ranges',
    'Content-Range',
  ]
  return {
    206: {
      description: 'The part of the file that Range names, where If-Range is absent or names this file.',
      headers: headerReferences(...shared, 'Content-Disposition'),
      content: media,
    },
    416: {
      description: 'The file ends before the part that Range names. Content-Range has its size.',
      headers: headerReferences(...shared),
    },
  }
}

/** A redirect. */
export const redirect = (description: string) => ({
  description,
  headers: headerReferences('X-Request-Id', ...ofLimits, 'Location'),
})

const jsonMedia = (schema: TSchema, examples: Examples) => ({
  'application/json': { schema: documentedSchema(schema), examples },
})

export const parquetMedia = (description: string): Media => ({
  'application/vnd.apache.parquet': { schema: { ...bytes, description } },
})

function rowMedia(rows: AnswerParts['rows']): Media {
  if (rows === undefined) return {}
  return {
    'text/csv': {
      schema: text,
      examples: { csv: { summary: 'format=csv, or Accept: text/csv', value: rows.csv } },
    },
    'application/x-ndjson': {
      schema: text,
      examples: { ndjson: { summary: 'format=ndjson', value: rows.ndjson } },
    },
    ...parquetMedia('format=parquet: days are DATE, values DOUBLE.'),
  }
}

const htmlMedia = (html: string | undefined): Media =>
  html === undefined ? {} : { 'text/html': { schema: { ...text, description: html } } }

/** One response per status, with an example of each of its codes. */
export function errorResponses(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(new Set(codes), code => errorStatus(code).status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const shared = Object.entries(sharedErrors).find(([, known]) => Bun.deepEquals(known, group))
      const response = errorResponse(status, group)
      return [
        String(status),
        shared === undefined ? response : { $ref: `#/components/responses/${shared[0]}` },
      ]
    }),
  )
}

/** Errors that almost every operation can return. */
export const keyErrors: readonly ErrorCode[] = ['key_missing', 'key_malformed', 'key_unknown']
export const limitErrors: readonly ErrorCode[] = ['rate_limited_minute', 'rate_limited_day']

const sharedErrors: Readonly<Record<string, readonly ErrorCode[]>> = {
  Unauthenticated: keyErrors,
  RateLimited: limitErrors,
  Internal: ['internal'],
}

/** Responses that many operations share. */
export const sharedResponses = () => ({
  Unchanged: {
    description: 'Nothing has changed since the response with the ETag in If-None-Match.',
    headers: headerReferences('X-Request-Id', 'ETag', ...ofLimits, ...ofRows),
  },
  ...Object.fromEntries(
    Object.entries(sharedErrors).map(([name, codes]) => [
      name,
      errorResponse(errorStatus(codes[0]).status, codes),
    ]),
  ),
})

function errorResponse(status: number, codes: readonly ErrorCode[]) {
  const examples = codes.map(code => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: codes.map(code => `\`${code}\`: ${errorStatus(code).title}.`).join(' '),
    headers: headerReferences('X-Request-Id', ...errorHeaders(status)),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorAnswer' },
        examples: Object.fromEntries(examples),
      },
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  }
}

/** A request that is rejected because of its key has no rate-limit headers. */
function errorHeaders(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  // 409 asks to wait as well: another request with the same Idempotency-Key is running, or a job has no
  // result yet.
  const waits = status === 429 || status === 503 || status === 409
  return waits ? ['Retry-After', ...ofLimits] : ofLimits
}
