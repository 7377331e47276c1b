import { type Static, Type } from '@sinclair/typebox'
import { type Column, columns } from '../../formats/columns.ts'
import { checkStates } from '../../markets/checkStates.ts'
import { companyKinds, standardStatements } from '../../standardLines/definition.ts'
import { companyFieldSchemas, FilingUsed, figureFields, orNull, periodFields, strict } from './schema.ts'

const StandardSource = Type.Object(
  {
    tag: Type.String({ examples: ['us-gaap:SalesRevenueNet'] }),
    label: orNull(Type.String(), "The company's own words; null if the source has none."),
  },
  { ...strict, $id: 'StandardSource' },
)

const StandardColumn = Type.Object(
  {
    period: Type.Object({ ...periodFields }, { ...strict, $id: 'StandardPeriod' }),
    accession: Type.String({ description: 'The filing whose presentation gives the column.' }),
    kind: Type.Union(
      companyKinds.map(kind => Type.Literal(kind)),
      {
        description:
          'The kind of company that the statements of this filing show, with the industry that was known by as_of.',
      },
    ),
  },
  { ...strict, $id: 'StandardColumn' },
)

const identityFields = {
  state: Type.Union(
    checkStates.map(state => Type.Literal(state)),
    {
      description:
        'proved: an identity that the filing itself (its calculation linkbase) or the schema of its register states holds to its rounding. consistent: an identity holds that every such statement must satisfy, that its lines show, or that the figure satisfies with other statements, the notes or earlier filings. contradicted: one does not hold. unchecked: none applies. A state follows from the filing of the column and those filed before it, so that no later filing changes it. A state never changes a value.',
    },
  ),
  identity: orNull(Type.String(), 'The identity that decides the state, in words; null if unchecked.'),
  difference: orNull(
    Type.String(),
    'What the identity lacks: its total minus the sum of its items, a plain decimal; null if unchecked.',
  ),
}

const { number, decimals, unit } = figureFields

const StandardCell = Type.Object(
  {
    value: Type.String({
      description:
        'A plain decimal with the sign that `sign` says, never rounded; the sum of the figures of `lines`.',
    }),
    number,
    decimals,
    unit,
    lines: Type.Array(StandardSource, {
      description: 'The lines of the presentation that give the value; several are added.',
    }),
    ...identityFields,
  },
  { ...strict, $id: 'StandardCell' },
)

const StandardLine = Type.Object(
  {
    name: Type.String({ description: 'Name of the standard line.', examples: ['revenue'] }),
    label: Type.String({ examples: ['Revenue'] }),
    parent: orNull(Type.String(), 'The standard line that contains this one; null for the outermost.'),
    sign: Type.Union(
      ['amount', 'cost', 'outflow', 'signed'].map(sign => Type.Literal(sign)),
      {
        description:
          'amount: as stated. cost: positive lowers profit or equity. outflow: positive is money paid. signed: positive is a gain, or money received.',
      },
    ),
    cells: Type.Array(Type.Union([StandardCell, Type.Null()]), {
      description: 'By column; null where the filing states no figure, or where the line has two readings.',
    }),
  },
  { ...strict, $id: 'StandardLine' },
)

const MissingLine = Type.Object(
  {
    name: Type.String({ examples: ['cost_of_revenue'] }),
    label: Type.String(),
    accession: Type.String({ description: 'The filing whose statement has two readings.' }),
    readings: Type.Array(StandardSource, {
      description: 'Each of these lines may be meant, or a part of what is meant, and nothing decides.',
    }),
  },
  { ...strict, $id: 'MissingStandardLine' },
)

const { ticker, issuer_id, market, ...more } = companyFieldSchemas

export const StandardStatementAnswer = Type.Object(
  {
    object: Type.Literal('standard_statement'),
    ticker,
    issuer_id,
    market,
    statement: Type.Union(standardStatements.map(name => Type.Literal(name))),
    view: Type.Literal('standard'),
    ...more,
    fy: periodFields.fy,
    fp: orNull(Type.String(), 'The fiscal period of the latest column; null if it is not known.'),
    filings: Type.Array(FilingUsed, {
      description: 'The filings that the answer was made from, the latest presentation first.',
    }),
    columns: Type.Array(StandardColumn),
    count: Type.Integer({ description: 'Number of lines in data.' }),
    data: Type.Array(StandardLine, { description: 'The standard lines with a figure in some column.' }),
    missing: Type.Array(MissingLine, {
      description: 'Lines with two readings, which therefore have no cells.',
    }),
  },
  { ...strict, $id: 'StandardStatement' },
)
export type StandardStatementAnswer = Static<typeof StandardStatementAnswer>

/** Columns of the cells in CSV, NDJSON and Parquet: one row per cell, and one per line with two readings. */
export const standardSheet = columns({
  ticker: 'text',
  statement: 'text',
  name: 'text',
  label: 'text',
  parent: 'text',
  sign: 'text',
  start: 'day',
  end: 'day',
  quarters: 'whole',
  fy: 'whole',
  fp: 'text',
  value: 'text',
  number: 'number',
  decimals: 'text',
  unit: 'text',
  state: 'text',
  identity: 'text',
  difference: 'text',
  tags: 'text',
  labels: 'text',
  missing: 'text',
  accession: 'text',
  filed: 'day',
}) satisfies readonly Column[]
export type StandardSheetColumn = (typeof standardSheet)[number]['name']
