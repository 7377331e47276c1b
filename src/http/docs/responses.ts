import type { TSchema } from '@sinclair/typebox'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import errorExamples from './examples/errors.json' with { type: 'json' }
import { type HeaderName, headerReferences, ofLimits, ofRows } from './responseHeaders.ts'
import { documentedSchema } from './schemas.ts'

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** A media type of a response, as OpenAPI has it. */
export interface MediaParts {
  readonly schema: object
  readonly examples?: Examples
  /** In NDJSON the schema of one line: `schema` describes the whole text. */
  readonly 'x-line'?: object
  /** In a stream of events the schema of the data of one. */
  readonly 'x-event'?: object
}
export type Media = Readonly<Record<string, MediaParts>>

/** What a route answers when nothing is wrong. */
export interface AnswerParts {
  /** Of the JSON; null: the route has no JSON. */
  readonly schema: TSchema | null
  readonly description: string
  readonly examples: Examples
  /** In addition to those of every response. */
  readonly headers?: readonly HeaderName[]
  /** The answer may be 201 with the Location of what it describes; this describes that response. */
  readonly created?: string
  /** The rows come as CSV, NDJSON and Parquet, too; these are examples of the texts. */
  readonly rows?: { readonly csv: string; readonly ndjson: string }
  /** The answer comes as an HTML page, too; this describes it. */
  readonly html?: string
  /** The answer comes in these media types, too, or only in them. */
  readonly media?: Media
}

/** What a route answers to `Prefer: respond-async`: 202, before the work is done. */
export interface AcceptedParts {
  readonly schema: TSchema
  readonly description: string
  readonly example: unknown
}

const text = { type: 'string' } as const
const bytes = { type: 'string', format: 'binary' } as const

const capturedErrors: Partial<Record<string, unknown>> = errorExamples

/** A defect of the engine cannot be captured: nothing that a client sends leads to one. */
function defectExample(code: ErrorCode) {
  const { error } = errorExamples.internal
  const { title } = errorStatus(code)
  return { error: { ...error, code, message: `${title}.`, doc_url: error.doc_url.replace('internal', code) } }
}

/** An example of each error code, once for all operations. */
export const examplesOfErrors = Object.fromEntries(
  errorCodes.map(code => [
    code,
    { summary: errorStatus(code).title, value: capturedErrors[code] ?? defectExample(code) },
  ]),
)

interface ResponseTraits {
  /** It has an ETag and may be 304. */
  readonly data: boolean
  /** The request counts towards limits. */
  readonly limited: boolean
}

/** The response of a request that succeeds, in all its media types. JSON is the first: it is what a client gets that names no other,
 * and generators that read one media type of a response read the first. */
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

/** The response of a request that stores something new: the same answer, with its Location. */
export function created(answer: AnswerParts, description: string, traits: ResponseTraits) {
  return success({ ...answer, description, headers: [...(answer.headers ?? []), 'Location'] }, traits)
}

/** The response of a request that is accepted. */
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

/** The responses of a file that is sent in parts, too (RFC 9110, section 14).
 *
 * @param media that of the parts */
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

/** The response that leads to another address. */
export const redirect = (description: string) => ({
  description,
  headers: headerReferences('X-Request-Id', ...ofLimits, 'Location'),
})

const jsonMedia = (schema: TSchema, examples: Examples) => ({
  'application/json': { schema: documentedSchema(schema), examples },
})

/** The bytes of a Parquet file. */
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

/** One response per status, with an example for each of its codes. */
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

/** The errors of almost every operation. */
export const keyErrors: readonly ErrorCode[] = ['key_missing', 'key_malformed', 'key_unknown']
export const limitErrors: readonly ErrorCode[] = ['rate_limited_minute', 'rate_limited_day']

const sharedErrors: Readonly<Record<string, readonly ErrorCode[]>> = {
  Unauthenticated: keyErrors,
  RateLimited: limitErrors,
  Internal: ['internal'],
}

/** Responses of many operations, once for all of them. */
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

/** A request that is refused for its key has no limits. */
function errorHeaders(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  // 409 while another request with the same key runs, or until a job has its result.
  const waits = status === 429 || status === 503 || status === 409
  return waits ? ['Retry-After', ...ofLimits] : ofLimits
}
