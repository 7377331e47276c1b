import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../../dates.ts'
import { Restatement, RestatementList } from '../../restatements/schema.ts'
import { read, type ToolCall, ToolRefusal } from '../api.ts'
import { fitRows, readPlace, requireSame } from '../pages.ts'
import { limitForCapped, listArguments, listFields, listOf, versionArgument } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { companyNames, given, notesOf, type ReadRow, readFigures } from './figures.ts'

const row = Restatement.properties
const list = RestatementList.properties
const filingNumber = Type.Optional(Type.String({ description: 'The filing, where a ticker was sent.' }))

const Row = Type.Object({
  ticker: row.ticker,
  m: row.m,
  fy: row.fy,
  fp: row.fp,
  end: row.end,
  filed_before: row.filed_before,
  value_before: row.value_before,
  unit_before: row.unit_before,
  accession_before: filingNumber,
  filed: row.filed,
  value: row.value,
  unit: row.unit,
  accession: filingNumber,
})
type Row = Static<typeof Row>

const { accession: _, accession_before: __, ...readFields } = Row.properties
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
  as_of: list.as_of,
  data_version: list.data_version,
  licence: list.licence,
  attribution: list.attribution,
  note: list.note,
  ...listFields,
  data: Type.Array(Row),
})

const Input = Type.Object(
  {
    ticker: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
        description: 'One company, or market and one metric instead.',
      }),
    ),
    market: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        description: 'All companies of a market, like US; with exactly one metric.',
      }),
    ),
    metrics: listOf('Metrics; with market exactly one', 'revenue', 20),
    from: Type.Optional(IsoDateSchema('Only changes filed on or after this day.', '2010-01-01')),
    as_of: Type.Optional(
      IsoDateSchema('Only changes filed on or before this day. Default today.', '2010-03-31'),
    ),
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
    'Figures whose value a later filing changed: value and day before, value and day after. Of one company (`ticker`), or of one metric in all companies of a market ("who restated revenue in the first quarter of 2010"). Nothing filed after as_of is seen.',
  input: Input,
  output: Answer,
  run: (args, call) => {
    const { ticker, market, metrics } = args
    if (ticker !== undefined && market === undefined) return ofCompany(args, ticker, call)
    if (ticker === undefined && market !== undefined && metrics?.length === 1)
      return ofMarket(args, market, metrics[0], call)
    throw new ToolRefusal(
      'parameter_invalid',
      'get_restatements takes either ticker, or market with exactly one metric in metrics.',
    )
  },
})

async function ofCompany(
  args: Args,
  ticker: string,
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const place = readPlace(args)
  const { head, rows } = await readFigures(call, {
    ...{ ticker, view: 'history', as_of: args.as_of, fields: 'accession' },
    data_version: args.data_version,
    metric: args.metrics?.join(','),
  })
  requireSame(place, head)
  const { as_of, data_version, attribution, licence, companies } = head
  const note = notesOf(companies)
  return fitRows({
    ...{ args, place, line: lineOf, nextPage: null },
    head: { as_of, data_version, attribution, ...given({ licence }), ...(note === '' ? {} : { note }) },
    title: `${companyNames(companies)}: figures that later filings changed, up to ${as_of}. ${note}`,
    rows: changesOf(rows).filter(({ filed }) => args.from === undefined || filed >= args.from),
    narrow: 'narrow with metrics or from',
  })
}

/** As the API defines a restatement: a vintage whose value or unit differs from that of the vintage before it. */
function changesOf(rows: readonly ReadRow[]): Row[] {
  const periods = Map.groupBy(rows, ({ m, end, fp }) => `${m} ${end} ${fp}`)
  return [...periods.values()].flatMap(vintages =>
    vintages.slice(1).flatMap((after, place) => {
      const before = vintages[place]
      if (before.v === after.v && before.u === after.u) return []
      const { ticker, m, fy, fp, end, filed, v: value, u: unit } = after
      return {
        ...{ ticker, m, fy, fp, end },
        ...{ filed_before: before.filed, value_before: before.v, unit_before: before.u },
        ...given({ accession_before: before.accession ?? undefined }),
        ...{ filed, value, unit },
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
  const place = readPlace(args)
  const readPage = (limit: number) =>
    read(call, ReadList, {
      path: '/api/v1/restatements',
      query: {
        ...{ metric, market: market.toUpperCase(), from: args.from, limit },
        as_of: args.as_of,
        data_version: args.data_version,
        cursor: place.page === '' ? undefined : place.page,
      },
    })
  const first = await readPage(pageCompanies)
  const fewer = limitForCapped(first)
  const found = fewer === null ? first : await readPage(fewer)
  requireSame(place, found)
  const { as_of, data_version, attribution, licence, note } = found
  return fitRows({
    ...{ args, place, line: lineOf, nextPage: found.next },
    head: { as_of, data_version, attribution, ...given({ licence, note }) },
    title: `Changes of ${metric} in market ${market.toUpperCase()}, up to ${as_of}. ${note ?? ''}`,
    rows: found.data.map(one => {
      const { ticker, m, fy, fp, end, filed_before, value_before, unit_before, filed, value, unit } = one
      return { ticker, m, fy, fp, end, filed_before, value_before, unit_before, filed, value, unit }
    }),
    narrow: 'narrow with from',
  })
}

const lineOf = ({
  ticker,
  m,
  fy,
  fp,
  end,
  filed_before,
  value_before,
  unit_before,
  filed,
  value,
  unit,
}: Row) =>
  `${ticker} ${m} ${fp} ${fy} (to ${end}): ${value_before} ${unit_before} (filed ${filed_before}) -> ${value} ${unit} (filed ${filed})`
