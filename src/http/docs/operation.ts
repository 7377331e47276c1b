import type { TObject, TSchema } from '@sinclair/typebox'
import type { DocumentDecoration } from 'elysia'
import { packings } from '../../backtest/panelFile/unpackStream.ts'
import type { ErrorCode } from '../../errors.ts'
import type { AccessPolicy } from '../admission.ts'
import {
  type AcceptedParts,
  type AnswerParts,
  accepted,
  created,
  type Examples,
  errorResponses,
  keyErrors,
  limitErrors,
  type Media,
  partialResponses,
  redirect,
  success,
} from './responses.ts'
import { documentedSchema } from './schemas.ts'

export interface OperationParts {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly access: AccessPolicy
  readonly query?: TObject
  /** Query parameters that follow one naming pattern, documented as the entries of one object. */
  readonly family?: {
    readonly name: string
    readonly description: string
    readonly example: Readonly<Record<string, number>>
  }
  readonly path?: TObject
  /** Values that the documentation page fills in, so that a first try returns something. */
  readonly example?: Readonly<Record<string, string | number>>
  readonly body?: {
    readonly schema: TSchema
    readonly description: string
    readonly examples: Examples
    /** The table by which the route recognises the format of a body. The first media type of each format is
     * documented as such; the description names the others. */
    readonly types: Readonly<Record<string, readonly string[]>>
    /** Examples in formats other than JSON, by media type. */
    readonly texts?: Readonly<Record<string, string>>
  }
  /** Documents Content-Encoding, which every route with a body reads. On other
   * routes it would make API testers send plain bodies as gzip. */
  readonly documentsEncoding?: boolean
  /** The request accepts an Idempotency-Key. */
  readonly idempotent?: boolean
  readonly answer: AnswerParts
  /** The request accepts `Prefer: respond-async`. */
  readonly accepted?: AcceptedParts
  /** The response is a file that also supports range requests; these are the media types of the parts. */
  readonly parts?: Media
  /** The request may be answered with 302; this describes the redirect. */
  readonly redirect?: string
  /** In addition to those that follow from the access policy, the parameters and the body. */
  readonly errors: readonly ErrorCode[]
  /** The response has an ETag and may be a 304. */
  readonly data: boolean
}

/** The errors of every route. Even a route without parameters rejects an invalid Host header. */
const everywhere: readonly ErrorCode[] = ['parameter_unknown', 'parameter_invalid', 'internal']
const withKey: readonly ErrorCode[] = [...keyErrors, 'key_revoked', 'key_expired']
const withLimits: readonly ErrorCode[] = [...limitErrors, 'database_unavailable']
const withBody: readonly ErrorCode[] = [
  'malformed_json',
  'body_invalid',
  'body_too_large',
  'media_type_unsupported',
  'compute_busy',
]
/** A route that can run out of compute threads can also fail because the server is shutting down. */
const withThreads: readonly ErrorCode[] = ['shutting_down', 'compute_lost', 'compute_failed']

const repeated: readonly ErrorCode[] = ['parameter_repeated']

const needsKey = (access: AccessPolicy) => access === 'key' || access === 'usage'
/** True for routes that accept a key, required or not: a search without a key is allowed. */
const takesKey = (access: AccessPolicy) => needsKey(access) || access === 'search'

/** What Elysia needs to know about a route: its access policy and its documentation. */
export interface Operation {
  readonly access: AccessPolicy
  readonly detail: DocumentDecoration
}

/** A route's access policy and its documentation, built from the schemas that also validate its requests.
 * Each route gets a copy, because Elysia adds the hooks of one app to the object, and a second app in the
 * same process would run them too. */
export function operation(parts: OperationParts): Operation {
  const { access } = parts
  return Object.freeze({ access, detail: documentation(parts) })
}

function documentation(parts: OperationParts): DocumentDecoration {
  const { id, tag, summary, description, access } = parts
  const codes = [
    ...everywhere,
    ...(takesKey(access) ? withKey : []),
    ...(access === 'open' ? [] : withLimits),
    ...(parts.query === undefined && parts.body === undefined ? [] : repeated),
    ...(parts.body === undefined ? [] : withBody),
    ...(parts.errors.includes('compute_timeout') ? withThreads : []),
    ...parts.errors,
  ]
  const traits = { data: parts.data, limited: access !== 'open' }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(access),
    parameters: [
      ...parametersOf('path', parts.path, parts.example),
      ...parametersOf('query', parts.query, parts.example),
      ...(parts.family === undefined ? [] : [familyParameter(parts.family)]),
      ...(parts.data ? [parameterReference('IfNoneMatch')] : []),
      ...(parts.accepted === undefined ? [] : [parameterReference('Prefer')]),
      ...(parts.idempotent === true ? [parameterReference('IdempotencyKey')] : []),
      ...(parts.documentsEncoding === true ? [parameterReference('ContentEncoding')] : []),
    ],
    ...(parts.body === undefined ? {} : { requestBody: requestBody(parts.body) }),
    responses: {
      200: success(parts.answer, traits),
      ...(parts.answer.created === undefined
        ? {}
        : { 201: created(parts.answer, parts.answer.created, traits) }),
      ...(parts.accepted === undefined ? {} : { 202: accepted(parts.accepted) }),
      ...(parts.redirect === undefined ? {} : { 302: redirect(parts.redirect) }),
      ...(parts.data ? { 304: { $ref: '#/components/responses/Unchanged' } } : {}),
      ...errorResponses(codes),
      ...(parts.parts === undefined ? {} : partialResponses(parts.parts)),
    },
  }
}

function securityOf(access: AccessPolicy): Record<string, string[]>[] {
  if (!takesKey(access)) return []
  return needsKey(access) ? [{ bearer: [] }] : [{}, { bearer: [] }]
}

const header = (name: string, description: string, example: string) => ({
  in: 'header' as const,
  name,
  required: false,
  description,
  schema: { type: 'string' as const, examples: [example] },
})

/** Parameters that many operations share. */
export const sharedParameters = {
  IfNoneMatch: header(
    'If-None-Match',
    'The ETag of an earlier response. If nothing has changed, the response is 304 without a body.',
    'W/"1-2n9c41hd8ai"',
  ),
  Prefer: header(
    'Prefer',
    'respond-async: the response is 202 at once, and the work goes on without this connection.',
    'respond-async',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Any text that identifies this request, such as a UUID. If the same request is sent again with it within 24 hours, it does not run twice: the response is the same result, or the same submitted backtest or join.',
    '5f2b1c9e-sweep-1',
  ),
  ContentEncoding: {
    in: 'header' as const,
    name: 'Content-Encoding',
    required: false,
    description: 'How the body is compressed.',
    schema: { type: 'string' as const, enum: [...packings] },
  },
}

const parameterReference = (name: keyof typeof sharedParameters) => ({
  $ref: `#/components/parameters/${name}`,
})

function parametersOf(
  location: 'path' | 'query',
  schema: TObject | undefined,
  example: OperationParts['example'] = {},
) {
  if (schema === undefined) return []
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => {
    const { description = '', ...rest } = documentedSchema(property)
    return {
      in: location,
      name,
      required: schema.required?.includes(name) ?? false,
      description,
      schema: location === 'query' && isAnyText(rest) ? { ...rest, minLength: 1 } : rest,
      ...(name in example ? { example: example[name] } : {}),
    }
  })
}

/** True for free text, to which the documentation adds a minimum length: an empty query value is always
 * rejected. */
const isAnyText = (schema: TSchema) =>
  schema.type === 'string' && ['const', 'enum', 'format', 'minLength'].every(name => !(name in schema))

/** Each entry of the object is a parameter of its own: `style: form` with `explode`. */
function familyParameter({ name, description, example }: NonNullable<OperationParts['family']>) {
  return {
    in: 'query' as const,
    name,
    required: false,
    description,
    style: 'form' as const,
    explode: true,
    schema: {
      type: 'object' as const,
      additionalProperties: { type: 'number' as const },
      examples: [example],
    },
  }
}

const textSchema = { type: 'string', minLength: 1 } as const
const binarySchema = { type: 'string', format: 'binary' } as const

/** The request body in every format that the route accepts. */
function requestBody({
  schema,
  description,
  examples,
  types,
  texts = {},
}: NonNullable<OperationParts['body']>) {
  const others = Object.values(types).flatMap(([_, ...aliases]) => aliases)
  const content = Object.entries(types).map(([format, [type = format]]) => {
    if (format === 'json') return [type, { schema: documentedSchema(schema), examples }]
    if (format === 'parquet' || format === 'arrow') return [type, { schema: binarySchema }]
    const example = texts[type]
    if (example === undefined) return [type, { schema: textSchema }]
    // Schemathesis cannot generate a body of this type, and fails when there is an example for it.
    const isInDescription = format === 'ndjson'
    return [
      type,
      isInDescription
        ? { schema: { ...textSchema, description: `For example:\n\n${example}` } }
        : { schema: textSchema, example },
    ]
  })
  return {
    required: true,
    description: others.length === 0 ? description : `${description} Also read: ${others.join(', ')}.`,
    content: Object.fromEntries(content),
  }
}
