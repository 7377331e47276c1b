import { type Static, Type } from '@sinclair/typebox'
import { FundamentalsQuery, FundamentalsRow } from '../../fundamentals/schema.ts'
import type { ToolCall } from '../api.ts'
import { fitRows, readPlace, requireSame } from '../pages.ts'
import { listArguments, listFields, listOf, versionArgument } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { companyNames, figureFields, given, notesOf, type ReadRow, readFigures } from './figures.ts'

const query = FundamentalsQuery.properties
const row = FundamentalsRow.properties

const maxCompanies = 10
const tickers = Type.Array(
  Type.String({ minLength: 1, maxLength: 32, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' }),
  {
    minItems: 1,
    maxItems: maxCompanies,
    description: `IDs of up to ${maxCompanies} companies as search_companies gives them, for example ["AAPL"] or ["2330.TW", "005930.KS"].`,
  },
)

const shared = {
  tickers,
  metrics: listOf(
    'Metrics; all without it. get_coverage lists them: revenue, net_income, roe, eps, free_cash_flow, ...',
    'revenue',
    20,
  ),
  as_of: Type.Optional(
    Type.String({
      ...query.as_of,
      description:
        'Day as YYYY-MM-DD: the answer has only what was filed on or before it, as it stood then. Default today. Days in the past need a licence, except for the flagship companies.',
    }),
  ),
  fp: Type.Optional(
    Type.String({
      ...query.fp,
      description:
        'Fiscal periods: FY (full years), Q1, Q2, Q3, Q4 (single quarters), several with commas, or TTM alone (trailing twelve months).',
    }),
  ),
  fy: Type.Optional(
    Type.String({ ...query.fy, description: 'Fiscal year like "2009", or a range like "2015..2020".' }),
  ),
  adjust_splits: Type.Optional(
    Type.Boolean({
      description: 'true: share counts and figures per share are adjusted for later splits known by as_of.',
    }),
  ),
  with_filing: Type.Optional(
    Type.Boolean({
      description: 'true: each row names its filing: accession, form and address at the register.',
    }),
  ),
  ...versionArgument,
  ...listArguments,
}

/** What it shows of a row; `until` only where the figure is no longer current. */
const Row = Type.Object({
  ticker: Type.Optional(row.ticker),
  m: row.m,
  fy: row.fy,
  fp: row.fp,
  end: row.end,
  filed: row.filed,
  v: row.v,
  u: row.u,
  kind: row.kind,
  until: Type.Optional(
    Type.String({ format: 'date', description: 'Day from which the figure is no longer current.' }),
  ),
  stale: row.stale,
  stale_reason: row.stale_reason,
  generation: row.generation,
  split_factor: row.split_factor,
  accession: row.accession,
  form: row.form,
  url: row.url,
})

const Answer = Type.Object({ ...figureFields, ...listFields, data: Type.Array(Row) })

const LatestInput = Type.Object(
  {
    ...shared,
    max_age_days: Type.Optional(
      Type.Integer({
        ...query.max_age_days,
        description: 'Leaves out figures of periods that ended more than so many days before as_of.',
      }),
    ),
  },
  { additionalProperties: false },
)

const HistoryInput = Type.Object(
  {
    ...shared,
    from: Type.Optional(
      Type.String({ ...query.from, description: 'Only periods that end on or after this day.' }),
    ),
    vintage: Type.Optional(
      Type.Union(query.vintage.anyOf, {
        description:
          'first: each period as first filed. latest: as it stood on as_of. all (default): every vintage, restated ones included.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const getLatestFundamentals = defineTool({
  name: 'get_latest_fundamentals',
  title: 'Latest figures of companies',
  description:
    'The latest figure of each metric of one or several companies: "what is the revenue of X", "compare the margins of X and Y", "what was known of X on that day". One row a metric: value `v` in unit `u` (full amounts, ratios as fractions), its period, and `filed`, the day on which it became known. With as_of nothing filed later is seen. For several periods or vintages use get_fundamentals_history, for all companies of a market use screen.',
  input: LatestInput,
  output: Answer,
  run: (args, call) => figures(args, { view: 'latest', max_age_days: args.max_age_days }, call),
})

export const getFundamentalsHistory = defineTool({
  name: 'get_fundamentals_history',
  title: 'Figures of companies over time',
  description:
    'Figures of one or several companies by period: "revenue of X from 2015 to 2020", "how was this year first reported". By default every vintage: a restated period has several rows with different `filed`, and `until` is the day from which a row no longer held. Send vintage "first" for figures as first reported, "latest" for one row a period. Name metrics, fp and fy to get few rows. With as_of nothing filed later is seen. For what changed between two days use compare_as_of.',
  input: HistoryInput,
  output: Answer,
  run: (args, call) => figures(args, { view: 'history', from: args.from, vintage: args.vintage }, call),
})

async function figures(
  args: Static<typeof LatestInput> | Static<typeof HistoryInput>,
  own: Readonly<Record<string, string | number | undefined>>,
  call: ToolCall,
): Promise<ToolAnswer<Static<typeof Answer>>> {
  const place = readPlace(args)
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
  requireSame(place, head)
  const isSeveral = head.companies.length > 1
  const notes = notesOf(head.companies)
  const known = `as known on ${head.as_of}`
  const title = `${companyNames(head.companies)}, ${known}.${notes === '' ? '' : ` ${notes}`}`
  return fitRows({
    ...{ args, place, head, title, line: lineOf(isSeveral), nextPage: null },
    rows: rows.map(one => shownRow(one, isSeveral)),
    narrow: 'narrow with metrics, fp or fy',
  })
}

function shownRow(one: ReadRow, isSeveral: boolean): Static<typeof Row> {
  const { ticker, m, fy, fp, end, filed, v, u, kind, until } = one
  const { stale, stale_reason, generation, split_factor, accession, form, url } = one
  return {
    ...(isSeveral ? { ticker } : {}),
    ...{ m, fy, fp, end, filed, v, u, kind },
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
