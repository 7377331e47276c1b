import { type Static, type TInteger, Type } from '@sinclair/typebox'
import { DataVersionParameter } from '../../http/pinned.ts'
import { type CheckState, checkStates } from '../../markets/checkStates.ts'
import { Manifest } from '../../markets/manifest.ts'
import { MetricDefinition } from '../../markets/metrics.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import { RegisterFreshness } from '../syncs/freshness.ts'

const strict = { additionalProperties: false } as const
const day = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.Null()], { description })

export const maxCoverageLimit = 1_000
export const defaultCoverageLimit = 100

export const CoverageMarket = Type.Object(
  {
    code: Type.String({ examples: ['US'] }),
    name: Type.String({ examples: ['United States'] }),
    status: Manifest.properties.status,
    entities: Type.Integer({ description: 'Number of known companies, with or without figures.' }),
    first_filed: day('Filing day of the earliest filing on record; null if there is none.'),
    last_filed: day('Filing day of the latest filing on record; null if there is none.'),
    sync: Type.Union([RegisterFreshness, Type.Null()], {
      description:
        'How current the market is. Null: it was never fetched from its register, because its data was imported from files, or the request names a data_version.',
    }),
  },
  { ...strict, $id: 'CoverageMarket' },
)
export type CoverageMarket = Static<typeof CoverageMarket>

export const CoverageMetric = Type.Object(
  {
    ...MetricDefinition.properties,
    markets: Type.Array(Type.String(), { description: 'Markets whose register reports this metric.' }),
  },
  { ...strict, $id: 'CoverageMetric' },
)
export type CoverageMetric = Static<typeof CoverageMetric>

export const CoverageTicker = Type.Object(
  {
    ticker: Type.String({ description: 'ID to send.', examples: ['GOOGL'] }),
    issuer_id: Type.String({ examples: ['0001652044'] }),
    name: Type.Union([Type.String(), Type.Null()], { examples: ['Alphabet Inc.'] }),
    market: Type.String({ examples: ['US'] }),
    aliases: Type.Array(Type.String(), {
      description: 'Other IDs of the same company.',
      examples: [['GOOG']],
    }),
  },
  { ...strict, $id: 'CoverageTicker' },
)
export type CoverageTicker = Static<typeof CoverageTicker>

export const CoverageIndex = Type.Object(
  {
    object: Type.Literal('coverage'),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    data_version: Type.Integer(),
    markets: Type.Array(CoverageMarket),
    manifests: Type.Array(Manifest, { description: 'How to read the figures of each market.' }),
    metrics: Type.Array(CoverageMetric, { description: 'Every metric that `metric` accepts.' }),
    tickers: Type.Object(
      {
        count: Type.Integer({ description: 'Tickers on this page; `markets` has the totals.' }),
        data: Type.Array(CoverageTicker, { description: 'Ordered by market and ticker.' }),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'Send it as `cursor` for the next page; null on the last page.',
        }),
      },
      { ...strict, $id: 'CoverageTickers' },
    ),
  },
  { ...strict, $id: 'CoverageIndex' },
)
export type CoverageIndex = Static<typeof CoverageIndex>

export const CoverageCheckParams = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Any ID that the register uses: a ticker, an SEC CIK, a Korean corporate code, a company number with or without suffix.',
      examples: ['0000320193'],
    }),
  },
  strict,
)
export type CoverageCheckParams = Static<typeof CoverageCheckParams>

export const CoverageCheckQuery = Type.Object({ data_version: DataVersionParameter }, strict)

const StateCounts = Type.Object(
  Object.fromEntries(checkStates.map(state => [state, Type.Integer()])) as Record<CheckState, TInteger>,
  {
    ...strict,
    $id: 'StateCounts',
    description: 'How many of the figures that are current today are in each state of the parameter checks.',
  },
)

export const CheckCoverageQuery = Type.Object(
  { market: MarketCode('Market code.'), data_version: DataVersionParameter },
  strict,
)

export const MetricStates = Type.Object(
  {
    m: Type.String({ description: 'Metric.', examples: ['revenue'] }),
    figures: Type.Integer({ description: 'Figures that are current today, of all periods.' }),
    checks: StateCounts,
  },
  { ...strict, $id: 'MetricStates' },
)
export type MetricStates = Static<typeof MetricStates>

export const CheckCoverage = Type.Object(
  {
    object: Type.Literal('check_coverage'),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    market: Type.String({ examples: ['US'] }),
    data_version: Type.Integer(),
    count: Type.Integer({ description: 'Metrics in data.' }),
    data: Type.Array(MetricStates),
  },
  { ...strict, $id: 'CheckCoverage' },
)
export type CheckCoverage = Static<typeof CheckCoverage>

export const MetricCoverage = Type.Object(
  {
    m: Type.String({ description: 'Metric.', examples: ['revenue'] }),
    periods: Type.Integer({ description: 'Number of distinct periods with a figure.' }),
    first_end: Type.String({ format: 'date', description: 'End of the earliest period.' }),
    last_end: Type.String({ format: 'date', description: 'End of the latest period.' }),
    first_filed: Type.String({ format: 'date' }),
    last_filed: Type.String({ format: 'date' }),
    checks: StateCounts,
  },
  { ...strict, $id: 'MetricCoverage' },
)
export type MetricCoverage = Static<typeof MetricCoverage>

export const CoverageCheck = Type.Object(
  {
    object: Type.Literal('coverage_check'),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    id: Type.String({ description: 'The ID that was sent.', examples: ['320193'] }),
    ticker: Type.String({ description: 'The ID to send as `ticker`.', examples: ['AAPL'] }),
    issuer_id: Type.String({ examples: ['0000320193'] }),
    name: Type.Union([Type.String(), Type.Null()], { examples: ['Apple Inc.'] }),
    market: Type.String({ examples: ['US'] }),
    aliases: Type.Array(Type.String(), { description: 'Other IDs of the same company.' }),
    former_ids: Type.Array(Type.String(), {
      description: 'IDs that the company had before. They stay valid, unless another company has one today.',
    }),
    also: Type.Optional(
      Type.Array(Type.String(), {
        description: 'IDs of other companies with the same number in another register.',
      }),
    ),
    data_version: Type.Integer(),
    first_filed: day('Null: no figures.'),
    last_filed: day('Null: no figures.'),
    note: Type.Optional(
      Type.String({ description: 'Why there are no figures, or what is assumed about the ID.' }),
    ),
    count: Type.Integer({ description: 'Metrics in data.' }),
    data: Type.Array(MetricCoverage),
  },
  { ...strict, $id: 'CoverageCheck' },
)
export type CoverageCheck = Static<typeof CoverageCheck>
