import type { TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { Failure } from '../../errors.ts'
import { formatPath } from './jsonReader.ts'

/** Describes a value that violates a schema: what was sent, and what is allowed.
 *
 * @param prefix the path of the value in the body
 * @param parent the schema that the value violates
 * @param missing how the body writes a missing value */
export function describeFault(
  error: ValueError,
  prefix: readonly (string | number)[],
  parent: TSchema,
  missing = 'null',
): Failure {
  const inner = faultInside(error)
  if (inner) return describeFault(inner, prefix, parent, missing)
  const steps = error.path
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const path = [...prefix, ...steps.map(step => (/^\d+$/.test(step) ? Number(step) : step))]
  const param = formatPath(path)
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return unknownParameter(param, Object.keys(schemaAt(parent, steps.slice(0, -1)).properties ?? {}))
  }
  const allowed = describeSchema(error.schema, missing)
  const found =
    error.type === ValueErrorType.ObjectRequiredProperty || error.value === undefined
      ? 'is missing'
      : `is ${showValue(error.value)}`
  if (param === '') return new Failure('body_invalid', `The body ${found}; it must be ${allowed}.`)
  return new Failure('parameter_invalid', `${param} ${found}; it must be ${allowed}.`, { param })
}

export function unknownParameter(param: string, known: readonly string[]): Failure {
  return new Failure('parameter_unknown', `${param} is unknown. Allowed here: ${known.join(', ')}.`, {
    param,
  })
}

/** If an object or array was sent and one of the alternatives is one too, the fault inside it is more useful
 * than a list of the alternatives. */
function faultInside({ type, value, schema, errors }: ValueError): ValueError | undefined {
  if (type !== ValueErrorType.Union || typeof value !== 'object' || value === null) return undefined
  const sent = Array.isArray(value) ? 'array' : 'object'
  return errors[schema.anyOf.findIndex((choice: TSchema) => choice.type === sent)]?.First()
}

function schemaAt(schema: TSchema, steps: readonly string[]): TSchema {
  return steps.reduce<TSchema>((at, step) => objectChoice(at.properties?.[step] ?? at.items ?? at), schema)
}

function objectChoice(schema: TSchema): TSchema {
  return schema.anyOf?.find((choice: TSchema) => choice.type === 'object') ?? schema
}

export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function describeSchema(schema: TSchema, missing: string): string {
  if (schema.anyOf) {
    return schema.anyOf.map((choice: TSchema) => describeSchema(choice, missing)).join(' or ')
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'a whole number' : 'a number'}${describeBounds(schema)}${describeMeaning(schema)}`
    case 'string':
      if (schema.format === 'date') return 'a valid date as YYYY-MM-DD'
      if (schema.allowed) return schema.allowed + exampleOf(schema)
      return `a string of ${schema.minLength ?? 0} to ${schema.maxLength} characters`
    case 'array':
      return `an array of ${describeCount(schema)} ${schema.uniqueItems ? 'different ' : ''}items`
    case 'boolean':
      return 'true or false'
    case 'null':
      return missing
    default:
      return schema.type === 'object' ? 'an object' : String(schema.type)
  }
}

const describeCount = ({ minItems, maxItems }: TSchema) =>
  minItems === undefined ? `at most ${maxItems}` : `${minItems} to ${maxItems}`

function describeMeaning({ allowed }: TSchema): string {
  return allowed === undefined ? '' : ` (${allowed})`
}

function exampleOf({ examples }: TSchema): string {
  return Array.isArray(examples) ? `, like ${examples[0]}` : ''
}

function describeBounds(schema: TSchema): string {
  if (schema.exclusiveMinimum !== undefined)
    return ` above ${schema.exclusiveMinimum} and at most ${schema.maximum}`
  if (schema.minimum === undefined) return ''
  return ` from ${schema.minimum} to ${schema.maximum}`
}
