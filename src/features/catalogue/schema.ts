import { type Static, Type } from '@sinclair/typebox'
import { DataVersionParameter } from '../../http/pinned.ts'
import { MetricDefinition, Sign } from '../../markets/metrics.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'

const strict = { additionalProperties: false } as const

export const MetricsQuery = Type.Object(
  {
    market: Type.Optional(MarketCode('Only metrics of this market, and what is said of it.')),
    data_version: DataVersionParameter,
  },
  strict,
)

const MetricOfMarket = Type.Object(
  {
    market: Type.String({ examples: ['US'] }),
    tags: Type.Array(Type.Array(Type.String()), {
      description:
        "The register's names of the metric. Tags of one group mean the same, the first in order of preference; a later group is used if a filing states none of an earlier one. Empty: computed.",
      examples: [[['us-gaap:Revenues', 'us-gaap:SalesRevenueNet']]],
    }),
    absence: Type.Union([Type.String(), Type.Null()], { description: 'Why it is often missing.' }),
    companies_examined: Type.Integer({
      description: 'Companies with figures that were examined, spread evenly over the market: at most 200.',
    }),
    companies: Type.Integer({ description: 'How many of these have a figure of the metric.' }),
    share: Type.Union([Type.Number(), Type.Null()], {
      description: 'companies / companies_examined; null: none was examined.',
      examples: [0.97],
    }),
  },
  { ...strict, $id: 'MetricOfMarket' },
)
export type MetricOfMarket = Static<typeof MetricOfMarket>

export const CatalogueMetric = Type.Object(
  {
    ...MetricDefinition.properties,
    sign: Sign,
    markets: Type.Array(MetricOfMarket),
  },
  { ...strict, $id: 'CatalogueMetric' },
)
export type CatalogueMetric = Static<typeof CatalogueMetric>

export const MetricList = Type.Object(
  {
    object: Type.Literal('metric_list'),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    data_version: Type.Integer(),
    count: Type.Integer({ description: 'Metrics in data.' }),
    data: Type.Array(CatalogueMetric, { description: 'In the order of the coverage index.' }),
    valuations: Type.Array(MetricDefinition, {
      description:
        'Metrics of a day that also take prices, which an operator imports: for as-of joins, score.asOf of backtests and GET /api/v1/fundamentals of a company, with the set of prices as `prices`.',
    }),
  },
  { ...strict, $id: 'MetricList' },
)
export type MetricList = Static<typeof MetricList>
