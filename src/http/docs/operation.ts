import type { TObject, TSchema } from '@sinclair/typebox'
import type { DocumentDecoration } from 'elysia'
import type { ErrorCode } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import type { Entry } from '../handler.ts'
import errorExamples from './examples/errors.json' with { type: 'json' }

export interface OperationParts {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly entry: Entry
  readonly query?: TObject
  readonly path?: TObject
  /** What the documentation page fills in, so that a first try answers something. The rest stays empty there. */
  readonly tried?: Readonly<Record<string, string | number>>
  readonly body?: {
    readonly schema: TSchema
    readonly description: string
    readonly examples: Examples
    /** Examples of the forms beside JSON, by media type. */
    readonly texts?: Readonly<Record<string, string>>
  }
  readonly answer: {
    readonly schema: TSchema
    readonly description: string
    readonly examples: Examples
    readonly csv?: string
    /** It can be NDJSON and Parquet, too; the example is of NDJSON. */
    readonly sheets?: string
    /** It can be a page, too; in words. */
    readonly html?: string
  }
  /** Beyond those that every route has. */
  readonly errors: readonly ErrorCode[]
  /** A data answer has an ETag and can be 304. */
  readonly data: boolean
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

interface DocumentedError {
  error: { type: string; code: string; message: string }
}

const captured: Partial<Record<string, DocumentedError>> = errorExamples
const everywhere: readonly ErrorCode[] = ['parameter_unknown', 'internal']
const whereKeyed: readonly ErrorCode[] = [
  'key_missing',
  'key_malformed',
  'key_unknown',
  'key_revoked',
  'key_expired',
]
const whereCounted: readonly ErrorCode[] = ['rate_limited_minute', 'rate_limited_day', 'database_unavailable']

/** The documentation of a route, from the schemas that also check it. */
export function operation(parts: OperationParts): DocumentDecoration {
  const { id, tag, summary, description, entry } = parts
  const codes = [
    ...everywhere,
    ...(entry === 'key' ? whereKeyed : []),
    ...(entry === 'open' ? [] : whereCounted),
    ...parts.errors,
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: entry === 'key' ? [{ bearer: [] }] : [],
    parameters: [
      ...parametersOf('path', parts.path, parts.tried),
      ...parametersOf('query', parts.query, parts.tried),
      ...(parts.data ? [ifNoneMatch] : []),
    ],
    ...(parts.body === undefined ? {} : { requestBody: requestBody(parts.body) }),
    responses: {
      200: success(parts),
      ...(parts.data ? { 304: unchangedResponse } : {}),
      ...errorResponses(codes),
    },
  }
}

const text = { type: 'string' } as const
const whole = { type: 'integer' } as const

const requestIdHeader = { description: 'Names the request in the log.', schema: text }
const limitHeaders = {
  'X-RateLimit-Limit': { description: 'Requests that the tighter limit allows.', schema: whole },
  'X-RateLimit-Remaining': { description: 'What is left of it.', schema: whole },
  'X-RateLimit-Reset': {
    description:
      'When it is whole again or, with nothing left, when the next request is granted: UTC epoch seconds.',
    schema: whole,
  },
  'RateLimit-Policy': { description: 'All limits of the caller: q requests in w seconds.', schema: text },
  RateLimit: { description: 'What is left of each: r requests, whole again in t seconds.', schema: text },
}
const dataResponseHeaders = {
  ETag: { description: 'Send it as If-None-Match to be told that nothing changed.', schema: text },
}
const ifNoneMatch = {
  in: 'header',
  name: 'If-None-Match',
  required: false,
  description: 'The ETag of an earlier answer: 304 without a body where it still holds.',
  schema: text,
} as const
const unchangedResponse = {
  description: 'The answer named by If-None-Match still holds.',
  headers: { 'X-Request-Id': requestIdHeader, ...dataResponseHeaders },
}

function parametersOf(
  place: 'path' | 'query',
  schema: TObject | undefined,
  tried: OperationParts['tried'] = {},
) {
  if (schema === undefined) return []
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => {
    // The page would fill in a default; said in words it is not sent.
    const { description = '', default: usual, ...rest } = documentedSchema(property)
    return {
      in: place,
      name,
      required: schema.required?.includes(name) ?? false,
      description: usual === undefined ? description : `${description} Default: ${usual}.`,
      schema: rest,
      ...(name in tried ? { example: tried[name] } : {}),
    }
  })
}

function requestBody(body: NonNullable<OperationParts['body']>) {
  return {
    required: true,
    description: body.description,
    content: {
      'application/json': { schema: documentedSchema(body.schema), examples: body.examples },
      ...Object.fromEntries(
        Object.entries(body.texts ?? {}).map(([type, example]) => [type, { schema: text, example }]),
      ),
    },
  }
}

function success({ answer, entry, data }: OperationParts) {
  return {
    description: answer.description,
    headers: {
      'X-Request-Id': requestIdHeader,
      ...(data ? dataResponseHeaders : {}),
      ...(entry === 'open' ? {} : limitHeaders),
    },
    content: {
      'application/json': { schema: documentedSchema(answer.schema), examples: answer.examples },
      ...(answer.csv === undefined
        ? {}
        : { 'text/csv': { schema: text, examples: { csv: { summary: 'format=csv', value: answer.csv } } } }),
      ...(answer.sheets === undefined ? {} : sheetsContent(answer.sheets)),
      ...(answer.html === undefined
        ? {}
        : { 'text/html': { schema: { ...text, description: answer.html } } }),
    },
  }
}

function sheetsContent(ndjson: string) {
  const binary = { type: 'string', format: 'binary' } as const
  return {
    'application/x-ndjson': {
      schema: text,
      examples: { ndjson: { summary: 'format=ndjson', value: ndjson } },
    },
    'application/vnd.apache.parquet': {
      schema: { ...binary, description: 'format=parquet: days are DATE, values DOUBLE.' },
    },
  }
}

/** Shared by all operations; src/http/openapi.ts puts them among the components. */
const errorReference = { $ref: '#/components/schemas/Error' }
const problemReference = { $ref: '#/components/schemas/Problem' }

/** One response a status, with an example for each code that has it. */
function errorResponses(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(new Set(codes), code => errorStatus(code).status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map(code => `\`${code}\`: ${errorStatus(code).title}.`).join(' '),
        headers: { 'X-Request-Id': requestIdHeader, ...errorHeaders(status, group) },
        content: {
          'application/json': { schema: errorReference, examples: Object.fromEntries(group.map(exampleOf)) },
          'application/problem+json': { schema: problemReference },
        },
      },
    ]),
  )
}

function errorHeaders(status: number, group: readonly ErrorCode[]) {
  if (status === 401) return { 'WWW-Authenticate': { description: 'Always Bearer.', schema: text } }
  if (status === 429 || status === 503 || group.includes('idempotency_in_flight')) {
    return { 'Retry-After': { description: 'Seconds after which trying again makes sense.', schema: whole } }
  }
  return {}
}

function exampleOf(code: ErrorCode): [string, { summary: string; value: unknown }] {
  return [code, { summary: errorStatus(code).title, value: captured[code] ?? {} }]
}

/** A schema as readers of the documentation know it best: a choice between constants is an `enum`, which Swagger UI
 * shows as a list to choose from. */
export function documentedSchema(schema: TSchema): TSchema {
  const documented: TSchema = { ...schema }
  const constants = constantsOf(schema)
  if (constants !== null) {
    documented.enum = constants
    documented.type = typeof constants[0]
    delete documented.anyOf
    return documented
  }
  if (schema.properties !== undefined) {
    documented.properties = Object.fromEntries(
      Object.entries<TSchema>(schema.properties).map(([name, property]) => [
        name,
        documentedSchema(property),
      ]),
    )
  }
  if (schema.items !== undefined) documented.items = documentedSchema(schema.items)
  if (Array.isArray(schema.anyOf)) documented.anyOf = schema.anyOf.map(documentedSchema)
  return documented
}

function constantsOf(schema: TSchema): string[] | null {
  if (!Array.isArray(schema.anyOf) || schema.anyOf.length === 0) return null
  const constants = schema.anyOf.map((choice: TSchema) => choice.const)
  return constants.every((constant: unknown) => typeof constant === 'string') ? constants : null
}
