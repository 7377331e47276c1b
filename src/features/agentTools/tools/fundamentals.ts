import { type Static, Type } from '@sinclair/typebox'
import { FundamentalsQuery, FundamentalsRow } from '../../fundamentals/schema.ts'
import type { ToolCall } from '../api.ts'
import {
  asOfArgument,
  dayArgument,
  listArguments,
  listFields,
  metricsArgument,
  periodFields,
  tickersArgument,
  versionArgument,
} from '../fields.ts'
import { fitRows, readPosition, requireSame } from '../pagination.ts'
import { said } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { companyNames, figureFields, given, notesOf, type ReadRow, readFigures } from './figures.ts'

const query = FundamentalsQuery.properties
const row = FundamentalsRow.properties

const shared = {
  tickers: tickersArgument(10),
  metrics: metricsArgument,
  as_of: asOfArgument,
  fp: Type.Optional(
    Type.String({
      ...query.fp,
      description: 'FY, Q1 to Q4 (single quarters), several with commas, or TTM alone.',
      examples: ['FY'],
    }),
  ),
  fy: Type.Optional(
    Type.String({ ...query.fy, description: 'Fiscal year, or a range.', examples: ['2015..2020'] }),
  ),
  adjust_splits: Type.Optional(
    Type.Boolean({ description: 'Adjusts share counts and figures per share for splits known by as_of.' }),
  ),
  with_filing: Type.Optional(Type.Boolean({ description: 'Each row names its filing.' })),
  ...versionArgument,
  ...listArguments,
}

/** The fields shown of a row. `until` appears only if the figure is no longer current. */
const Row = Type.Object({
  ticker: Type.Optional(said(row.ticker, 'If several.')),
  ...periodFields,
  filed: said(row.filed, 'Day on which it became known.'),
  v: said(row.v, 'Value.'),
  u: said(row.u, 'Unit.'),
  kind: said(row.kind, 'stated or derived.'),
  until: Type.Optional(said(Type.String(), 'Day from which it no longer held.')),
  stale: row.stale,
  stale_reason: row.stale_reason,
  generation: said(row.generation, 'earlier: of before a restatement.'),
  split_factor: row.split_factor,
  accession: row.accession,
  form: row.form,
  url: row.url,
})

const Answer = Type.Object({
  ...figureFields,
  ...listFields,
  data: said(Type.Array(Row), 'One row per figure.'),
})

const LatestInput = Type.Object(
  {
    ...shared,
    max_age_days: Type.Optional(
      Type.Integer({
        ...query.max_age_days,
        description: 'Leaves out periods that ended earlier.',
        examples: [],
      }),
    ),
  },
  { additionalProperties: false },
)

const HistoryInput = Type.Object(
  {
    ...shared,
    ends_from: Type.Optional(dayArgument('YYYY-MM-DD: only periods that end on or after it.')),
    vintage: Type.Optional(
      Type.Union(query.vintage.anyOf, {
        default: 'all',
        description: 'first: as first filed. latest: as it stood on as_of. all: every restated value, too.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const getLatestFundamentals = defineTool({
  name: 'get_latest_fundamentals',
  title: 'Latest figures of companies',
  description:
    'The latest figure of each metric of up to ten companies, as known on a day: value `v` in unit `u`, its period, and `filed`, the day on which it became known. For several periods or restated values use get_fundamentals_history, for all companies of a market screen.',
  input: LatestInput,
  output: Answer,
  run: (args, call) => figures(args, { view: 'latest', max_age_days: args.max_age_days }, call),
})

export const getFundamentalsHistory = defineTool({
  name: 'get_fundamentals_history',
  title: 'Figures of companies over time',
  description:
    'Figures of up to ten companies by period, for example revenue from 2015 to 2020. A restated period has a row for each value that was filed; vintage chooses one. Name metrics, fp and fy to get few rows. For what changed between two days use compare_as_of.',
  input: HistoryInput,
  output: Answer,
  run: (args, call) => figures(args, { view: 'history', from: args.ends_from, vintage: args.vintage }, call),
})

async function figures(
  args: Static<typeof LatestInput> | Static<typeof HistoryInput>,
  own: Readonly<Record<string, string | number | undefined>>,
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const position = readPosition(args)
  const { head, rows } = await readFigures(call, {
    ...own,
    ticker: args.tickers.join(','),
    metric: args.metrics?.join(','),
    as_of: args.as_of,
    data_version: args.data_version,
    fp: args.fp,
    fy: args.fy,
    adjust: args.adjust_splits === true ? 'splits' : undefined,
    fields: args.with_filing === true ? 'accession,form,url' : undefined,
  })
  requireSame(position, head)
  const isSeveral = head.companies.length > 1
  const notes = notesOf(head.companies)
  const known = `as known on ${head.as_of}`
  const title = `${companyNames(head.companies)}, ${known}.${notes === '' ? '' : ` ${notes}`}`
  return fitRows({
    args,
    position,
    head,
    title,
    line: lineOf(isSeveral),
    nextPage: null,
    rows: rows.map(one => shownRow(one, isSeveral)),
    narrow: 'narrow with metrics, fp or fy',
  })
}

function shownRow(one: ReadRow, isSeveral: boolean): Static<typeof Row> {
  const { ticker, m, fy, fp, end, filed, v, u, kind, until } = one
  const { stale, stale_reason, generation, split_factor, accession, form, url } = one
  return {
    ...(isSeveral ? { ticker } : {}),
    m,
    fy,
    fp,
    end,
    filed,
    v,
    u,
    kind,
    ...(until === null ? {} : { until }),
    ...given({ stale, stale_reason, generation, split_factor, accession, form, url }),
  }
}

const lineOf =
  (isSeveral: boolean) =>
  ({ ticker, m, fy, fp, end, filed, v, u, kind, until, stale, form }: Static<typeof Row>) => {
    const marks = [
      ...(kind === 'derived' ? ['derived'] : []),
      ...(until === undefined ? [] : [`until ${until}`]),
      ...(stale === true ? ['stale'] : []),
      ...(form === undefined || form === null ? [] : [form]),
    ]
    const of = isSeveral ? `${ticker} ` : ''
    return `${of}${m} ${fp === 'FY' ? '' : fp}${fp === 'FY' ? 'FY' : ' '}${fy} (to ${end}): ${v} ${u}, filed ${filed}${marks.length === 0 ? '' : `, ${marks.join(', ')}`}`
  }
