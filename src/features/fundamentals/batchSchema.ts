import { type Static, Type } from '@sinclair/typebox'
import { FundamentalsList, FundamentalsRow } from './schema.ts'

const strict = { additionalProperties: false } as const

export const FundamentalsCompany = Type.Object(
  {
    ticker: FundamentalsList.properties.ticker,
    issuer_id: FundamentalsList.properties.issuer_id,
    name: FundamentalsList.properties.name,
    market: FundamentalsList.properties.market,
    splits: FundamentalsList.properties.splits,
    symbol_assumed: FundamentalsList.properties.symbol_assumed,
    note: FundamentalsList.properties.note,
    count: Type.Integer({ description: 'Number of rows of this company in data.' }),
  },
  { ...strict, $id: 'FundamentalsCompany' },
)
export type FundamentalsCompany = Static<typeof FundamentalsCompany>

/** The response for several tickers: one company after the other, in the order of the request. */
export const FundamentalsBatch = Type.Object(
  {
    object: Type.Literal('fundamentals_list'),
    as_of: FundamentalsList.properties.as_of,
    view: FundamentalsList.properties.view,
    vintage: FundamentalsList.properties.vintage,
    data_version: FundamentalsList.properties.data_version,
    licence: FundamentalsList.properties.licence,
    attribution: FundamentalsList.properties.attribution,
    data: Type.Array(FundamentalsRow, {
      description:
        'One company after the other, in the order of the request, each with the rows of a single request.',
    }),
    companies: Type.Array(FundamentalsCompany, { description: 'In the order of the request.' }),
    count: FundamentalsList.properties.count,
  },
  { ...strict, $id: 'FundamentalsBatch' },
)
export type FundamentalsBatch = Static<typeof FundamentalsBatch>
