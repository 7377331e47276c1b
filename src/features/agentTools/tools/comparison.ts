import { type Static, Type } from '@sinclair/typebox'
import { addDays, IsoDateSchema } from '../../../dates.ts'
import { FilingList, FilingRow } from '../../filings/schema.ts'
import { FundamentalsRow } from '../../fundamentals/schema.ts'
import { read, ToolRefusal } from '../api.ts'
import { fitRows, readPlace, requireSame } from '../pages.ts'
import { listArguments, listFields, listOf, versionArgument } from '../schemas.ts'
import { defineTool } from '../tool.ts'
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

const Change = Type.Object({
  change: Type.Union([Type.Literal('new'), Type.Literal('restated'), Type.Literal('withdrawn')], {
    description:
      'new: no figure of this period was known on the first day. restated: another value or unit. withdrawn: no figure is current on the second day.',
  }),
  m: row.m,
  fy: row.fy,
  fp: row.fp,
  end: row.end,
  kind: row.kind,
  before: Type.Optional(Version),
  after: Type.Optional(Version),
})
type Change = Static<typeof Change>

const { missing: _missing, as_of: _asOf, ...fields } = figureFields
const Answer = Type.Object({
  from_day: Type.String({ format: 'date' }),
  as_of: Type.String({ format: 'date', description: 'The second day.' }),
  ...fields,
  filings: Type.Array(Filing, {
    description: 'Filed after the first day and up to the second, the latest first.',
  }),
  ...listFields,
  data: Type.Array(Change),
})

const shownFilings = 6

export const compareAsOf = defineTool({
  name: 'compare_as_of',
  title: 'What changed between two days',
  description:
    'What was learned of a company between two days: figures that are new, restated (before and after, each with its filing) or withdrawn, and the filings that say so. Answers "what did the amendment of January change", "what did we not know yet on that day". Nothing filed after `to_day` is seen. For all vintages of a period use get_fundamentals_history.',
  input: Type.Object(
    {
      ticker: Type.String({
        minLength: 1,
        maxLength: 32,
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
        description: 'ID of one company as search_companies gives it, for example AAPL.',
      }),
      from_day: IsoDateSchema('First day, as YYYY-MM-DD: what was known on it is compared ...', '2009-12-31'),
      to_day: IsoDateSchema(
        '... with what was known on this day, as YYYY-MM-DD. Not after today.',
        '2010-01-31',
      ),
      metrics: listOf('Only these metrics', 'revenue', 20),
      change: Type.Optional(
        Type.Union(Change.properties.change.anyOf, {
          description: 'Only new, restated or withdrawn figures.',
        }),
      ),
      ...versionArgument,
      ...listArguments,
    },
    { additionalProperties: false },
  ),
  output: Answer,
  run: async (args, call) => {
    const { ticker, from_day, to_day, data_version } = args
    if (from_day >= to_day)
      throw new ToolRefusal(
        'parameter_invalid',
        `from_day ${from_day} is not before to_day ${to_day}. Send the earlier day as from_day.`,
      )
    const place = readPlace(args)
    const { head, rows } = await readFigures(call, {
      ...{ ticker, view: 'history', as_of: to_day, fields: 'accession', data_version },
      metric: args.metrics?.join(','),
    })
    requireSame(place, head)
    const filings = await read(call, ReadFilings, {
      path: '/api/v1/filings',
      query: { ticker, from: addDays(from_day, 1), as_of: to_day, limit: 100, data_version },
    })
    if (filings.data_version !== head.data_version)
      throw new ToolRefusal('conflict', 'Data was imported while the company was read. Call again.')
    const changes = changesBetween(rows, from_day).filter(
      ({ change }) => args.change === undefined || change === args.change,
    )
    const { missing: _, ...known } = head
    const shown = filings.data
      .slice(0, shownFilings)
      .map(({ filed, form, accession, url }) => ({ filed, form, accession, url }))
    const named = shown.map(({ filed, form, accession }) => `${form} ${accession} of ${filed}`).join(', ')
    const unnamed = filings.count - shown.length
    return fitRows({
      ...{ args, place, line: lineOf, nextPage: null, rows: changes },
      head: { from_day, ...known, filings: shown },
      title: `${companyNames(head.companies)}: what changed after ${from_day} and up to ${to_day}. Filings: ${named === '' ? 'none' : named}. ${notesOf(head.companies)}`,
      narrow: 'narrow with metrics or change',
      leftOut:
        unnamed > 0
          ? `${unnamed}${filings.next === null ? '' : ' or more'} earlier filings are not listed.`
          : undefined,
    })
  },
})

/** Of each period what was current on the day, against what is current at the end. Rows come in the order in which they were filed. */
function changesBetween(rows: readonly ReadRow[], day: string): Change[] {
  const periods = Map.groupBy(rows, ({ m, end, fp }) => `${m} ${end} ${fp}`)
  const changes: Change[] = []
  for (const vintages of periods.values()) {
    const before = vintages.findLast(({ filed, until }) => filed <= day && (until === null || until > day))
    const after = vintages.findLast(({ until }) => until === null)
    const last = after ?? before
    if (last === undefined) continue
    const change = changeOf(before, after)
    if (change === null) continue
    const { m, fy, fp, end, kind } = last
    changes.push({
      ...{ change, m, fy, fp, end, kind },
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

function lineOf({ change, m, fy, fp, end, before, after }: Change): string {
  const was = before === undefined ? '' : `${before.v} ${before.u} (filed ${before.filed})`
  const is = after === undefined ? 'no figure' : `${after.v} ${after.u} (filed ${after.filed})`
  return `${change} ${m} ${fp} ${fy} (to ${end}): ${was === '' ? '' : `${was} -> `}${is}`
}
