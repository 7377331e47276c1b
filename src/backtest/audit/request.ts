import { type Static, Type } from '@sinclair/typebox'
import { AsOfJoinRequest, DataVersionSchema, MaxAgeSchema } from '../asOf/request.ts'
import { AsOfPeriodSchema } from '../figureScore.ts'
import { BacktestConfig } from '../request.ts'

const strict = { additionalProperties: false } as const

export const maxAuditedColumns = 20

/** The most companies of an audit with columns of tags or standard lines, whose figures are read from whole filings. */
export const maxFiledCompanies = 500

/** The scales of a column: one unit of it is so many of the unit in which the company reports. */
export const auditScales = [1, 1e3, 1e6, 1e9, 1e-2, 1e-3, 1e-6] as const

/** How a column is to be read. Whatever is left out is found from its name and its values. */
export const AuditColumnSettings = Type.Object(
  {
    metric: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        allowed: 'the name of a metric, in lower case',
        description: 'A metric from the coverage index. Send one of metric, tag and line.',
        examples: ['revenue'],
      }),
    ),
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: `A tag of a taxonomy, as filings use it: the figures of the whole company that each filing states. fp is FY for years, Q for quarters and instants, or latest; there are no trailing twelve months. For rows with dates of at most ${maxFiledCompanies} companies, with their predecessors and successors.`,
        examples: ['us-gaap:Revenues'],
      }),
    ),
    line: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}$',
        allowed: 'the name of a standard line, in lower case',
        description:
          'A line of the standard statements: the figures that each filing presents on this line of its own statement. Bounds as for tag.',
        examples: ['inventory'],
      }),
    ),
    fp: Type.Optional({ ...AsOfPeriodSchema, default: undefined }),
    scale: Type.Optional(
      Type.Union(
        auditScales.map(scale => Type.Literal(scale)),
        {
          description: `How many units one of the column stands for, ${auditScales.slice(0, -1).join(', ')} or ${auditScales.at(-1)}: 1000000 for millions, 0.01 for per cent.`,
          examples: [1e6],
        },
      ),
    ),
    sign: Type.Optional(
      Type.Union([Type.Literal(1), Type.Literal(-1)], {
        description: '-1: the column has the opposite sign of the filings.',
      }),
    ),
    splits: Type.Optional(
      Type.Union([Type.Literal('as_filed'), Type.Literal('adjusted')], {
        description:
          'For figures per share. as_filed: as the filings state them. adjusted: divided by the splits after the date. Dividing by a later split tells the future, but not about the company’s figures, so such cells count as rounded.',
      }),
    ),
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        allowed: 'a currency such as USD',
        description: 'Only figures in this currency are compared.',
        examples: ['USD'],
      }),
    ),
  },
  { ...strict, $id: 'AuditColumnSettings' },
)
export type AuditColumnSettings = Static<typeof AuditColumnSettings>

export const AuditExtra = Type.Union([Type.Literal('filing'), Type.Literal('filed'), Type.Literal('end')])
export type AuditExtra = Static<typeof AuditExtra>

const settings = {
  columns: Type.Optional(
    Type.Record(
      Type.String({ minLength: 1, maxLength: 128 }),
      Type.Union([Type.String({ minLength: 1, maxLength: 256 }), AuditColumnSettings]),
      {
        maxProperties: maxAuditedColumns,
        description:
          'The columns to audit, by name: the name of a metric, a tag such as us-gaap:InventoryNet, or an object that says how the column is to be read. By default, every column of numbers is audited, and what it contains is found from its name and its values. Other columns are left alone.',
        examples: [{ sales: 'revenue', eps: { metric: 'eps', fp: 'TTM' }, stock: 'us-gaap:InventoryNet' }],
      },
    ),
  ),
  inclusive: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'false: a figure is known on the days after its filing day. true: also on that day itself.',
    }),
  ),
  max_age_days: Type.Optional(MaxAgeSchema),
  with: Type.Optional(
    Type.Array(AuditExtra, {
      uniqueItems: true,
      maxItems: 3,
      description:
        'Further columns about the figure that a cell was found to be: `<column>_filing`, the accession of its filing, `<column>_filed`, the day of that filing, and `<column>_end`, the last day of its period.',
      examples: [['filing', 'filed']],
    }),
  ),
  forward_return: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'The name of the column of forward returns, as fractions. By default `forward_return`, if the rows have it. It gives the look-ahead premium.',
      examples: ['forward_return'],
    }),
  ),
  config: Type.Optional(BacktestConfig),
  data_version: Type.Optional(DataVersionSchema),
}

export const AuditSettings = Type.Object(settings, strict)
export type AuditSettings = Static<typeof AuditSettings>

export const AuditRequest = Type.Object(
  {
    rows: AsOfJoinRequest.properties.rows,
    ...settings,
  },
  { ...strict, $id: 'AuditRequest' },
)

/** More rows are audited as a job. */
export const maxSynchronousRows = 200_000
