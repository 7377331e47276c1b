import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { TSchema } from '@sinclair/typebox'

/** A JSON schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Keywords that only our own code reads, and names: two tools may share a schema name, and a client that
 * compiles both rejects the second.
 */
const ownKeywords: ReadonlySet<string> = new Set(['$id', 'allowed', 'anyCase', 'said', 'shown'])

/**
 * Every conversation pays for the tool list, so it contains only what a model needs for a call. Our own
 * validation checks these keywords and explains faults in words.
 */
const checkedByUs = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'uniqueItems'] as const

/**
 * For results, we publish the names, types and meanings of fields, but neither their bounds nor which fields
 * are required.
 */
const boundsOfAnswers = [
  'minimum',
  'maximum',
  'maxItems',
  'examples',
  'default',
  'required',
  'enum',
  'const',
] as const

type Side = 'input' | 'output'
const dropped: Readonly<Record<Side, ReadonlySet<string>>> = {
  input: new Set([...ownKeywords, ...checkedByUs]),
  output: new Set([...ownKeywords, ...checkedByUs, ...boundsOfAnswers]),
}

const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts a schema to what clients get.
 *
 * @param isMap true if its keys are field names, not keywords
 */
function published(value: unknown, side: Side, isMap = false): unknown {
  if (Array.isArray(value)) return value.map(item => published(item, side))
  if (!isRecord(value)) return value
  if (!isMap && isRecord(value.shown)) return value.shown
  const isSaid = side === 'input' || value.said === true
  const entries = Object.entries(isMap ? value : withoutUnion(value))
    .filter(([name, item]) => isMap || !(dropped[side].has(name) || isIdle(name, item)))
    .filter(([name]) => isMap || isSaid || name !== 'description')
    .map(([name, item]) => [name, published(item, side, !isMap && name === 'properties')])
  return Object.fromEntries(entries)
}

/** The default bound of integers and empty examples say nothing. */
const isIdle = (name: string, item: unknown) =>
  (name === 'maximum' && item === maxWhole) ||
  (name === 'examples' && Array.isArray(item) && item.length === 0)
const maxWhole = 2_147_483_647

/**
 * Rewrites a union of literals as an enumeration, and a union with null as two types: the same meaning in a
 * third of the characters.
 */
function withoutUnion(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const members: readonly unknown[] = anyOf
  const texts = members.map(member => (isRecord(member) ? member.const : undefined))
  if (texts.every(text => typeof text === 'string')) return { ...rest, type: 'string', enum: texts }
  const others = members.filter(member => !(isRecord(member) && member.type === 'null'))
  const [other] = others
  if (others.length !== 1 || members.length !== 2 || !isRecord(other) || other.const !== undefined)
    return schema
  if (typeof other.type !== 'string') return schema
  return { ...other, ...rest, type: [other.type, 'null'] }
}

/**
 * A schema for the protocol's library, made once instead of per connection. The library validates nothing
 * with it: the tool checks its arguments itself, with messages that say how to correct them, and tests and
 * clients check results.
 */
export function protocolSchema(schema: TSchema, side: Side): StandardSchemaWithJSON {
  const whole = Object.entries(Object(published(JSON.parse(JSON.stringify(schema)), side)))
  const json = Object.fromEntries(side === 'input' ? whole : [...whole, ['required', schema.required ?? []]])
  return {
    '~standard': {
      version: 1,
      vendor: 'asfiled',
      jsonSchema: { input: () => json, output: () => json },
      validate: value => ({ value }),
    },
  }
}

/** A response field with its meaning in a few words, instead of the API's description. */
export const said = <T extends TSchema>(schema: T, description: string): T => ({
  ...schema,
  description,
  said: true,
})

/** A response field that the tool list shows in less detail than its schema has. */
export const shownAs = <T extends TSchema>(schema: T, type: 'object' | 'array', description: string): T => ({
  ...schema,
  shown: { type, ...(type === 'array' ? { items: { type: 'object' } } : {}), description },
})

/** Page size for keys whose companies are counted: more would exhaust an evaluation. */
const maxCounted = 100

/**
 * The limit to ask for in order to see companies that the key has not seen; null if it may not see any more,
 * or has no such cap.
 */
export function limitForCapped(page: {
  readonly seen_only?: boolean
  readonly companies_left?: number
}): number | null {
  const { seen_only: seenOnly = false, companies_left: left = 0 } = page
  return seenOnly && left > 0 ? Math.min(left, maxCounted) : null
}
