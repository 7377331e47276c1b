import { Type } from '@sinclair/typebox'
import { SearchQuery, SearchResult } from '../../search/schema.ts'
import { read } from '../api.ts'
import { defineTool } from '../tool.ts'

const Answer = Type.Object({
  results: Type.Array(Type.Object(SearchResult.properties.results.items.properties)),
})

export const searchCompanies = defineTool({
  name: 'search_companies',
  title: 'Find a company',
  description:
    'Finds the ID (`ticker`) of a company by name, symbol or registration number, in any script: up to 8 hits, the best first. Use it first unless you know the exact ID; all other tools take that `ticker`. Markets: BE, DK, FR, JP, KR, NZ, TW, US.',
  input: Type.Object(
    { q: Type.String({ ...SearchQuery.properties.q, maxLength: 400 }) },
    { additionalProperties: false },
  ),
  output: Answer,
  run: async ({ q }, call) => {
    const { results } = await read(call, Answer, { path: '/api/search', query: { q } })
    const hits = results.map(({ ticker, name, market }) => ({ ticker, name, market }))
    const lines = hits.map(
      ({ ticker, name, market }) => `${ticker}: ${name ?? 'no name on record'} (${market})`,
    )
    const text =
      hits.length === 0
        ? 'No company was found. Try fewer words, or its registration number.'
        : lines.join('\n')
    return { structured: { results: hits }, text }
  },
})
