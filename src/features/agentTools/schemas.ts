import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { type TSchema, Type } from '@sinclair/typebox'

/** Keywords that only our own readers know, and names: two tools share schemas of one name, and a client that compiles both refuses the
 * second. */
const ownKeywords: ReadonlySet<string> = new Set(['$id', 'allowed', 'anyCase', 'examples'])

/** A schema as clients get it.
 *
 * @param isMap its keys are names of fields and no keywords */
function published(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map(item => published(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isMap || !ownKeywords.has(name))
      .map(([name, item]) => [name, published(item, !isMap && name === 'properties')]),
  )
}

/** A schema for the protocol's library, made once and not in each connection. The library checks nothing by it: the tool checks
 * arguments in words that say how to mend them, and tests and clients check results. */
export function protocolSchema(schema: TSchema): StandardSchemaWithJSON {
  const json = Object.fromEntries(Object.entries(Object(published(JSON.parse(JSON.stringify(schema))))))
  return {
    '~standard': {
      version: 1,
      vendor: 'asfiled',
      jsonSchema: { input: () => json, output: () => json },
      validate: value => ({ value }),
    },
  }
}

export const listOf = (what: string, example: string, maxItems: number) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems,
      description: `${what}, for example ["${example}"].`,
    }),
  )

/** Arguments of every tool whose answer is a list. */
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

export const listArguments = {
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 600,
      description: 'The `next` of the previous answer, with all other arguments unchanged.',
    }),
  ),
  max_characters: Type.Optional(
    Type.Integer({
      minimum: 3_000,
      maximum: 40_000,
      description: 'Size of the answer, 3,000 to 40,000 characters. Default 8,000.',
    }),
  ),
}

/** Argument of the tools whose answers the store can give again. */
export const versionArgument = {
  data_version: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'The data_version of an earlier answer: answers as the data stood then, whatever was imported or corrected since. Needs a licence.',
    }),
  ),
}

/** Fields of every answer that is a list. */
export const listFields = {
  count: Type.Integer({ minimum: 0, description: 'Rows in data.' }),
  total: Type.Optional(Type.Integer({ minimum: 0, description: 'Rows of all pages, where that is known.' })),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it as `cursor` for the rows that were left out; null: none was.',
  }),
  left_out: Type.Optional(Type.String({ description: 'What this answer does not show, and how to get it.' })),
}
