import { type Static, Type } from '@sinclair/typebox'
import { CrossSection, CrossSectionQuery, CrossSectionTable } from '../../crossSection/schema.ts'
import { read, type ToolCall } from '../api.ts'
import { asOfArgument, listArguments, marketArgument, metricName, versionArgument } from '../fields.ts'
import { limitForCapped, said } from '../schemas.ts'
import { given } from './figures.ts'

const query = CrossSectionQuery.properties
export const table = CrossSectionTable.properties
const cell = table.data.items.properties

export const ScreenInput = Type.Object(
  {
    market: marketArgument,
    metrics: Type.Array(metricName, {
      minItems: 1,
      maxItems: 8,
      description: 'The columns; get_coverage explains them.',
      examples: [['roe', 'revenue']],
    }),
    filters: Type.Optional(
      Type.Array(
        Type.Object(
          { metric: metricName, min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
          { additionalProperties: false },
        ),
        { maxItems: 8, description: 'Bounds; all hold.', examples: [[{ metric: 'roe', min: 0.2 }]] },
      ),
    ),
    sort_by: Type.Optional(
      Type.String({
        ...metricName,
        description:
          'One of metrics: ranks all that pass the filters, amounts within one currency. With an evaluation key each counts as seen, so filter first.',
      }),
    ),
    order: Type.Optional(
      Type.Union([Type.Literal('descending'), Type.Literal('ascending')], {
        default: 'descending',
        description: 'Of sort_by.',
      }),
    ),
    limit: Type.Optional(
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
        default: 'FY',
        description: 'The latest such period of each company.',
      }),
    ),
    as_of: asOfArgument,
    sector: Type.Optional(
      Type.String({ ...query.sector, description: 'First digits of the SIC code (US).' }),
    ),
    universe: Type.Optional(
      Type.String({
        ...query.universe,
        description:
          'Only companies in these states then: reporting, delisted, deregistered, ceased, unknown.',
      }),
    ),
    checks: Type.Optional(
      Type.String({
        description: 'Only figures in these states: proved, consistent, unchecked, contradicted.',
      }),
    ),
    max_age_days: Type.Optional(
      Type.Integer({
        ...query.max_age_days,
        description: 'Leaves out periods that ended earlier.',
        examples: [],
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
  filed: said(cell.filed, 'Known from this day.'),
  values: said(
    Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()])),
    'By metric; null: none.',
  ),
  unit: Type.Optional(said(Type.String(), 'Currency of amounts; unit of a single metric.')),
  older: Type.Optional(said(Type.String(), 'Metrics of an earlier period.')),
  earlier: Type.Optional(said(Type.String(), 'Metrics of before a restatement.')),
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
  ...page,
  object: CrossSection.properties.object,
  data: Type.Array(Type.Object({ ...head, value: Type.Number(), unit: Type.String() })),
})
const ReadTable = Type.Object({
  ...page,
  object: table.object,
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

/** Reads a page of up to this many companies, or fewer if the key may not see as many. */
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

/** Reads a page exactly as requested. */
function readExactly(
  args: ScreenArgs,
  limit: number,
  cursor: string | undefined,
  call: ToolCall,
): Promise<ReadPage> {
  return read(call, ReadPage, {
    path: '/api/v1/cross-section',
    query: {
      metric: args.metrics.join(','),
      market: args.market.toUpperCase(),
      limit,
      cursor,
      fp: args.fp,
      as_of: args.as_of,
      sector: args.sector,
      universe: args.universe,
      checks: args.checks,
      max_age_days: args.max_age_days,
      data_version: args.data_version,
      currency: args.currency,
      sort: sortOf(args),
      ...boundsOf(args.filters ?? []),
    },
  })
}

const sortOf = ({ sort_by, order }: ScreenArgs): string | undefined =>
  sort_by === undefined ? undefined : `${order === 'ascending' ? '' : '-'}${sort_by}`

/** All filters must hold, so the narrower of two bounds of a metric counts. */
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
      ticker,
      fy,
      fp,
      end,
      filed,
      values: { [metrics[0]]: value },
      unit,
    }))
  return found.data.map(row => {
    const { ticker, fy, fp, end, filed, currency, older, earlier } = row
    const values = metrics.map((name): [string, number | null] => {
      const value: unknown = Reflect.get(row, name)
      return [name, typeof value === 'number' ? value : null]
    })
    return {
      ticker,
      fy,
      fp,
      end,
      filed,
      values: Object.fromEntries(values),
      ...given({ unit: currency ?? undefined, older: older ?? undefined, earlier: earlier ?? undefined }),
    }
  })
}
