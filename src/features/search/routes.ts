import { Elysia } from 'elysia'
import { cacheable, jsonType, respondFromCache } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { Sql } from '../../postgres/client.ts'
import { SearchQuery, SearchResult } from './schema.ts'
import { searchEntities } from './search.ts'

export interface SearchDeps {
  /**
   * Its connections plan each statement once (`indexLookupsOnly`): planning a search takes longer than
   * running it.
   */
  readonly lookups: Sql
  readonly responses: ResponseCache
  readonly dataVersion: () => number
}

const readQuery = queryReader(SearchQuery)

/** GET /api/search needs no key. It counts by address, or against a key if one is sent. */
export function searchRoutes(http: HttpPlugin, { lookups, responses, dataVersion }: SearchDeps) {
  return new Elysia({ name: 'search' }).use(http).get(
    '/api/search',
    ({ context }) => {
      const { q } = readQuery(context.queryText)
      const response = cacheable(`search ${q}`, jsonType, async () =>
        JSON.stringify({ object: 'search_result', results: await searchEntities(lookups, q) }),
      )
      return respondFromCache(responses, context, dataVersion(), response)
    },
    { ...searchOperation },
  )
}

const searchOperation = operation({
  id: 'search',
  tag: 'Search',
  summary: 'Find the ID of a company',
  description:
    'Finds companies by name, symbol or registration number: up to 8 hits, the best first. Any registered name matches, in English or in its own script; the hit shows its name in the register. Former symbols and names of a company match, too: `former` then says which one matched, and when the company had it. Punctuation, spaces, accents and case do not matter: `walmart` finds Wal-Mart, and `BRK.B` finds BRK-B. Send the `ticker` of a hit to the fundamentals endpoint unchanged. No key is required; each IP address is limited to 120 requests per minute and 3,000 per day. If you send a key, the limits of the key apply instead.',
  access: 'search',
  query: SearchQuery,
  example: { q: 'apple' },
  answer: {
    schema: SearchResult,
    description: 'The hits.',
    examples: { apple: { summary: 'q=apple', value: answers.search } },
  },
  errors: ['statement_timeout'],
  data: true,
})
