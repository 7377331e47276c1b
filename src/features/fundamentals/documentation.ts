import { Type } from '@sinclair/typebox'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { CoverageIndex } from '../coverage/schema.ts'
import { FundamentalsBatch, FundamentalsList, FundamentalsQuery } from './schema.ts'

export const fundamentalsOperation = operation({
  id: 'getFundamentals',
  tag: 'Fundamentals',
  summary: 'Figures as they were known on a day',
  description:
    'The figures of one company, each under the day on which it was filed. `as_of` shows only filings up to that day: a later restatement changes nothing in the answer. Several companies (`ticker=AAPL,GOOGL`, up to 100) are answered in the order of the request, all of one data version. One unknown ID fails the whole request, and the message names it. `vintage=first` shows each figure as it was first filed. Without `ticker` the answer is the coverage index: markets, their manifests, every metric, and the tickers page by page.\n\nThe demo key and free keys see the flagship companies in full, and of every other company the most recent reported fiscal year.',
  access: 'key',
  query: FundamentalsQuery,
  example: { ticker: 'AAPL', as_of: '2009-12-31', metric: 'revenue,net_margin' },
  answer: {
    schema: Type.Union([FundamentalsList, FundamentalsBatch, CoverageIndex]),
    description: 'The rows of one company or of several, or the coverage index.',
    examples: {
      before: {
        summary: 'Revenue of fiscal year 2009, as known on 2009-12-31',
        value: answers.fundamentals_before,
      },
      after: { summary: 'The same on 2010-02-01, with the restatement', value: answers.fundamentals_after },
      several: { summary: 'Several companies', value: answers.fundamentals_several },
      first: { summary: 'vintage=first: what was filed first', value: answers.fundamentals_first },
      coverage: {
        summary: 'Without ticker: the coverage index (lists shortened)',
        value: answers.coverage_index,
      },
    },
    csv: answers.fundamentals_csv,
    ndjson: answers.fundamentals_ndjson,
  },
  errors: [
    'parameter_invalid',
    'parameter_repeated',
    'licence_required',
    'entity_cap_reached',
    'entity_unknown',
    'compute_busy',
    'statement_timeout',
  ],
  data: true,
})
