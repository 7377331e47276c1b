import type { TSchema } from '@sinclair/typebox'
import { type ErrorCode, errorCodes } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import errorExamples from './examples/errors.json' with { type: 'json' }
import { documentedSchema } from './schemas.ts'

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** What a route answers when nothing is wrong. */
export interface AnswerParts {
  readonly schema: TSchema
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
}

/** What a route answers to `Prefer: respond-async`: 202, before the work is done. */
export interface AcceptedParts {
  readonly schema: TSchema
  readonly description: string
  readonly example: unknown
}

const text = { type: 'string' } as const
const whole = { type: 'integer' } as const

/** Each header that a response may have, once for all of them. */
export const headers = {
  'X-Request-Id': { description: 'Identifies the request in the log.', schema: text },
  'X-RateLimit-Limit': { description: 'Requests that the tighter limit allows.', schema: whole },
  'X-RateLimit-Remaining': { description: 'How many of these are left.', schema: whole },
  'X-RateLimit-Reset': {
    description:
      'When the full limit is available again or, if nothing is left, when the next request is allowed: UTC epoch seconds.',
    schema: whole,
  },
  'RateLimit-Policy': { description: 'All limits of the caller: q requests in w seconds.', schema: text },
  RateLimit: {
    description: 'What is left of each limit: r requests; the full limit is available again in t seconds.',
    schema: text,
  },
  ETag: {
    description:
      'Identifies the content. Send it as If-None-Match with GET: if nothing has changed, the response is 304 without a body.',
    schema: text,
  },
  'WWW-Authenticate': { description: 'Always Bearer.', schema: text },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: whole },
  Location: { description: 'The URL of what was stored.', schema: text },
  'Preference-Applied': { description: 'Always respond-async.', schema: text },
  Link: {
    description:
      'With formats other than JSON: the terms on which the rows are given, as links with rel="license"; the title is the field licence of the JSON.',
    schema: text,
  },
  'X-Attribution': {
    description:
      'With formats other than JSON: the statutory attribution, several separated by " | ". What is not ASCII is percent-encoded UTF-8.',
    schema: text,
  },
  'X-Note': {
    description:
      'With formats other than JSON: the field note of the JSON, up to 2,000 characters, encoded likewise. Absent where there is nothing to say.',
    schema: text,
  },
  'Content-Disposition': {
    description: 'With formats other than JSON: the name under which to save the rows.',
    schema: text,
  },
  'X-Next-Cursor': {
    description: 'Send it as `cursor` to get the next page, in every format; absent on the last page.',
    schema: text,
  },
  'Idempotency-Replayed': {
    description: 'true if an earlier request with this Idempotency-Key has led to the same; else absent.',
    schema: text,
  },
}
type HeaderName = keyof typeof headers

const ofLimits: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
]

const ofRows: readonly HeaderName[] = [
  'Content-Disposition',
  'Link',
  'X-Attribution',
  'X-Note',
  'X-Next-Cursor',
]

const headerReferences = (...names: readonly HeaderName[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

const capturedErrors: Partial<Record<string, unknown>> = errorExamples

/** An example of each error code, once for all operations. */
export const examplesOfErrors = Object.fromEntries(
  errorCodes.map(code => [code, { summary: errorStatus(code).title, value: capturedErrors[code] ?? {} }]),
)

interface ResponseTraits {
  /** It has an ETag and may be 304. */
  readonly data: boolean
  /** The request counts towards limits. */
  readonly limited: boolean
}

/** The response of a request that succeeds. Its content is the JSON alone: with several media types a generated client would type
 * the data as any of them, and no field of it could be read. The other formats, chosen by `format`, are in `x-formats`, which has
 * the form of `content`. */
export function success(answer: AnswerParts, { data, limited }: ResponseTraits) {
  const formats = { ...rowFormats(answer.rows), ...htmlFormat(answer.html) }
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
      'application/json': { schema: documentedSchema(answer.schema), examples: answer.examples },
    },
    ...(Object.keys(formats).length === 0 ? {} : { 'x-formats': formats }),
  }
}

/** The response of a request that stores something new: the same answer, with its Location. */
export function created(answer: AnswerParts, description: string, traits: ResponseTraits) {
  return success({ ...answer, description, headers: [...(answer.headers ?? []), 'Location'] }, traits)
}

/** The response of a request that is accepted. It is in `x-responses`, which has the form of `responses`: generated clients type
 * the data as the content of any success in `responses`, and as undefined where one has none. No field of it could be read. */
export function accepted({ schema, description, example }: AcceptedParts) {
  const examples = { accepted: { summary: 'What was stored', value: example } }
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
    content: { 'application/json': { schema: documentedSchema(schema), examples } },
  }
}

function rowFormats(rows: AnswerParts['rows']) {
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
    'application/vnd.apache.parquet': {
      schema: { ...text, format: 'binary', description: 'format=parquet: days are DATE, values DOUBLE.' },
    },
  }
}

const htmlFormat = (html: string | undefined) =>
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
    headers: headerReferences('X-Request-Id', 'ETag', ...ofLimits),
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
    headers: headerReferences('X-Request-Id', ...errorHeaders(status, codes)),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
    'x-formats': { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

function errorHeaders(status: number, codes: readonly ErrorCode[]): HeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  if (status === 429) return ['Retry-After', ...ofLimits]
  const waits = status === 503 || codes.includes('idempotency_in_flight')
  return waits ? ['Retry-After'] : []
}
