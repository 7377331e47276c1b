import { type Static, Type } from '@sinclair/typebox'
import {
  CoverageCheck,
  CoverageIndex,
  CoverageMarket,
  CoverageMetric,
  MetricCoverage,
} from '../../coverage/schema.ts'
import { read, type ToolCall } from '../api.ts'
import { fitRows, readPlace, requireSame } from '../pages.ts'
import { listArguments, listFields, versionArgument } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { given } from './figures.ts'

const check = CoverageCheck.properties
const index = CoverageIndex.properties

const ReadCheck = Type.Object({
  ticker: check.ticker,
  issuer_id: check.issuer_id,
  name: check.name,
  market: check.market,
  aliases: check.aliases,
  former_ids: check.former_ids,
  data_version: check.data_version,
  licence: check.licence,
  first_filed: check.first_filed,
  last_filed: check.last_filed,
  note: check.note,
  data: Type.Array(Type.Object(MetricCoverage.properties)),
})

const ReadIndex = Type.Object({
  data_version: index.data_version,
  licence: index.licence,
  markets: Type.Array(Type.Object(CoverageMarket.properties)),
  metrics: Type.Array(Type.Object(CoverageMetric.properties)),
})

const metric = CoverageMetric.properties
const MetricOfIndex = Type.Object({
  name: metric.name,
  unit: metric.unit,
  description: metric.description,
})

const Answer = Type.Object({
  ticker: Type.Optional(check.ticker),
  issuer_id: Type.Optional(check.issuer_id),
  name: Type.Optional(check.name),
  market: Type.Optional(Type.String()),
  aliases: Type.Optional(check.aliases),
  former_ids: Type.Optional(check.former_ids),
  first_filed: Type.Optional(check.first_filed),
  last_filed: Type.Optional(check.last_filed),
  note: check.note,
  markets: Type.Optional(Type.Array(Type.Object(CoverageMarket.properties))),
  data_version: check.data_version,
  licence: check.licence,
  ...listFields,
  data: Type.Array(Type.Union([Type.Object(MetricCoverage.properties), MetricOfIndex])),
})

const Input = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[^./\\\\][^/\\\\]*$',
        description:
          'Any ID of a company: a ticker, an SEC CIK like 320193, a Korean corporate code, a company number. Without it the answer lists markets and metrics.',
      }),
    ),
    market: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        description: 'Without id: only metrics of this market, like US.',
      }),
    ),
    ...versionArgument,
    ...listArguments,
  },
  { additionalProperties: false },
)

export const getCoverage = defineTool({
  name: 'get_coverage',
  title: 'What is on record',
  description:
    'With `id`: the ticker to send, first and last filing, and which metrics a company has for which periods, or why it has none. Without `id`: all markets with their number of companies, and all metrics with their meaning, by `market` if you like. Use it before you name metrics that you are not sure of.',
  input: Input,
  output: Answer,
  run: (args, call) => (args.id === undefined ? ofService(args, call) : ofCompany(args, args.id, call)),
})

type Args = Static<typeof Input>
type CoverageAnswer = Promise<ToolAnswer<Static<typeof Answer>>>

async function ofCompany(args: Args, id: string, call: ToolCall): CoverageAnswer {
  const place = readPlace(args)
  const found = await read(call, ReadCheck, {
    path: `/api/v1/coverage/${encodeURIComponent(id)}`,
    query: { data_version: args.data_version },
  })
  requireSame(place, found)
  const { ticker, issuer_id, name, market, aliases, former_ids, data_version, first_filed, last_filed } =
    found
  const head = {
    ...{ ticker, issuer_id, name, market, aliases, former_ids, first_filed, last_filed, data_version },
    ...given({ note: found.note, licence: found.licence }),
  }
  const span = first_filed === null ? 'no figures' : `filed from ${first_filed} to ${last_filed}`
  return fitRows({
    ...{ args, place, head, nextPage: null },
    title: `${name ?? 'No name on record'} (${ticker}, ${market}, number ${issuer_id}): ${span}.${found.note === undefined ? '' : ` ${found.note}`}`,
    rows: found.data.map(({ m, periods, first_end, last_end, first_filed, last_filed }) => ({
      ...{ m, periods, first_end, last_end, first_filed, last_filed },
    })),
    line: ({ m, periods, first_end, last_end }) => `${m}: ${periods} periods, ${first_end} to ${last_end}`,
    narrow: 'raise max_characters',
  })
}

async function ofService(args: Args, call: ToolCall): CoverageAnswer {
  const place = readPlace(args)
  const wanted = args.market?.toUpperCase()
  const query = { limit: 1, market: wanted, data_version: args.data_version }
  const found = await read(call, ReadIndex, { path: '/api/v1/fundamentals', query })
  requireSame(place, found)
  const { data_version } = found
  const markets = found.markets.filter(({ code }) => wanted === undefined || code === wanted)
  const shown = markets.map(({ code, name, status, entities, first_filed, last_filed, sync }) => ({
    ...{ code, name, status, entities, first_filed, last_filed, sync },
  }))
  const counts = shown.map(({ code, name, entities }) => `${name} (${code}) ${entities}`).join(', ')
  return fitRows({
    ...{ args, place, nextPage: null },
    head: { markets: shown, data_version, ...given({ licence: found.licence }) },
    title: `Companies by market: ${counts}. Metrics${wanted === undefined ? '' : ` of ${wanted}`}:`,
    rows: found.metrics
      .filter(one => wanted === undefined || one.markets.includes(wanted))
      .map(({ name, unit, description }) => ({ name, unit, description })),
    line: ({ name }) => name,
    narrow: 'send market, or raise max_characters',
  })
}
