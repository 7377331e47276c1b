import { SearchQuery, SearchResult } from '../../model/search.ts'
import answers from '../examples/answers.json' with { type: 'json' }
import { operation } from './operation.ts'

export const searchOperation = operation({
  id: 'search',
  tag: 'Search',
  summary: 'Find the ID of a company',
  description:
    'By name, symbol or registration number; up to 8 hits, the best first. A company is found by every name that its register gives it, in English as in its own script, and shown by its own. Send the `ticker` of a hit to the fundamentals endpoint unchanged. No key is needed: 120 requests a minute and 3,000 a day for each IP address.',
  entry: 'search',
  query: SearchQuery,
  tried: { q: 'apple' },
  answer: {
    schema: SearchResult,
    description: 'The hits.',
    examples: { apple: { summary: 'q=apple', value: answers.search } },
  },
  errors: ['parameter_invalid', 'parameter_repeated', 'statement_timeout'],
  data: true,
})
