import { type Static, Type } from '@sinclair/typebox'

/** The number of characters (code points) of a query that are read; the rest is cut off. */
export const searchCharacters = 100
export const searchHits = 8

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      allowed: 'a name, a symbol or a registration number',
      description:
        'A name, a symbol or a registration number. Case, accents, punctuation, spaces and full-width forms do not matter.',
      examples: ['apple'],
    }),
  },
  { additionalProperties: false },
)
export type SearchQuery = Static<typeof SearchQuery>

const FormerNameSchema = Type.Object(
  {
    kind: Type.Union([Type.Literal('symbol'), Type.Literal('name')]),
    value: Type.String({ examples: ['FB'] }),
    from: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description:
        'First day, or filing day of the first document with this name; null: the register states only the last day.',
    }),
    to: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description:
        'Last day, or filing day of the last document with this name; null: no source states an end.',
    }),
  },
  {
    additionalProperties: false,
    $id: 'FormerName',
    description:
      'Only if the company was found by a former symbol or name: which one, and when the company had it.',
  },
)

export const SearchHit = Type.Object(
  {
    ticker: Type.String({ description: 'The ID to send to the fundamentals endpoint.', examples: ['AAPL'] }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: "The register's own name.",
      examples: ['Apple Inc.'],
    }),
    market: Type.String({ pattern: '^[A-Z]{2}$', examples: ['US'] }),
    former: Type.Optional(FormerNameSchema),
  },
  { additionalProperties: false, $id: 'SearchHit' },
)
export type SearchHit = Static<typeof SearchHit>

export const SearchResult = Type.Object(
  { object: Type.Literal('search_result'), results: Type.Array(SearchHit, { maxItems: searchHits }) },
  { additionalProperties: false, $id: 'SearchHits' },
)
export type SearchResult = Static<typeof SearchResult>
