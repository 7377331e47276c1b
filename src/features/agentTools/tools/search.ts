import { Type } from '@sinclair/typebox'
import { SearchQuery, SearchResult, searchHits } from '../../search/schema.ts'
import { read } from '../api.ts'
import { said, shownAs } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { given } from './figures.ts'

const ReadResults = Type.Object({
  results: Type.Array(Type.Object(SearchResult.properties.results.items.properties)),
})

const hit = SearchResult.properties.results.items.properties
const Answer = Type.Object({
  results: said(
    Type.Array(
      Type.Object({
        ticker: said(hit.ticker, 'ID for all other tools.'),
        name: hit.name,
        market: hit.market,
        former: Type.Optional(
          shownAs(
            hit.former,
            'object',
            'If the hit was found by a former symbol or name: kind, value, from, to.',
          ),
        ),
      }),
    ),
    'The best hit first.',
  ),
})

export const searchCompanies = defineTool({
  name: 'search_companies',
  title: 'Find a company',
  description:
    'Finds the ID of a company by name, symbol or registration number, in any script. Use it first, unless you know the ID: all other tools take it in `tickers`.',
  input: Type.Object(
    {
      q: Type.String({
        ...SearchQuery.properties.q,
        maxLength: 400,
        description: 'A name, a symbol or a registration number.',
        examples: ['apple'],
      }),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: searchHits, default: searchHits, description: 'Hits.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Answer,
  run: async ({ q, limit }, call) => {
    const { results } = await read(call, ReadResults, { path: '/api/search', query: { q } })
    const hits = results
      .slice(0, limit)
      .map(({ ticker, name, market, former }) => ({ ticker, name, market, ...given({ former }) }))
    const lines = hits.map(({ ticker, name, market, former }) => {
      const days = former && `, ${former.kind} ${former.value} from ${former.from} to ${former.to ?? 'today'}`
      return `${ticker}: ${name ?? 'no name on record'} (${market})${days ?? ''}`
    })
    const text =
      hits.length === 0
        ? 'No company was found. Try fewer words, or its registration number.'
        : lines.join('\n')
    return { structured: { results: hits }, text }
  },
})
