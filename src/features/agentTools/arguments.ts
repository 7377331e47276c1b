import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { ToolRefusal } from './api.ts'

const maxShown = 60

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Validates a tool's arguments. `null` counts as omitted, because some models send it for arguments that they
 * do not set.
 */
export function readArguments<Input extends TObject>(
  tool: string,
  input: Input,
  check: TypeCheck<TObject>,
  sent: unknown,
): Static<Input> {
  const args: unknown = isRecord(sent) ? spelledAs(input, sent) : (sent ?? {})
  if (isInput(input, check, args)) return args
  throw new ToolRefusal('parameter_invalid', faultOf(tool, input, check, args))
}

const isInput = <Input extends TObject>(
  _: Input,
  check: TypeCheck<TObject>,
  args: unknown,
): args is Static<Input> => check.Check(args)

/**
 * Singular or foreign names that models carry over from other tools. The tool list documents only one
 * spelling.
 */
const otherSpellings: Readonly<Record<string, string>> = {
  ticker: 'tickers',
  id: 'tickers',
  metric: 'metrics',
}

/** `holdDays`, as the API spells it, is `hold_days` here. */
export const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/**
 * Renames arguments to the tool's own names. A single value where a list is expected becomes a list of one.
 */
function spelledAs(schema: TSchema, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known: Readonly<Record<string, TSchema>> = schema.properties ?? {}
  const args: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) continue
    const own = [name, otherSpellings[name] ?? '', snakeCase(name)].find(one => Object.hasOwn(known, one))
    const isFree = own === name || (own !== undefined && !Object.hasOwn(sent, own))
    const target = isFree ? (own ?? name) : name
    Object.defineProperty(args, target, {
      value: own === undefined ? value : valueFor(known[own], value),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return args
}

function valueFor(schema: TSchema, value: unknown): unknown {
  const isOfTexts = schema.type === 'array' && schema.items?.type === 'string'
  if (isOfTexts && typeof value === 'string') return value.split(',').map(part => part.trim())
  if (!isRecord(value)) return value
  const members: readonly TSchema[] = schema.anyOf ?? [schema]
  const ofObject = members.find(member => isRecord(member.properties))
  return ofObject === undefined ? value : spelledAs(ofObject, value)
}

function faultOf(tool: string, input: TObject, check: TypeCheck<TObject>, args: unknown): string {
  const fault = check.Errors(args).First()
  const name = (fault?.path ?? '').slice(1).replaceAll('/', '.')
  const top = name.split('.')[0] ?? ''
  const all = Object.keys(input.properties).join(', ')
  if (fault === undefined || name === '') return `${tool} takes an object of arguments: ${all}.`
  const about = Object.hasOwn(input.properties, top) ? expected(input.properties[top]) : ''
  if (fault.type === ValueErrorType.ObjectAdditionalProperties) {
    if (about === '') return `${tool} has no argument ${shown(name)}. Expected: ${all}.`
    return `${top} has no field ${shown(name.slice(top.length + 1))}. ${about}`
  }
  if (fault.type === ValueErrorType.ObjectRequiredProperty && fault.value === undefined)
    return `${tool} needs ${shown(name)}, which is missing. ${about}`
  return `${shown(name)} cannot be ${shown(JSON.stringify(fault.value) ?? 'nothing')}. ${about}`
}

/** Describes what an argument may be. */
function expected(schema: TSchema): string {
  const { description = '', examples } = schema
  const example =
    Array.isArray(examples) && examples.length > 0 ? ` For example ${JSON.stringify(examples[0])}.` : ''
  const said =
    typeof description === 'string' && description !== '' ? ` (${description.replace(/\.$/, '')})` : ''
  return `Expected: ${formOf(schema)}${said}.${example}`
}

function formOf(schema: TSchema): string {
  const { type, minimum, maximum, maxItems, anyOf, format } = schema
  if (Array.isArray(anyOf)) {
    const texts = anyOf.map(member => (typeof member.const === 'string' ? member.const : formOf(member)))
    return texts.join(' or ')
  }
  if (type === 'array') return `a list of up to ${maxItems ?? 'any number of'} items`
  if (type === 'integer' || type === 'number') {
    const what = type === 'integer' ? 'a whole number' : 'a number'
    return minimum === undefined ? what : `${what} from ${minimum} to ${maximum}`
  }
  if (type === 'object') return `an object with ${Object.keys(schema.properties ?? {}).join(', ')}`
  if (type === 'boolean') return 'true or false'
  return format === 'date' ? 'a day as YYYY-MM-DD' : 'a text'
}

const shown = (text: string) => {
  const plain = text.toWellFormed().replaceAll(/\p{C}/gu, '?')
  return plain.length > maxShown ? `${plain.slice(0, maxShown)}...` : plain
}
