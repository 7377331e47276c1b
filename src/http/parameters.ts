import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { registerFormats } from '../dates.ts'
import { Failure } from '../errors.ts'
import type { RequestContext } from './context.ts'

// TypeBox formats are global, and other packages (Elysia) register a laxer `date`. Ours must win: it rejects
// days that do not exist.
registerFormats()

export const maxQueryLength = 8_192

interface Parameter {
  readonly name: string
  readonly kind: 'text' | 'integer' | 'number' | 'boolean'
  readonly check: TypeCheck<TSchema>
  /** Values that are matched case-insensitively. */
  readonly caseless: readonly string[]
  readonly allowed: string
  readonly required: boolean
}

/** Reads a query string by the schema that also documents it. Fails on a parameter that is unknown, repeated,
 * empty, badly encoded or out of range. Elysia's own parser drops unknown parameters and keeps one value of a
 * repeated parameter, so the response would not match the request. Elysia's validation also costs each
 * request 1.6 µs more (6.9 µs in process instead of 5.2). */
export function queryReader<T extends TObject>(schema: T): (text: string) => Static<T> {
  const read = familyReader(schema, null)
  return text => read(text).query
}

/** Parameters that follow one naming pattern: `min_roe`, `max_revenue`. */
export interface ParameterFamily {
  readonly pattern: RegExp
  /** How messages refer to them. */
  readonly named: string
  readonly schema: TSchema
}

/** Like `queryReader`, for routes that also accept a family of parameters. Their values are returned by name,
 * as numbers. */
export function familyReader<T extends TObject>(
  schema: T,
  family: ParameterFamily | null,
): (text: string) => { readonly query: Static<T>; readonly members: ReadonlyMap<string, number> } {
  const required = new Set(schema.required ?? [])
  const parameters = new Map(
    Object.entries<TSchema>(schema.properties).map(([name, property]) => [
      name,
      parameterOf(name, property, required.has(name)),
    ]),
  )
  const whole = TypeCompiler.Compile(schema)
  const known = [...parameters.keys(), ...(family === null ? [] : [family.named])]
  const find = (name: string) =>
    parameters.get(name) ?? (family?.pattern.test(name) ? parameterOf(name, family.schema, false) : undefined)
  return text => {
    if (text.length > maxQueryLength) throw queryTooLong(text.length)
    const values = new Map<string, unknown>()
    for (const piece of text.split('&')) {
      if (piece !== '') readPiece(piece, find, known, values)
    }
    for (const name of required) {
      if (!values.has(name)) throw missing(parameters.get(name), name)
    }
    const query: unknown = Object.fromEntries([...values].filter(([name]) => parameters.has(name)))
    const members = new Map<string, number>()
    for (const [name, value] of values) {
      if (!parameters.has(name) && typeof value === 'number') members.set(name, value)
    }
    if (whole.Check(query)) return { query, members }
    throw new Failure('parameter_invalid', 'The parameters cannot be combined.')
  }
}

/** Reads one path parameter by its schema. */
export function pathReader(name: string, schema: TSchema): (text: string) => string {
  const parameter = parameterOf(name, schema, true)
  return text => String(convert(parameter, decode(name, text, false)))
}

function parameterOf(name: string, schema: TSchema, required: boolean): Parameter {
  const kind =
    schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean' ? schema.type : 'text'
  const caseless = schema.anyCase === true ? (choicesOf(schema) ?? []) : []
  return { name, kind, required, caseless, check: TypeCompiler.Compile(schema), allowed: allowedText(schema) }
}

function readPiece(
  piece: string,
  find: (name: string) => Parameter | undefined,
  known: readonly string[],
  values: Map<string, unknown>,
): void {
  const equals = piece.indexOf('=')
  const rawName = equals < 0 ? piece : piece.slice(0, equals)
  const name = decode('name', rawName, true)
  const parameter = find(name)
  if (parameter === undefined) throw unknown(name, known)
  if (values.has(name)) {
    throw new Failure(
      'parameter_repeated',
      `${name} is sent more than once. Send it once: ${parameter.allowed}.`,
      {
        param: name,
      },
    )
  }
  const text = equals < 0 ? '' : decode(name, piece.slice(equals + 1), true)
  if (text === '') {
    const mend = parameter.required ? ': send' : '. Omit it, or send'
    throw new Failure('parameter_invalid', `${name} is empty${mend} ${parameter.allowed}.`, {
      param: name,
    })
  }
  values.set(name, convert(parameter, text))
}

function convert(parameter: Parameter, text: string): unknown {
  const value = typed(parameter, text)
  if (value !== undefined && parameter.check.Check(value)) return value
  throw new Failure(
    'parameter_invalid',
    `${parameter.name}=${shown(text)} is not allowed: send ${parameter.allowed}.`,
    { param: parameter.name },
  )
}

function typed(parameter: Parameter, text: string): unknown {
  switch (parameter.kind) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'text':
      return parameter.caseless.find(choice => choice.toLowerCase() === text.toLowerCase()) ?? text
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern matches control characters on purpose
const unprintable = /[\u0000-\u001f\u007f\ufffd]/

/** Strict percent-decoding: fails on invalid UTF-8, surrogates and control characters. */
function decode(name: string, raw: string, plusIsSpace: boolean): string {
  let text = plusIsSpace && raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  if (text.includes('%')) {
    try {
      text = decodeURIComponent(text)
    } catch {
      throw badText(name, 'is not percent-encoded UTF-8')
    }
  }
  if (unprintable.test(text) || !text.isWellFormed())
    throw badText(name, 'contains control characters or invalid UTF-8')
  return text
}

function badText(name: string, what: string): Failure {
  const subject = name === 'name' ? 'The name of a parameter' : name
  return new Failure('parameter_invalid', `${subject} ${what}. Send text as percent-encoded UTF-8.`, {
    param: name,
  })
}

function unknown(name: string, known: readonly string[]): Failure {
  return new Failure(
    'parameter_unknown',
    `${shown(name)} is not a parameter of this route. Its parameters: ${known.join(', ') || 'none'}.`,
    { param: name.slice(0, 64) },
  )
}

function missing(parameter: Parameter | undefined, name: string): Failure {
  return new Failure('parameter_invalid', `${name} is missing: send ${parameter?.allowed ?? 'it'}.`, {
    param: name,
  })
}

function queryTooLong(length: number): Failure {
  return new Failure(
    'parameter_invalid',
    `The query string has ${length.toLocaleString('en')} characters; the limit is ${maxQueryLength.toLocaleString('en')}. Send fewer or shorter values.`,
    { param: 'query' },
  )
}

/** The text as sent, shortened for a message. */
function shown(text: string): string {
  return text.length <= 48 ? text : `${text.slice(0, 45)}...`
}

/** Ends an error message with what the schema allows. A schema with a pattern says so in words, in `allowed`:
 * a regular expression would mean nothing to most people. */
function allowedText(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices !== null) return choices.length === 1 ? choices[0] : `one of ${choices.join(', ')}`
  const example = exampleOf(schema)
  if (schema.allowed !== undefined) return `${schema.allowed}${example}`
  if (schema.pattern !== undefined)
    throw new Error(`The pattern ${schema.pattern} has no words for messages.`)
  if (schema.format === 'date') return `a valid date as YYYY-MM-DD${example}`
  if (schema.type === 'integer' || schema.type === 'number') {
    const noun = schema.type === 'integer' ? 'a whole number' : 'a number'
    return `${noun}${range(schema)}${example}`
  }
  if (schema.type === 'boolean') return 'true or false'
  const length = schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`
  return `a string${length}${example}`
}

function choicesOf(schema: TSchema): string[] | null {
  if (schema.const !== undefined) return [String(schema.const)]
  if (!Array.isArray(schema.anyOf)) return null
  const constants = schema.anyOf.map((choice: TSchema) => choice.const)
  return constants.every((choice: unknown) => choice !== undefined) ? constants.map(String) : null
}

function range(schema: TSchema): string {
  if (schema.minimum !== undefined && schema.maximum !== undefined) {
    return ` from ${schema.minimum} to ${schema.maximum}`
  }
  if (schema.minimum !== undefined) return ` of at least ${schema.minimum}`
  return schema.maximum === undefined ? '' : ` of at most ${schema.maximum}`
}

/** Empty if `allowed` already contains examples. */
function exampleOf(schema: TSchema): string {
  if (schema.allowed?.includes(' like ')) return ''
  const example = Array.isArray(schema.examples) ? schema.examples[0] : undefined
  return example === undefined ? '' : `, like ${example}`
}

const readNothing = queryReader(Type.Object({}, { additionalProperties: false }))

/** Rejects every query parameter, for routes that accept none. */
export function noQuery(context: RequestContext): void {
  if (context.queryText !== '') readNothing(context.queryText)
}
