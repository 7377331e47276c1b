import { type Static, Type } from '@sinclair/typebox'
import { lengthName, type StatedPeriod } from '../../statements/periodLength.ts'
import { FilingUsed } from '../../statements/schema.ts'
import { maxFilings, StatementAnswer, StatementQuery } from '../../statements/statementSchema.ts'
import { read } from '../api.ts'
import {
  asOfArgument,
  listArguments,
  listFields,
  originFields,
  tickersArgument,
  versionArgument,
} from '../fields.ts'
import { namesOf } from '../names.ts'
import { fitRows, readPosition, requireSame } from '../pagination.ts'
import { said, shownAs } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { given, wordsOf } from './figures.ts'

const query = StatementQuery.properties
const answer = StatementAnswer.properties

export const readOriginFields = {
  ticker: answer.ticker,
  as_of: answer.as_of,
  data_version: answer.data_version,
  licence: answer.licence,
  attribution: answer.attribution,
  note: answer.note,
}
type ReadOrigin = Static<ReturnType<typeof originObject>>
const originObject = () => Type.Object(readOriginFields)

/** The same fields of a response, with the name of the company. */
export async function companyOf(
  call: Parameters<typeof namesOf>[0],
  { ticker, as_of, data_version, licence, attribution, note }: ReadOrigin,
  version: number | undefined,
) {
  const names = await namesOf(call, [ticker], version)
  const name = names.get(ticker) ?? null
  return { as_of, data_version, attribution, ticker, name, ...given({ licence, note: wordsOf(note) }) }
}

/** `3 months to 2025-03-29`, or for a balance only its day. */
export function periodWords(period: StatedPeriod): string {
  const length = lengthName(period)
  return length === null ? period.end : `${length} to ${period.end}`
}

const ReadAnswer = Type.Object({
  ...readOriginFields,
  title: answer.title,
  filings: answer.filings,
  columns: answer.columns,
  data: answer.data,
})

const { accession, form, filed, url } = FilingUsed.properties
const Filing = Type.Object({ accession, form, filed, url })

const Column = Type.Object({
  period: Type.Union([Type.String(), Type.Null()]),
  component: Type.Optional(Type.String()),
  accession,
})

const Row = Type.Object({
  line: Type.Integer(),
  depth: Type.Optional(Type.Integer()),
  label: Type.Union([Type.String(), Type.Null()]),
  tag: Type.String(),
  total: Type.Optional(Type.Boolean()),
  of: Type.Optional(said(Type.String(), 'Member or, in equity, period of the line.')),
  u: Type.Optional(Type.String()),
  values: Type.Optional(
    said(Type.Array(Type.Union([Type.String(), Type.Null()])), 'By column, signed as shown.'),
  ),
})
type Row = Static<typeof Row>

const Answer = Type.Object({
  ...originFields,
  ticker: said(answer.ticker, 'Company.'),
  name: said(Type.Union([Type.String(), Type.Null()]), 'Its name.'),
  note: Type.Optional(said(Type.String(), 'What to know of it.')),
  title: said(answer.title, 'Of the statement.'),
  filings: shownAs(Type.Array(Filing), 'array', 'Sources, the latest first.'),
  columns: shownAs(Type.Array(Column), 'array', 'Of values: period, or component of equity, and filing.'),
  ...listFields,
  data: said(Type.Array(Row), 'One row per line.'),
})

export const getStatement = defineTool({
  name: 'get_statement',
  title: 'A statement as presented',
  description:
    'A statement of a company as it presented it: every line, in its own words and order, with exact values. get_tag follows the tag of a line.',
  input: Type.Object(
    {
      tickers: tickersArgument(1),
      statement: Type.Union(query.statement.anyOf, { description: 'Which one.' }),
      fp: Type.Optional(Type.Union(query.fp.anyOf, { description: 'Default: the latest.' })),
      fy: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{3}$', description: 'Fiscal year.' })),
      accession: Type.Optional(
        Type.String({ ...query.accession, description: 'Of one filing, as it was filed.', examples: [] }),
      ),
      filings: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxFilings,
          default: 1,
          description: 'How many may give columns.',
        }),
      ),
      as_of: asOfArgument,
      ...versionArgument,
      ...listArguments,
    },
    { additionalProperties: false },
  ),
  output: Answer,
  run: async (args, call) => {
    const position = readPosition(args)
    const isKnown = args.accession === undefined
    const found = await read(call, ReadAnswer, {
      path: '/api/v1/statements',
      query: {
        ticker: args.tickers[0],
        statement: args.statement,
        view: isKnown ? 'as_known' : 'as_filed',
        fp: args.fp,
        fy: args.fy,
        accession: args.accession,
        filings: args.filings ?? (isKnown ? 1 : undefined),
        as_of: args.as_of,
        data_version: args.data_version,
      },
    })
    requireSame(position, found)
    const { columns, title } = found
    const company = await companyOf(call, found, args.data_version)
    const shown = columns.map(({ period, dimensions, accession }) => ({
      period: period === null ? null : periodWords(period),
      ...(period === null ? { component: membersOf(dimensions) || 'Total' } : {}),
      accession,
    }))
    const heads = shown.map(({ period, component }) => period ?? component).join(' | ')
    return fitRows({
      args,
      position,
      head: {
        ...company,
        title,
        filings: found.filings.map(({ accession, form, filed, url }) => ({ accession, form, filed, url })),
        columns: shown,
      },
      title: `${company.name ?? company.ticker}: ${title ?? args.statement}, as known on ${found.as_of}. ${company.note ?? ''}\nColumns: ${heads}`,
      rows: found.data.map(rowOf),
      line: lineOf,
      nextPage: null,
      narrow: 'send a larger max_characters',
    })
  },
})

const membersOf = (dimensions: StatementAnswer['data'][number]['dimensions']) =>
  dimensions.map(({ label, member }) => label ?? member).join(', ')

function rowOf({
  line,
  depth,
  label,
  tag,
  total,
  dimensions,
  period,
  cells,
}: StatementAnswer['data'][number]): Row {
  const of = [membersOf(dimensions), period === null ? '' : periodWords(period)].filter(part => part !== '')
  const unit = cells.find(cell => cell !== null)?.unit
  return {
    line,
    ...(depth === null ? {} : { depth }),
    label,
    tag,
    ...(total === true ? { total } : {}),
    ...(of.length === 0 ? {} : { of: of.join(', ') }),
    ...given({ u: unit }),
    ...(cells.length === 0 ? {} : { values: cells.map(cell => cell?.shown ?? null) }),
  }
}

const lineOf = ({ line, label, tag, of, u, values }: Row) =>
  `${line} ${label ?? tag}${of === undefined ? '' : ` (${of})`}${values === undefined ? '' : `: ${values.map(value => value ?? '-').join(' | ')} ${u}`}`
