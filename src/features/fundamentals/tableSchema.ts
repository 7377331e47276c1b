import { type Static, Type } from '@sinclair/typebox'
import { type Column, columns } from '../../formats/columns.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { FundamentalsBatch } from './batchSchema.ts'
import { FundamentalsList, FundamentalsRow } from './schema.ts'

const strict = { additionalProperties: false } as const

/** A company's fiscal period: the fields below, and one for each metric. */
export const FundamentalsTableRow = Type.Object(
  {
    fy: FundamentalsRow.properties.fy,
    fp: FundamentalsRow.properties.fp,
    end: FundamentalsRow.properties.end,
    filed: Type.String({
      format: 'date',
      description: 'Day on which the last of these figures was filed: the row was known from then on.',
      examples: ['2010-01-25'],
    }),
    currency: Type.Union([Type.String(), Type.Null()], {
      description: 'Currency of the figures in money, several separated by spaces; null: none is in money.',
      examples: ['USD'],
    }),
    earlier: Type.Union([Type.String(), Type.Null()], {
      description:
        'The metrics whose figure is of an earlier generation (`generation` of the long layout), separated by spaces; null: none is.',
      examples: [null],
    }),
    ticker: FundamentalsRow.properties.ticker,
    issuer_id: FundamentalsRow.properties.issuer_id,
    source: FundamentalsRow.properties.source,
    known_by: Type.Optional({
      ...FundamentalsRow.properties.known_by,
      description:
        'Only if as_of is an instant. day: at least one of the figures counted from the end of its filing day.',
    }),
  },
  {
    additionalProperties: Type.Union([Type.Number(), Type.Null()], {
      description: 'The figure of a metric in this period; null: none.',
    }),
    $id: 'FundamentalsTableRow',
  },
)
export type FundamentalsTableRow = Static<typeof FundamentalsTableRow> &
  Readonly<Record<string, string | number | null>>

/** Columns of these rows in all formats. */
export const fundamentalsTableSheet = (metrics: readonly string[], asOf: AsOf | null = null): Column[] => [
  ...columns({ fy: 'whole', fp: 'text', end: 'day', filed: 'day' }),
  ...metrics.map(name => ({ name, kind: 'number' as const })),
  ...columns({ currency: 'text', earlier: 'text', ticker: 'text', issuer_id: 'text', source: 'text' }),
  ...(asOf !== null && isInstant(asOf) ? columns({ known_by: 'text' }) : []),
]

const tableMetrics = Type.Array(Type.String(), {
  description:
    'The columns: the metrics that were sent or, without metric, those of which there is a figure.',
  examples: [['revenue', 'net_income']],
})
const { object: _object, data: _data, count: _count, ...listProperties } = FundamentalsList.properties

export const FundamentalsTable = Type.Object(
  {
    object: Type.Literal('fundamentals_table'),
    metrics: tableMetrics,
    ...listProperties,
    count: Type.Integer({ description: 'Number of rows in data.' }),
    data: Type.Array(FundamentalsTableRow, {
      description: 'By end of the period, a quarter before the year.',
    }),
  },
  { ...strict, $id: 'FundamentalsTable' },
)
export type FundamentalsTable = Omit<Static<typeof FundamentalsTable>, 'data'> & {
  data: FundamentalsTableRow[]
}

const { object: _batch, data: _rows, ...batchProperties } = FundamentalsBatch.properties

export const FundamentalsTableBatch = Type.Object(
  {
    object: Type.Literal('fundamentals_table'),
    metrics: tableMetrics,
    ...batchProperties,
    data: Type.Array(FundamentalsTableRow, { description: 'One company after the other.' }),
  },
  { ...strict, $id: 'FundamentalsTableBatch' },
)
