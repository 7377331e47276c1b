import { type Static, Type } from '@sinclair/typebox'
import { FrameList, FrameRow, FramesQuery } from '../../frames/schema.ts'
import { ReportedList, ReportedQuery } from '../../statements/reportedSchema.ts'
import { SegmentsAnswer, SegmentsQuery } from '../../statements/segmentsSchema.ts'
import { read, type ToolCall, ToolRefusal } from '../api.ts'
import {
  asOfArgument,
  listArguments,
  listFields,
  marketArgument,
  originFields,
  tickersArgument,
  versionArgument,
} from '../fields.ts'
import { companyIn, withNames } from '../names.ts'
import { fitRows, readPosition, requireSame, sizeOf } from '../pagination.ts'
import { limitForCapped, said } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { given, wordsOf } from './figures.ts'
import { companyOf, periodWords, readOriginFields } from './statement.ts'

const query = ReportedQuery.properties
const list = FrameList.properties
const figure = FrameRow.properties

const Row = Type.Object({
  ticker: figure.ticker,
  name: Type.Union([Type.String(), Type.Null()]),
  period: said(Type.String(), 'Or day of a balance.'),
  dimensions: Type.Optional(said(Type.Array(Type.String()), 'Axes with members.')),
  title: Type.Optional(Type.String()),
  label: Type.Optional(said(Type.Union([Type.String(), Type.Null()]), 'Of the member.')),
  part_of: Type.Optional(said(Type.String(), 'Member above it: not in the sum.')),
  value: said(Type.Union([Type.String(), Type.Null()]), 'Exactly as stated.'),
  u: figure.unit,
  total: Type.Optional(said(Type.Union([Type.String(), Type.Null()]), 'Of the company.')),
  difference: Type.Optional(said(Type.Union([Type.String(), Type.Null()]), 'total - sum of the members.')),
  filed: figure.filed,
  form: figure.form,
  accession: figure.accession,
})
type Row = Static<typeof Row>

const Answer = Type.Object({
  ...originFields,
  note: Type.Optional(said(Type.String(), 'What to know of it.')),
  ...listFields,
  data: said(Type.Array(Row), 'One row per figure and filing.'),
})

const ReadReported = Type.Object({
  ...readOriginFields,
  next: ReportedList.properties.next,
  data: ReportedList.properties.data,
})

const ReadSegments = Type.Object({
  ...readOriginFields,
  filing: SegmentsAnswer.properties.filing,
  data: SegmentsAnswer.properties.data,
})

const ReadFrame = Type.Object({
  as_of: list.as_of,
  data_version: list.data_version,
  licence: list.licence,
  attribution: list.attribution,
  note: list.note,
  seen_only: list.seen_only,
  companies_left: list.companies_left,
  next: list.next,
  data: Type.Array(Type.Object({ ...figure })),
})

const Input = Type.Object(
  {
    tag: Type.String({
      ...query.tag,
      description: 'As filings spell it; see get_statement.',
      examples: ['us-gaap:Assets'],
    }),
    tickers: Type.Optional(tickersArgument(1)),
    dimensions: Type.Optional(
      Type.String({ ...query.dimensions, description: 'none, all or an axis of figures.', examples: [] }),
    ),
    split_by: Type.Optional(
      Type.String({
        ...SegmentsQuery.properties.axis,
        description: 'product, geography, segment or an axis.',
        examples: [],
      }),
    ),
    market: Type.Optional(marketArgument),
    period: Type.Optional(
      Type.String({
        ...FramesQuery.properties.period,
        description: 'Calendar year CY2009, quarter CY2009Q1 or, of balances, its end CY2009Q1I.',
        examples: [],
      }),
    ),
    unit: Type.Optional(
      Type.String({
        ...FramesQuery.properties.unit,
        description: 'With market. Default: its currency.',
        examples: [],
      }),
    ),
    as_of: asOfArgument,
    ...versionArgument,
    ...listArguments,
  },
  { additionalProperties: false },
)
type Args = Static<typeof Input>

/** More rows never fit an answer. */
const pageRows = 300

export const getTag = defineTool({
  name: 'get_tag',
  title: 'Any figure of filings, by its tag',
  description:
    'Figures under any tag of filings, metric or not: of a company (`tickers`) through time, one row per filing; with split_by, its latest filing by product, region or segment; or of all companies of a `market` for one `period`.',
  input: Input,
  output: Answer,
  run: (args, call) => {
    const { tickers, market, period, dimensions, split_by: axis, unit } = args
    const isOfMarket = market !== undefined && period !== undefined
    if (tickers === undefined && dimensions === undefined && axis === undefined && isOfMarket)
      return ofMarket(args, { market, period }, call)
    const isOfCompany = market === undefined && period === undefined && unit === undefined
    if (tickers !== undefined && isOfCompany && axis === undefined) return ofCompany(args, tickers[0], call)
    if (tickers !== undefined && isOfCompany && axis !== undefined && dimensions === undefined)
      return splitOf(args, { ticker: tickers[0], axis }, call)
    throw new ToolRefusal(
      'parameter_invalid',
      'Expected: tickers, and dimensions or split_by if you like; or market and period, and unit if you like.',
    )
  },
})

async function ofCompany(
  args: Args,
  ticker: string,
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const position = readPosition(args)
  const found = await read(call, ReadReported, {
    path: '/api/v1/reported',
    query: {
      ticker,
      tag: args.tag,
      dimensions: args.dimensions,
      limit: pageRows,
      as_of: args.as_of,
      data_version: args.data_version,
      cursor: position.page === '' ? undefined : position.page,
    },
  })
  requireSame(position, found)
  const { ticker: id, name, ...head } = await companyOf(call, found, args.data_version)
  return fitRows({
    args,
    position,
    head,
    title: `${args.tag} of ${name ?? id}, as known on ${found.as_of}. ${head.note ?? ''}`,
    rows: found.data.map(
      (row): Row => ({
        ticker: id,
        name,
        period: periodWords(row),
        ...(row.dimensions.length === 0 ? {} : { dimensions: row.dimensions }),
        value: row.value,
        u: row.unit,
        filed: row.filed,
        form: row.form,
        accession: row.accession,
      }),
    ),
    line: lineOf(false),
    nextPage: found.next,
    narrow: 'send a larger max_characters',
  })
}

async function splitOf(
  args: Args,
  { ticker, axis }: { readonly ticker: string; readonly axis: string },
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const position = readPosition(args)
  const found = await read(call, ReadSegments, {
    path: '/api/v1/segments',
    query: { ticker, tag: args.tag, axis, as_of: args.as_of, data_version: args.data_version },
  })
  requireSame(position, found)
  const { ticker: id, name, ...head } = await companyOf(call, found, args.data_version)
  const { filing } = found
  const breakdowns = filing === null ? [] : found.data.map(breakdown => ({ filing, breakdown }))
  return fitRows({
    args,
    position,
    head,
    title: `${args.tag} of ${name ?? id} by ${axis}, as known on ${found.as_of}. ${head.note ?? ''}`,
    rows: breakdowns.flatMap(each => membersOf(each, { ticker: id, name })),
    line: lineOf(false),
    nextPage: null,
    narrow: 'send a larger max_characters',
  })
}

function membersOf(
  {
    filing: { filed, form, accession },
    breakdown,
  }: {
    readonly filing: Pick<Row, 'filed' | 'form' | 'accession'>
    readonly breakdown: SegmentsAnswer['data'][number]
  },
  company: Pick<Row, 'ticker' | 'name'>,
): Row[] {
  const { axis, title, total, difference, members } = breakdown
  return members.map(({ member, label, part_of, value, unit }) => ({
    ...company,
    period: periodWords(breakdown),
    dimensions: [`${axis}=${member}`],
    ...given({ title: title ?? undefined }),
    label,
    ...given({ part_of: part_of ?? undefined }),
    value,
    u: unit,
    total,
    difference,
    filed,
    form,
    accession,
  }))
}

async function ofMarket(
  args: Args,
  { market, period }: { readonly market: string; readonly period: string },
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const position = readPosition(args)
  const readPage = (limit: number) =>
    read(call, ReadFrame, {
      path: '/api/v1/frames',
      query: {
        tag: args.tag,
        period: period.toUpperCase(),
        unit: args.unit,
        market: market.toUpperCase(),
        limit,
        as_of: args.as_of,
        data_version: args.data_version,
        cursor: position.page === '' ? undefined : position.page,
      },
    })
  const first = await readPage(pageRows)
  const fewer = limitForCapped(first)
  const found = fewer === null ? first : await readPage(fewer)
  requireSame(position, found)
  const { as_of, data_version, attribution, licence } = found
  const note = wordsOf(found.note)
  const named = await withNames(call, found.data, {
    skip: position.skip,
    max: sizeOf(args),
    version: args.data_version,
  })
  const months = period.length === 6 ? 12 : period.length === 8 ? 3 : 0
  return fitRows({
    args,
    position,
    head: { as_of, data_version, attribution, ...given({ licence, note }) },
    title: `${args.tag} in market ${market.toUpperCase()}, ${period.toUpperCase()}, as known on ${as_of}. ${note ?? ''}`,
    rows: named.map(
      (row): Row => ({
        ticker: row.ticker,
        name: row.name,
        period: periodWords({ start: null, end: row.end, quarters: months / 3 }),
        value: String(row.value),
        u: row.unit,
        filed: row.filed,
        form: row.form,
        accession: row.accession,
      }),
    ),
    line: lineOf(true),
    nextPage: found.next,
    narrow: 'send a larger max_characters',
  })
}

const lineOf =
  (isOfMarket: boolean) =>
  (row: Row): string => {
    const { period, dimensions = [], label, value, u, total, filed, form } = row
    const of = isOfMarket ? `${companyIn(row)}, ` : ''
    const part = label ?? dimensions.join(', ')
    const whole = total === undefined || total === null ? '' : ` of ${total}`
    return `${of}${period}${part === '' ? '' : `, ${part}`}: ${value ?? 'none'}${whole} ${u}, ${form} filed ${filed}`
  }
