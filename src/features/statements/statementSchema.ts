import { type Static, Type } from '@sinclair/typebox'
import { type Column, columns } from '../../formats/columns.ts'
import { statementNames } from '../../wholeFilings/kindOfStatement.ts'
import {
  companyFieldSchemas,
  companyParameters,
  Dimension,
  day,
  FilingUsed,
  figureFields,
  orNull,
  periodFields,
  periodParameters,
  strict,
} from './schema.ts'

export const maxFilings = 60
export const defaultFilings = 6

/** GET /api/v1/statements: a statement as presented, or under standard line names. */
export const StatementQuery = Type.Object(
  {
    ...companyParameters,
    statement: Type.Union(
      [
        Type.Literal('income'),
        Type.Literal('balance'),
        Type.Literal('cash_flow'),
        Type.Literal('equity'),
        Type.Literal('comprehensive'),
      ],
      {
        anyCase: true,
        description:
          'Which statement. If the company presents income and comprehensive income as one, income and comprehensive both show it.',
        examples: ['income'],
      },
    ),
    view: Type.Optional(
      Type.Union([Type.Literal('as_known'), Type.Literal('as_filed'), Type.Literal('standard')], {
        anyCase: true,
        default: 'as_known',
        examples: ['as_known'],
        description:
          'as_known: the latest presentation, by as_of, of the latest period or, with fp and fy, of that period, which a later filing may show beside its own; earlier filings of the same kind (annual or not) add further columns. as_filed: one filing alone, the latest by as_of that reports on the period, or the one in `accession`. standard: the columns of as_known under standard line names, for income, balance and cash_flow.',
      }),
    ),
    ...periodParameters,
    accession: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9:._/-]{1,80}$',
        allowed: 'the number of a filing, like 0001193125-10-012091',
        description: 'With view=as_filed: the filing. It must have been public by as_of.',
        examples: ['0001193125-10-012091'],
      }),
    ),
    filings: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxFilings,
        default: defaultFilings,
        description:
          'With view=as_known or standard: how many filings may give columns, the latest first. A note says if there are more.',
        examples: [defaultFilings],
      }),
    ),
  },
  strict,
)
export type StatementQuery = Static<typeof StatementQuery>

const Period = Type.Object({ ...periodFields }, { ...strict, $id: 'StatementPeriod' })

const StatementColumn = Type.Object(
  {
    period: Type.Union([Period, Type.Null()], {
      description: 'null in a statement of equity, whose columns are components.',
    }),
    dimensions: Type.Array(Dimension, {
      description: 'The component of equity; empty for the whole company and in all other statements.',
    }),
    accession: Type.String({ description: 'The filing that gives the column.' }),
  },
  { ...strict, $id: 'StatementColumn' },
)

const StatementCell = Type.Object(
  {
    ...figureFields,
    shown: orNull(
      Type.String(),
      'The value with the sign that the line shows: reversed if the line is `negated`.',
    ),
    accession: Type.String({ description: 'The filing that states it.' }),
  },
  { ...strict, $id: 'StatementCell' },
)

const OtherTag = Type.Object(
  {
    tag: Type.String({ examples: ['aapl:NontradeReceivables'] }),
    label: orNull(Type.String(), "The company's label under this tag."),
    accession: Type.String({ description: 'The latest filing with this tag.' }),
    equal_at: Type.Array(day('Last day of a period.'), {
      description:
        'How the line was recognised: in each of these periods both filings state the same value, which is not zero and on no other line of either.',
    }),
  },
  { ...strict, $id: 'OtherTag' },
)

const StatementLine = Type.Object(
  {
    line: Type.Integer({ description: 'Number of the line, from 1.', examples: [1] }),
    depth: orNull(
      Type.Integer(),
      'Depth in the presentation, 0 for its root; null if the source does not state it, as data sets do not.',
    ),
    label: orNull(Type.String(), "The company's own words; null if the source has none."),
    tag: Type.String({ examples: ['us-gaap:NetIncomeLoss'] }),
    heading: Type.Boolean({ description: 'A heading has no cells.' }),
    total: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether the filing itself says that the line is a total: by its calculation linkbase or the role of its label. null: its source is a data set, which does not say.',
    }),
    negated: Type.Boolean({ description: 'Whether the line shows values with the opposite sign.' }),
    opening: Type.Boolean({ description: 'Whether the line shows balances at the beginning of the period.' }),
    dimensions: Type.Array(Dimension, {
      description: 'The members to which the line belongs; empty for the whole company.',
    }),
    period: Type.Union([Period, Type.Null()], {
      description: 'In a statement of equity: the period of the line. null in all others.',
    }),
    accession: Type.String({
      description:
        'The latest of the filings in `filings` that presents the line; its label and sign are shown.',
    }),
    other_tags: Type.Array(OtherTag, {
      description:
        'Filings are joined line by line, by tag. Where the company renamed a tag of its own, the line is recognised by its values, and this names the former tags.',
    }),
    cells: Type.Array(Type.Union([StatementCell, Type.Null()]), {
      description: 'By column; null where the filing states no figure. Empty for a heading.',
    }),
  },
  { ...strict, $id: 'StatementLine' },
)

const { ticker, issuer_id, market, ...more } = companyFieldSchemas

export const StatementAnswer = Type.Object(
  {
    object: Type.Literal('statement'),
    ticker,
    issuer_id,
    market,
    statement: Type.Union(statementNames.map(name => Type.Literal(name))),
    view: Type.Union([Type.Literal('as_known'), Type.Literal('as_filed')]),
    ...more,
    title: orNull(
      Type.String(),
      'Title in the latest presentation; null if the source has none, as data sets do not.',
    ),
    combined: Type.Boolean({
      description: 'Whether the company presents income and comprehensive income as one statement.',
    }),
    fy: periodFields.fy,
    fp: orNull(Type.String(), 'The fiscal period of the latest column; null if it is not known.'),
    filings: Type.Array(FilingUsed, {
      description: 'The filings that the answer was made from, the latest presentation first.',
    }),
    columns: Type.Array(StatementColumn),
    count: Type.Integer({ description: 'Number of lines in data.' }),
    data: Type.Array(StatementLine, { description: 'The lines in the order of the presentation.' }),
  },
  { ...strict, $id: 'PresentedStatement' },
)
export type StatementAnswer = Static<typeof StatementAnswer>

/** Columns of the cells in CSV and Parquet: one row per cell, and one per heading. */
export const statementSheet = columns({
  ticker: 'text',
  statement: 'text',
  line: 'whole',
  depth: 'whole',
  label: 'text',
  tag: 'text',
  heading: 'text',
  total: 'text',
  negated: 'text',
  opening: 'text',
  dimensions: 'text',
  start: 'day',
  end: 'day',
  quarters: 'whole',
  fy: 'whole',
  fp: 'text',
  value: 'text',
  number: 'number',
  shown: 'text',
  decimals: 'text',
  unit: 'text',
  accession: 'text',
  filed: 'day',
}) satisfies readonly Column[]
export type StatementSheetColumn = (typeof statementSheet)[number]['name']
