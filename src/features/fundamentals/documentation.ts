import { Type } from '@sinclair/typebox'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { CoverageIndex } from '../coverage/schema.ts'
import { FundamentalsBatch } from './batchSchema.ts'
import { FundamentalsList, FundamentalsQuery } from './schema.ts'
import { FundamentalsTable, FundamentalsTableBatch } from './tableSchema.ts'

const FundamentalsAnswer = Type.Union(
  [FundamentalsList, FundamentalsBatch, FundamentalsTable, FundamentalsTableBatch, CoverageIndex],
  {
    $id: 'FundamentalsAnswer',
    description: '`object` says whether it is a list, a table (layout=wide) or the coverage index.',
  },
)

export const fundamentalsOperation = operation({
  id: 'getFundamentals',
  tag: 'Fundamentals',
  summary: 'Company figures as known on a given day',
  description:
    'The figures of one company, each with the day on which it was filed. `as_of` limits the response to filings up to that day: a later restatement does not change it. Several companies (`ticker=AAPL,GOOGL`, up to 100) are returned in the order of the request, all from one data version. One unknown ID fails the whole request, and the message names it. `vintage=first` shows each figure as it was first filed. `fp` and `fy` select fiscal periods among the rows that were known on `as_of`. A ticker means the company that had it on `as_of`, if a source on record says which company that was; otherwise it means today’s company, and `symbol_assumed` says so. `lineage=follow` adds the rows of a company’s predecessors and successors. Without `ticker`, the response is the coverage index: markets, their manifests, every metric, and the tickers page by page.\n\nThe demo key and free keys see the flagship companies in full and the most recent reported fiscal year of every other company.',
  access: 'key',
  query: FundamentalsQuery,
  example: { ticker: 'AAPL', as_of: '2009-12-31', metric: 'revenue,net_margin' },
  answer: {
    schema: FundamentalsAnswer,
    description: 'The rows of one company or of several, or the coverage index.',
    examples: {
      before: {
        summary: 'Revenue of fiscal year 2009, as known on 2009-12-31',
        value: answers.fundamentals_before,
      },
      after: {
        summary: 'The same, as known on 2010-02-01, with the restatement',
        value: answers.fundamentals_after,
      },
      several: { summary: 'Several companies', value: answers.fundamentals_several },
      first: { summary: 'vintage=first: each figure as first filed', value: answers.fundamentals_first },
      wide: { summary: 'layout=wide: a row per fiscal period', value: answers.fundamentals_wide },
      lines: {
        summary: 'fields=accession,statement,line,label: where the filing presents each figure',
        value: answers.fundamentals_lines,
      },
      splits: {
        summary: 'adjust=splits: the 10-K of 2020 restates 2018 for the split of that year, and not 2017',
        value: answers.fundamentals_splits,
      },
      coverage: {
        summary: 'Without ticker: the coverage index (lists shortened)',
        value: answers.coverage_index,
      },
    },
    rows: { csv: answers.fundamentals_csv, ndjson: answers.fundamentals_ndjson },
  },
  errors: ['licence_required', 'entity_cap_reached', 'entity_unknown', 'compute_busy', 'statement_timeout'],
  data: true,
})
