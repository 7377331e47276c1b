import { type Static, Type } from '@sinclair/typebox'
import { addDays } from '../../../dates.ts'
import { FilingList, FilingRow } from '../../filings/schema.ts'
import { FundamentalsRow } from '../../fundamentals/schema.ts'
import { read, type ToolCall, ToolRefusal } from '../api.ts'
import {
  dayArgument,
  listArguments,
  listFields,
  metricsArgument,
  periodFields,
  tickersArgument,
  versionArgument,
} from '../fields.ts'
import { fitRows, readPosition, requireSame } from '../pagination.ts'
import { said, shownAs } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { companyNames, figureFields, notesOf, type ReadRow, readFigures } from './figures.ts'

const row = FundamentalsRow.properties
const filing = FilingRow.properties

const Filing = Type.Object({
  filed: filing.filed,
  form: filing.form,
  accession: filing.accession,
  url: filing.url,
})
const ReadFilings = Type.Object({
  data_version: FilingList.properties.data_version,
  next: FilingList.properties.next,
  count: FilingList.properties.count,
  data: Type.Array(Filing),
})

const Version = Type.Object({
  v: row.v,
  u: row.u,
  filed: row.filed,
  accession: Type.Union([Type.String(), Type.Null()]),
})
const FilingOf = Type.Object({ ticker: row.ticker, ...Filing.properties })

const Change = Type.Object({
  ticker: Type.Optional(said(row.ticker, 'If several.')),
  change: said(
    Type.Union([Type.Literal('new'), Type.Literal('restated'), Type.Literal('withdrawn')]),
    'new, restated or withdrawn.',
  ),
  ...periodFields,
  kind: row.kind,
  before: Type.Optional(shownAs(Version, 'object', 'v, u, filed, accession on the first day.')),
  after: Type.Optional(shownAs(Version, 'object', 'The same on the second day.')),
})
type Change = Static<typeof Change>

const { missing: _missing, as_of: _asOf, ...fields } = figureFields
const Answer = Type.Object({
  since: said(Type.String(), 'First day.'),
  as_of: said(Type.String(), 'Second day.'),
  ...fields,
  filings: shownAs(
    Type.Array(FilingOf),
    'array',
    'Filed between the days: ticker, filed, form, accession, url.',
  ),
  ...listFields,
  data: said(Type.Array(Change), 'One row per change.'),
})
type Answer = Static<typeof Answer>

const Input = Type.Object(
  {
    tickers: tickersArgument(5),
    since: dayArgument('First day: what was known on it.', '2009-12-31'),
    as_of: dayArgument('Second day, not after today.', '2010-01-31'),
    metrics: metricsArgument,
    change: Type.Optional(Type.Union(Change.properties.change.anyOf, { description: 'Only these.' })),
    ...versionArgument,
    ...listArguments,
  },
  { additionalProperties: false },
)
type Args = Static<typeof Input>

const shownFilings = 6

export const compareAsOf = defineTool({
  name: 'compare_as_of',
  title: 'What changed between two days',
  description:
    'What was learned of up to five companies between two days: figures that are new (nothing was known of the period), restated (another value or unit) or withdrawn, and the filings that say so. Answers what an amendment changed, or what was not known yet on a day. Nothing filed after as_of is seen.',
  input: Input,
  output: Answer,
  run: compare,
})

async function compare(args: Args, call: ToolCall): Promise<ToolAnswer<Answer>> {
  const { tickers, since, as_of, data_version } = args
  if (since >= as_of)
    throw new ToolRefusal(
      'parameter_invalid',
      `since ${since} is not before as_of ${as_of}. Expected: the earlier day as since.`,
    )
  const position = readPosition(args)
  const { head, rows } = await readFigures(call, {
    ticker: tickers.join(','),
    view: 'history',
    as_of,
    fields: 'accession',
    data_version,
    metric: args.metrics?.join(','),
  })
  requireSame(position, head)
  const isSeveral = head.companies.length > 1
  const changes = changesBetween(rows, since)
    .filter(({ change }) => args.change === undefined || change === args.change)
    .map(({ ticker, ...change }) => (isSeveral ? { ticker, ...change } : change))
  const { shown, leftOut } = await filingsOf(args, head, call)
  const { missing: _, ...known } = head
  const named = shown
    .map(
      ({ ticker, filed, form, accession }) =>
        `${isSeveral ? `${ticker} ` : ''}${form} ${accession} of ${filed}`,
    )
    .join(', ')
  return fitRows({
    args,
    position,
    line: lineOf,
    nextPage: null,
    rows: changes,
    head: { since, ...known, filings: shown },
    title: `${companyNames(head.companies)}: what changed after ${since} and up to ${as_of}. Filings: ${named === '' ? 'none' : named}. ${notesOf(head.companies)}`,
    narrow: 'narrow with metrics or change',
    leftOut,
  })
}

/** The filings between the two days, with one request per company. */
async function filingsOf(
  { tickers, since, as_of, data_version }: Args,
  head: { readonly data_version: number; readonly companies: readonly { readonly ticker: string }[] },
  call: ToolCall,
): Promise<{ shown: Static<typeof FilingOf>[]; leftOut: string | undefined }> {
  const shown: Static<typeof FilingOf>[] = []
  let unnamed = 0
  let isMore = false
  const perCompany = Math.max(2, Math.ceil(shownFilings / head.companies.length))
  for (const [index, { ticker }] of head.companies.entries()) {
    // The ID that was sent names this company on the second day; its ID of today may not.
    const sent = tickers[index] ?? ticker
    const { data, next, ...list } = await read(call, ReadFilings, {
      path: '/api/v1/filings',
      query: { ticker: sent, from: addDays(since, 1), as_of, limit: 100, data_version },
    })
    if (list.data_version !== head.data_version)
      throw new ToolRefusal('conflict', 'Data was imported while the company was read. Call again.')
    for (const { filed, form, accession, url } of data.slice(0, perCompany))
      shown.push({ ticker, filed, form, accession, url })
    unnamed += Math.max(0, list.count - perCompany)
    isMore ||= next !== null
  }
  const leftOut =
    unnamed > 0 ? `${unnamed}${isMore ? ' or more' : ''} earlier filings are not listed.` : undefined
  return { shown, leftOut }
}

/**
 * For each period, compares the figure current on the first day with the one current at the end. Rows arrive
 * in filing order.
 */
function changesBetween(rows: readonly ReadRow[], day: string): (Change & { ticker: string })[] {
  const periods = Map.groupBy(rows, ({ ticker, m, end, fp }) => `${ticker} ${m} ${end} ${fp}`)
  const changes: (Change & { ticker: string })[] = []
  for (const vintages of periods.values()) {
    const before = vintages.findLast(({ filed, until }) => filed <= day && (until === null || until > day))
    const after = vintages.findLast(({ until }) => until === null)
    const last = after ?? before
    if (last === undefined) continue
    const change = changeOf(before, after)
    if (change === null) continue
    const { ticker, m, fy, fp, end, kind } = last
    changes.push({
      ticker,
      change,
      m,
      fy,
      fp,
      end,
      kind,
      ...(before === undefined ? {} : { before: version(before) }),
      ...(after === undefined ? {} : { after: version(after) }),
    })
  }
  return changes
}

function changeOf(before: ReadRow | undefined, after: ReadRow | undefined): Change['change'] | null {
  if (after === undefined) return 'withdrawn'
  if (before === undefined) return 'new'
  return before.v === after.v && before.u === after.u ? null : 'restated'
}

const version = ({ v, u, filed, accession }: ReadRow) => ({ v, u, filed, accession: accession ?? null })

function lineOf({ ticker, change, m, fy, fp, end, before, after }: Change): string {
  const was = before === undefined ? '' : `${before.v} ${before.u} (filed ${before.filed})`
  const is = after === undefined ? 'no figure' : `${after.v} ${after.u} (filed ${after.filed})`
  return `${ticker === undefined ? '' : `${ticker} `}${change} ${m} ${fp} ${fy} (to ${end}): ${was === '' ? '' : `${was} -> `}${is}`
}
