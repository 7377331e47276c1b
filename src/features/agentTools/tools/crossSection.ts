import { type Static, Type } from '@sinclair/typebox'
import { CrossSection, CrossSectionQuery, CrossSectionTable } from '../../crossSection/schema.ts'
import { read, type ToolCall } from '../api.ts'
import { limitForCapped, listArguments, versionArgument } from '../schemas.ts'
import { given } from './figures.ts'

const query = CrossSectionQuery.properties
export const table = CrossSectionTable.properties
const cell = table.data.items.properties
const metricName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]*$' })

export const ScreenInput = Type.Object(
  {
    market: Type.String({
      pattern: '^[A-Za-z]{2}$',
      description: 'Market code: BE, DK, FR, JP, KR, NZ, TW or US. One market a call.',
    }),
    metrics: Type.Array(metricName, {
      minItems: 1,
      maxItems: 8,
      description: 'The columns, up to 8 metrics, for example ["roe", "revenue"].',
    }),
    filters: Type.Optional(
      Type.Array(
        Type.Object(
          { metric: metricName, min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
          { additionalProperties: false },
        ),
        {
          maxItems: 8,
          description:
            'Bounds, for example [{"metric": "roe", "min": 0.2}]. Ratios are fractions, amounts are in full units of the currency.',
        },
      ),
    ),
    sort_by: Type.Optional(
      Type.String({
        ...metricName,
        description:
          'One of metrics: ranks all companies of the market that pass the filters by it, amounts within one currency.',
      }),
    ),
    order: Type.Optional(
      Type.Union([Type.Literal('descending'), Type.Literal('ascending')], {
        description: 'Of sort_by. Default descending.',
      }),
    ),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'With sort_by: only so many of the ranking. Default: all.',
      }),
    ),
    currency: Type.Optional(
      Type.String({
        ...query.currency,
        description:
          "Only companies whose amounts are in this currency. Default where amounts are ranked or filtered: the market's own.",
      }),
    ),
    fp: Type.Optional(
      Type.Union(query.fp.anyOf, {
        anyCase: true,
        description: 'FY: the latest full year of each company (default). Q1 to Q4, TTM or latest.',
      }),
    ),
    as_of: Type.Optional(
      Type.String({
        ...query.as_of,
        description:
          'Only what was filed on or before this day, as YYYY-MM-DD. Default today. Needs a licence.',
      }),
    ),
    sector: Type.Optional(
      Type.String({
        ...query.sector,
        description: 'Only companies whose SIC code begins with these digits (US).',
      }),
    ),
    max_age_days: Type.Optional(
      Type.Integer({
        ...query.max_age_days,
        description:
          'Leaves out companies whose period ended more than so many days before as_of. 550 leaves out those that stopped filing.',
      }),
    ),
    ...versionArgument,
    ...listArguments,
  },
  { additionalProperties: false },
)
export type ScreenArgs = Static<typeof ScreenInput>

export const ScreenRow = Type.Object({
  ticker: cell.ticker,
  fy: cell.fy,
  fp: cell.fp,
  end: cell.end,
  filed: cell.filed,
  values: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
    description: 'The figure of each metric; null: the company has none.',
  }),
  unit: Type.Optional(Type.String({ description: 'Currency of the amounts; of a single metric its unit.' })),
  older: Type.Optional(
    Type.String({ description: 'Metrics whose figure is of an earlier period, with its end.' }),
  ),
  earlier: Type.Optional(
    Type.String({ description: 'Metrics whose figure is of before a restatement of its inputs.' }),
  ),
})
export type ScreenRow = Static<typeof ScreenRow>

const page = {
  seen_only: table.seen_only,
  companies_left: table.companies_left,
  as_of: table.as_of,
  data_version: table.data_version,
  licence: table.licence,
  attribution: table.attribution,
  note: table.note,
  next: table.next,
}
const text = Type.Union([Type.String(), Type.Null()])
const head = { ticker: cell.ticker, fy: cell.fy, fp: cell.fp, end: cell.end, filed: cell.filed }
const ReadSingle = Type.Object({
  ...{ ...page, object: CrossSection.properties.object },
  data: Type.Array(Type.Object({ ...head, value: Type.Number(), unit: Type.String() })),
})
const ReadTable = Type.Object({
  ...{ ...page, object: table.object },
  data: Type.Array(
    Type.Object(
      { ...head, currency: text, earlier: text, older: text },
      { additionalProperties: Type.Unknown() },
    ),
  ),
})
const ReadPage = Type.Union([ReadSingle, ReadTable])
export type ReadPage = Static<typeof ReadPage>

export interface Found {
  readonly page: ReadPage
  readonly rows: readonly ScreenRow[]
  readonly nextPage: string | null
}

/** A page of at most so many companies, of fewer where the key may not see as many. */
export async function readPage(
  args: ScreenArgs,
  limit: number,
  cursor: string | undefined,
  call: ToolCall,
): Promise<ReadPage> {
  const found = await readExactly(args, limit, cursor, call)
  const fewer = limitForCapped(found)
  return fewer === null ? found : readExactly(args, Math.min(limit, fewer), cursor, call)
}

/** A page as the API answers it. */
function readExactly(
  args: ScreenArgs,
  limit: number,
  cursor: string | undefined,
  call: ToolCall,
): Promise<ReadPage> {
  return read(call, ReadPage, {
    path: '/api/v1/cross-section',
    query: {
      ...{ metric: args.metrics.join(','), market: args.market.toUpperCase(), limit, cursor },
      ...{ fp: args.fp, as_of: args.as_of, sector: args.sector, max_age_days: args.max_age_days },
      ...{ data_version: args.data_version, currency: args.currency, sort: sortOf(args) },
      ...boundsOf(args.filters ?? []),
    },
  })
}

const sortOf = ({ sort_by, order }: ScreenArgs): string | undefined =>
  sort_by === undefined ? undefined : `${order === 'ascending' ? '' : '-'}${sort_by}`

/** All filters hold, so of two bounds of one metric the narrower one. */
function boundsOf(filters: NonNullable<ScreenArgs['filters']>): Record<string, number> {
  const bounds: Record<string, number> = {}
  for (const { metric, min, max } of filters) {
    const [lower, upper] = [`min_${metric}`, `max_${metric}`]
    if (min !== undefined) bounds[lower] = Math.max(min, bounds[lower] ?? min)
    if (max !== undefined) bounds[upper] = Math.min(max, bounds[upper] ?? max)
  }
  return bounds
}

export function rowsOf(metrics: readonly string[], found: ReadPage): ScreenRow[] {
  if (found.object === 'cross_section')
    return found.data.map(({ ticker, fy, fp, end, filed, value, unit }) => ({
      ...{ ticker, fy, fp, end, filed },
      ...{ values: { [metrics[0]]: value }, unit },
    }))
  return found.data.map(row => {
    const { ticker, fy, fp, end, filed, currency, older, earlier } = row
    const values = metrics.map((name): [string, number | null] => {
      const value: unknown = Reflect.get(row, name)
      return [name, typeof value === 'number' ? value : null]
    })
    return {
      ...{ ticker, fy, fp, end, filed, values: Object.fromEntries(values) },
      ...given({ unit: currency ?? undefined, older: older ?? undefined, earlier: earlier ?? undefined }),
    }
  })
}
