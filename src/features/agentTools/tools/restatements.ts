import { type Static, Type } from '@sinclair/typebox'
import { addDays } from '../../../dates.ts'
import { Restatement, RestatementList } from '../../restatements/schema.ts'
import { read, type ToolCall, ToolRefusal } from '../api.ts'
import {
  asOfArgument,
  dayArgument,
  listArguments,
  listFields,
  marketArgument,
  metricsArgument,
  originFields,
  periodFields,
  tickersArgument,
  versionArgument,
} from '../fields.ts'
import { companyIn, withNames } from '../names.ts'
import { fitRows, readPosition, requireSame, sizeOf } from '../pagination.ts'
import { limitForCapped, said } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { companyNames, given, notesOf, type ReadRow, readFigures, wordsOf } from './figures.ts'

const row = Restatement.properties
const list = RestatementList.properties
const filingNumber = Type.Optional(Type.String())

const Row = Type.Object({
  ticker: row.ticker,
  name: Type.Union([Type.String(), Type.Null()]),
  ...periodFields,
  filed_before: row.filed_before,
  value_before: row.value_before,
  unit_before: row.unit_before,
  accession_before: filingNumber,
  filed: said(row.filed, 'Day of the change.'),
  value: row.value,
  unit: row.unit,
  accession: filingNumber,
})
type Row = Static<typeof Row>

const { accession: _, accession_before: __, name: ___, ...readFields } = Row.properties
const ReadList = Type.Object({
  seen_only: list.seen_only,
  companies_left: list.companies_left,
  as_of: list.as_of,
  data_version: list.data_version,
  licence: list.licence,
  attribution: list.attribution,
  note: list.note,
  next: list.next,
  data: Type.Array(Type.Object(readFields)),
})

const Answer = Type.Object({
  ...originFields,
  note: Type.Optional(said(Type.String(), 'What to know of it.')),
  ...listFields,
  data: said(Type.Array(Row), 'One row per change.'),
})

const Input = Type.Object(
  {
    tickers: Type.Optional(tickersArgument(10)),
    market: Type.Optional(marketArgument),
    metrics: metricsArgument,
    since: Type.Optional(dayArgument('YYYY-MM-DD: only changes filed after this day.')),
    as_of: asOfArgument,
    ...versionArgument,
    ...listArguments,
  },
  { additionalProperties: false },
)
type Args = Static<typeof Input>

/** Companies that a page of a market covers. */
const pageCompanies = 500

export const getRestatements = defineTool({
  name: 'get_restatements',
  title: 'Figures that were changed',
  description:
    'Figures whose value a later filing changed, before and after: of companies (`tickers`), or of exactly one metric in all companies of a `market`.',
  input: Input,
  output: Answer,
  run: (args, call) => {
    const { tickers, market, metrics } = args
    if (tickers !== undefined && market === undefined) return ofCompanies(args, tickers, call)
    if (tickers === undefined && market !== undefined && metrics?.length === 1)
      return ofMarket(args, market, metrics[0], call)
    throw new ToolRefusal(
      'parameter_invalid',
      'Expected: either tickers, or market with exactly one metric in metrics.',
    )
  },
})

async function ofCompanies(
  args: Args,
  tickers: readonly string[],
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const position = readPosition(args)
  const { head, rows } = await readFigures(call, {
    ticker: tickers.join(','),
    view: 'history',
    as_of: args.as_of,
    fields: 'accession',
    data_version: args.data_version,
    metric: args.metrics?.join(','),
  })
  requireSame(position, head)
  const { as_of, data_version, attribution, licence, companies } = head
  const note = notesOf(companies)
  const names = new Map(companies.map(({ ticker, name }) => [ticker, name]))
  return fitRows({
    args,
    position,
    line: lineOf,
    nextPage: null,
    head: { as_of, data_version, attribution, ...given({ licence }), ...(note === '' ? {} : { note }) },
    title: `${companyNames(companies)}: figures that later filings changed, up to ${as_of}. ${note}`,
    rows: changesOf(rows)
      .filter(({ filed }) => args.since === undefined || filed > args.since)
      .map(one => ({ ...one, name: names.get(one.ticker) ?? null })),
    narrow: 'narrow with metrics or since',
  })
}

/**
 * Restatements as the API defines them: a vintage whose value or unit differs from that of the previous
 * vintage.
 */
function changesOf(rows: readonly ReadRow[]): Omit<Row, 'name'>[] {
  const periods = Map.groupBy(rows, ({ ticker, m, end, fp }) => `${ticker} ${m} ${end} ${fp}`)
  return [...periods.values()].flatMap(vintages =>
    vintages.slice(1).flatMap((after, position) => {
      const before = vintages[position]
      if (before.v === after.v && before.u === after.u) return []
      const { ticker, m, fy, fp, end, filed, v: value, u: unit } = after
      return {
        ticker,
        m,
        fy,
        fp,
        end,
        filed_before: before.filed,
        value_before: before.v,
        unit_before: before.u,
        ...given({ accession_before: before.accession ?? undefined }),
        filed,
        value,
        unit,
        ...given({ accession: after.accession ?? undefined }),
      }
    }),
  )
}

async function ofMarket(
  args: Args,
  market: string,
  metric: string,
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const position = readPosition(args)
  const readPage = (limit: number) =>
    read(call, ReadList, {
      path: '/api/v1/restatements',
      query: {
        metric,
        market: market.toUpperCase(),
        limit,
        from: args.since === undefined ? undefined : addDays(args.since, 1),
        as_of: args.as_of,
        data_version: args.data_version,
        cursor: position.page === '' ? undefined : position.page,
      },
    })
  const first = await readPage(pageCompanies)
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
  return fitRows({
    args,
    position,
    line: lineOf,
    nextPage: found.next,
    head: { as_of, data_version, attribution, ...given({ licence, note }) },
    title: `Changes of ${metric} in market ${market.toUpperCase()}, up to ${as_of}. ${note ?? ''}`,
    rows: named.map(one => {
      const { ticker, name, m, fy, fp, end, filed_before, value_before, unit_before } = one
      const { filed, value, unit } = one
      return { ticker, name, m, fy, fp, end, filed_before, value_before, unit_before, filed, value, unit }
    }),
    narrow: 'narrow with since',
  })
}

function lineOf(row: Row): string {
  const { m, fy, fp, end, filed_before, value_before, unit_before, filed, value, unit } = row
  return `${companyIn(row)}: ${m} ${fp} ${fy} (to ${end}): ${value_before} ${unit_before} (filed ${filed_before}) -> ${value} ${unit} (filed ${filed})`
}
