import { type Static, Type } from '@sinclair/typebox'
import {
  CoverageCheck,
  CoverageIndex,
  CoverageMarket,
  CoverageMetric,
  MetricCoverage,
} from '../../coverage/schema.ts'
import { read, type ToolCall, ToolRefusal } from '../api.ts'
import {
  listArguments,
  listFields,
  marketArgument,
  metricsArgument,
  originFields,
  tickersArgument,
  versionArgument,
} from '../fields.ts'
import { fitRows, readPosition, requireSame } from '../pagination.ts'
import { said, shownAs } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { companyNames, given, wordsOf } from './figures.ts'

const check = CoverageCheck.properties
const index = CoverageIndex.properties
const metric = CoverageMetric.properties
const held = MetricCoverage.properties

const CheckedCompany = Type.Object({
  ticker: check.ticker,
  issuer_id: check.issuer_id,
  name: check.name,
  market: check.market,
  aliases: check.aliases,
  former_ids: check.former_ids,
  first_filed: check.first_filed,
  last_filed: check.last_filed,
  note: check.note,
})
const ReadCheck = Type.Object({
  ...CheckedCompany.properties,
  data_version: check.data_version,
  licence: check.licence,
  data: Type.Array(Type.Object(held)),
})
type ReadCheck = Static<typeof ReadCheck>

const ReadIndex = Type.Object({
  data_version: index.data_version,
  licence: index.licence,
  markets: Type.Array(Type.Object(CoverageMarket.properties)),
  metrics: Type.Array(Type.Object(CoverageMetric.properties)),
})

const Row = Type.Object({
  ticker: Type.Optional(said(check.ticker, 'If several.')),
  m: said(metric.name, 'Metric.'),
  unit: Type.String(),
  meaning: said(metric.description, 'Definition.'),
  periods: Type.Optional(said(held.periods, 'How many are on record.')),
  first_end: Type.Optional(held.first_end),
  last_end: Type.Optional(held.last_end),
})
type Row = Static<typeof Row>

const Answer = Type.Object({
  companies: Type.Optional(said(Type.Array(CheckedCompany), 'With tickers: who they are.')),
  markets: Type.Optional(
    shownAs(
      Type.Array(Type.Object(CoverageMarket.properties)),
      'array',
      'Without tickers: code, name, status, entities (companies), first_filed, last_filed, sync.',
    ),
  ),
  data_version: originFields.data_version,
  licence: originFields.licence,
  ...listFields,
  data: said(Type.Array(Row), 'One row per metric.'),
})

const Input = Type.Object(
  {
    tickers: Type.Optional(tickersArgument(10)),
    market: Type.Optional({ ...marketArgument, description: 'Without tickers: only this market.' }),
    metrics: metricsArgument,
    ...versionArgument,
    ...listArguments,
  },
  { additionalProperties: false },
)
type Args = Static<typeof Input>
type CoverageAnswer = Promise<ToolAnswer<Static<typeof Answer>>>

export const getCoverage = defineTool({
  name: 'get_coverage',
  title: 'What is on record',
  description:
    'With `tickers`: who the companies are, their first and last filing, and which metrics they have for which periods, or why none. Without: the markets, and all metrics. Each metric comes with its unit and meaning: use it before you name one that you are not sure of.',
  input: Input,
  output: Answer,
  run: (args, call) =>
    args.tickers === undefined ? ofService(args, call) : ofCompanies(args, args.tickers, call),
})

/** The metrics' definitions, which are the same at every data version. */
async function readIndex(call: ToolCall, query: Readonly<Record<string, string | number | undefined>>) {
  return read(call, ReadIndex, { path: '/api/v1/fundamentals', query: { limit: 1, ...query } })
}

async function ofCompanies(args: Args, tickers: readonly string[], call: ToolCall): CoverageAnswer {
  const position = readPosition(args)
  const found: ReadCheck[] = []
  for (const ticker of tickers) {
    const path = `/api/v1/coverage/${encodeURIComponent(ticker.toWellFormed())}`
    found.push(await read(call, ReadCheck, { path, query: { data_version: args.data_version } }))
  }
  const [{ data_version, licence }] = found
  if (found.some(one => one.data_version !== data_version))
    throw new ToolRefusal('conflict', 'Data was imported while the companies were read. Call again.')
  requireSame(position, { data_version })
  const { metrics } = await readIndex(call, {})
  const meanings = new Map(metrics.map(({ name, unit, description }) => [name, { unit, description }]))
  const companies = found.map(({ data: _, data_version: __, licence: ___, note, ...company }) => ({
    ...pick(company),
    ...given({ note: wordsOf(note) }),
  }))
  const isSeveral = found.length > 1
  const rows = found.flatMap(({ ticker, data }) =>
    data
      .filter(({ m }) => args.metrics === undefined || args.metrics.includes(m))
      .map(({ m, periods, first_end, last_end }): Row => {
        const { unit, description: meaning } = meanings.get(m) ?? { unit: '', description: '' }
        return { ...(isSeveral ? { ticker } : {}), m, unit, meaning, periods, first_end, last_end }
      }),
  )
  const spans = companies.map(({ ticker, market, issuer_id, first_filed, last_filed, note }) => {
    const span = first_filed === null ? 'no figures' : `filed from ${first_filed} to ${last_filed}`
    return `${ticker} (${market}, number ${issuer_id}): ${span}.${note === undefined ? '' : ` ${note}`}`
  })
  return fitRows({
    args,
    position,
    rows,
    line: lineOf,
    nextPage: null,
    head: { companies, data_version, ...given({ licence }) },
    title: `${companyNames(companies)}. ${spans.join(' ')}`,
    narrow: 'narrow with metrics or raise max_characters',
  })
}

/** Drops additional fields, which a newer server may send. */
function pick({ ticker, issuer_id, name, market, aliases, former_ids, first_filed, last_filed }: Checked) {
  return { ticker, issuer_id, name, market, aliases, former_ids, first_filed, last_filed }
}
type Checked = Omit<Static<typeof CheckedCompany>, 'note'>

async function ofService(args: Args, call: ToolCall): CoverageAnswer {
  const position = readPosition(args)
  const wanted = args.market?.toUpperCase()
  const found = await readIndex(call, { market: wanted, data_version: args.data_version })
  requireSame(position, found)
  const { data_version, licence } = found
  const markets = found.markets
    .filter(({ code }) => wanted === undefined || code === wanted)
    .map(({ code, name, status, entities, first_filed, last_filed, sync }) => ({
      code,
      name,
      status,
      entities,
      first_filed,
      last_filed,
      sync,
    }))
  const counts = markets.map(({ code, name, entities }) => `${name} (${code}) ${entities}`).join(', ')
  return fitRows({
    args,
    position,
    line: lineOf,
    nextPage: null,
    head: { markets, data_version, ...given({ licence }) },
    title: `Companies by market: ${counts}. Metrics${wanted === undefined ? '' : ` of ${wanted}`}:`,
    rows: found.metrics
      .filter(one => wanted === undefined || one.markets.includes(wanted))
      .filter(({ name }) => args.metrics === undefined || args.metrics.includes(name))
      .map(({ name, unit, description }): Row => ({ m: name, unit, meaning: description })),
    narrow: 'send market or metrics, or raise max_characters',
  })
}

function lineOf({ ticker, m, unit, meaning, periods, first_end, last_end }: Row): string {
  const held = periods === undefined ? '' : `: ${periods} periods, ${first_end} to ${last_end}`
  return `${ticker === undefined ? '' : `${ticker} `}${m} (${unit})${held}. ${meaning}`
}
