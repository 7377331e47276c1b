import type { TObject, TSchema } from '@sinclair/typebox'
import type { DocumentDecoration } from 'elysia'
import type { ErrorCode } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import type { AccessPolicy } from '../plugin.ts'
import errorExamples from './examples/errors.json' with { type: 'json' }

export interface OperationParts {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly access: AccessPolicy
  readonly query?: TObject
  readonly path?: TObject
  /** Parameters that the documentation page fills in, so that a first try answers something. */
  readonly example?: Readonly<Record<string, string | number>>
  readonly body?: {
    readonly schema: TSchema
    readonly description: string
    readonly examples: Examples
    /** Examples in the formats other than JSON, by media type. */
    readonly texts?: Readonly<Record<string, string>>
  }
  readonly answer: {
    readonly schema: TSchema
    readonly description: string
    readonly examples: Examples
    readonly csv?: string
    /** The answer comes as NDJSON and Parquet, too; this is the NDJSON example. */
    readonly ndjson?: string
    /** The answer comes as an HTML page, too; this describes it. */
    readonly html?: string
  }
  /** In addition to those of every route. */
  readonly errors: readonly ErrorCode[]
  /** Data has an ETag and may be answered with 304. */
  readonly data: boolean
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

interface DocumentedError {
  error: { type: string; code: string; message: string }
}

const capturedErrors: Partial<Record<string, DocumentedError>> = errorExamples
const everywhere: readonly ErrorCode[] = ['parameter_unknown', 'internal']
const withKey: readonly ErrorCode[] = [
  'key_missing',
  'key_malformed',
  'key_unknown',
  'key_revoked',
  'key_expired',
]
const withLimits: readonly ErrorCode[] = ['rate_limited_minute', 'rate_limited_day', 'database_unavailable']

/** What Elysia is given of a route: who may use it, and its documentation. */
export interface Operation {
  readonly access: AccessPolicy
  readonly detail: DocumentDecoration
}

/** A route's access policy and its documentation, from the schemas that also check its requests. A route is given a copy: Elysia
 * puts the hooks of one app into the object, and another app in the process would run them. */
export function operation(parts: OperationParts): Operation {
  const { access } = parts
  return Object.freeze({ access, detail: documentation(parts) })
}

function documentation(parts: OperationParts): DocumentDecoration {
  const { id, tag, summary, description, access } = parts
  const codes = [
    ...everywhere,
    ...(access === 'key' ? withKey : []),
    ...(access === 'open' ? [] : withLimits),
    ...parts.errors,
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: access === 'key' ? [{ bearer: [] }] : [],
    parameters: [
      ...parametersOf('path', parts.path, parts.example),
      ...parametersOf('query', parts.query, parts.example),
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
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: whole },
  'X-RateLimit-Reset': {
    description:
      'When the full limit is available again or, with nothing left, when the next request is granted: UTC epoch seconds.',
    schema: whole,
  },
  'RateLimit-Policy': { description: 'All limits of the caller: q requests in w seconds.', schema: text },
  RateLimit: {
    description: 'What is left of each: r requests, the full limit again in t seconds.',
    schema: text,
  },
}
const dataResponseHeaders = {
  ETag: {
    description: 'Send it as If-None-Match; an unchanged answer is then 304 without a body.',
    schema: text,
  },
}
const ifNoneMatch = {
  in: 'header',
  name: 'If-None-Match',
  required: false,
  description: 'The ETag of an earlier answer. An unchanged answer is 304 without a body.',
  schema: text,
} as const
const unchangedResponse = {
  description: 'The answer is unchanged since the ETag in If-None-Match.',
  headers: { 'X-Request-Id': requestIdHeader, ...dataResponseHeaders },
}

function parametersOf(
  place: 'path' | 'query',
  schema: TObject | undefined,
  example: OperationParts['example'] = {},
) {
  if (schema === undefined) return []
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => {
    // Swagger UI fills a schema's default into the form and sends it. In the description it is not sent.
    const { description = '', default: fallback, ...rest } = documentedSchema(property)
    return {
      in: place,
      name,
      required: schema.required?.includes(name) ?? false,
      description: fallback === undefined ? description : `${description} Default: ${fallback}.`,
      schema: rest,
      ...(name in example ? { example: example[name] } : {}),
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

function success({ answer, access, data }: OperationParts) {
  return {
    description: answer.description,
    headers: {
      'X-Request-Id': requestIdHeader,
      ...(data ? dataResponseHeaders : {}),
      ...(access === 'open' ? {} : limitHeaders),
    },
    content: {
      'application/json': { schema: documentedSchema(answer.schema), examples: answer.examples },
      ...(answer.csv === undefined
        ? {}
        : { 'text/csv': { schema: text, examples: { csv: { summary: 'format=csv', value: answer.csv } } } }),
      ...(answer.ndjson === undefined ? {} : rowFormats(answer.ndjson)),
      ...(answer.html === undefined
        ? {}
        : { 'text/html': { schema: { ...text, description: answer.html } } }),
    },
  }
}

function rowFormats(ndjson: string) {
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

/** Shared by all operations; openapi.ts defines them under components. */
const errorReference = { $ref: '#/components/schemas/Error' }
const problemReference = { $ref: '#/components/schemas/Problem' }

/** One response per status, with an example for each of its codes. */
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
    return { 'Retry-After': { description: 'Seconds to wait before trying again.', schema: whole } }
  }
  return {}
}

function exampleOf(code: ErrorCode): [string, { summary: string; value: unknown }] {
  return [code, { summary: errorStatus(code).title, value: capturedErrors[code] ?? {} }]
}

/** A schema as documentation readers expect it: a union of constants becomes an `enum`, which Swagger UI shows as a drop-down. */
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
