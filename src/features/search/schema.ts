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

export const SearchHit = Type.Object(
  {
    ticker: Type.String({ description: 'The ID to send to the fundamentals endpoint.', examples: ['AAPL'] }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: "The register's own name.",
      examples: ['Apple Inc.'],
    }),
    market: Type.String({ pattern: '^[A-Z]{2}$', examples: ['US'] }),
  },
  { additionalProperties: false, $id: 'SearchHit' },
)
export type SearchHit = Static<typeof SearchHit>

export const SearchResult = Type.Object(
  { object: Type.Literal('search_result'), results: Type.Array(SearchHit, { maxItems: searchHits }) },
  { additionalProperties: false, $id: 'SearchHits' },
)
export type SearchResult = Static<typeof SearchResult>
