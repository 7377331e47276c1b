import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { TSchema } from '@sinclair/typebox'

/** A schema in JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords that only our own readers know, and names: two tools share schemas of one name, and a client that compiles both refuses the
 * second. */
const ownKeywords: ReadonlySet<string> = new Set(['$id', 'allowed', 'anyCase', 'said', 'shown'])

/** Every conversation pays for the list of tools, so it says what a model needs to call one: our own reader checks these, and says in
 * words what is wrong. */
const checkedByUs = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'uniqueItems'] as const

/** Of an answer the names, types and meanings are published, and neither bounds nor which fields of a row are always there. */
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

/** A schema as clients get it.
 *
 * @param isMap its keys are names of fields and no keywords */
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

/** No bound for a whole number, and no example. */
const isIdle = (name: string, item: unknown) =>
  (name === 'maximum' && item === maxWhole) ||
  (name === 'examples' && Array.isArray(item) && item.length === 0)
const maxWhole = 2_147_483_647

/** One of several texts as an enumeration, and a type or null as two types: the same, in a third of the characters. */
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

/** A schema for the protocol's library, made once and not in each connection. The library checks nothing by it: the tool checks
 * arguments in words that say how to mend them, and tests and clients check results. */
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

/** A field of an answer with its meaning in a few words. What the API says of it stays with the API. */
export const said = <T extends TSchema>(schema: T, description: string): T => ({
  ...schema,
  description,
  said: true,
})

/** A field of an answer that the list of tools shows in less detail than its schema does. */
export const shownAs = <T extends TSchema>(schema: T, type: 'object' | 'array', description: string): T => ({
  ...schema,
  shown: { type, ...(type === 'array' ? { items: { type: 'object' } } : {}), description },
})

/** Companies of a page for a key whose companies are counted: more would use up an evaluation. */
const maxCounted = 100

/** What to ask for instead, to see others than the companies that the key has seen; null: that is all it may see, or there is no such limit. */
export function limitForCapped(page: {
  readonly seen_only?: boolean
  readonly companies_left?: number
}): number | null {
  const { seen_only: seenOnly = false, companies_left: left = 0 } = page
  return seenOnly && left > 0 ? Math.min(left, maxCounted) : null
}
