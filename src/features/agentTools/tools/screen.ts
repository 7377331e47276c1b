import { type Static, Type } from '@sinclair/typebox'
import { type ToolCall, ToolRefusal } from '../api.ts'
import { listFields, originFields } from '../fields.ts'
import { companyIn, withNames } from '../names.ts'
import { fitRows, type Position, readPosition, requireSame, sizeOf } from '../pagination.ts'
import { said } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import {
  type Found,
  readPage,
  rowsOf,
  type ScreenArgs,
  ScreenInput,
  ScreenRow,
  table,
} from './crossSection.ts'
import { given, wordsOf } from './figures.ts'

const NamedRow = Type.Object({
  ...ScreenRow.properties,
  name: Type.Union([Type.String(), Type.Null()]),
})
type NamedRow = Static<typeof NamedRow>

const Answer = Type.Object({
  market: said(table.market, 'As sent.'),
  metrics: said(table.metrics, 'As sent.'),
  ...originFields,
  note: Type.Optional(said(Type.String(), 'What to know of it.')),
  ...listFields,
  data: said(Type.Array(NamedRow), 'One row per company.'),
})

export const screen = defineTool({
  name: 'screen',
  title: 'Companies of a market by their figures',
  description:
    'The companies of one market with up to 8 metrics side by side, filtered by bounds and ranked by one of them: the ten largest by revenue, or what a screen on a past day would have shown. Amounts of different markets are not comparable: read manifest://{market} first.',
  input: ScreenInput,
  output: Answer,
  run: async (args, call) => {
    const { sort_by } = args
    if (sort_by !== undefined && !args.metrics.includes(sort_by))
      throw new ToolRefusal(
        'parameter_invalid',
        `sort_by ${sort_by} is not one of metrics. Name it there, too.`,
      )
    const needsSort = (['limit', 'order'] as const).find(name => args[name] !== undefined)
    if (sort_by === undefined && needsSort !== undefined)
      throw new ToolRefusal(
        'parameter_invalid',
        `${needsSort} needs sort_by. Send it, too, or omit ${needsSort}.`,
      )
    const position = readPosition(args)
    const found = await onePage(args, position, call)
    requireSame(position, found.page)
    const { as_of, data_version, licence, attribution } = found.page
    const note = wordsOf(found.page.note)
    const rows = await withNames(call, found.rows, {
      skip: position.skip,
      max: sizeOf(args),
      version: args.data_version,
    })
    const market = args.market.toUpperCase()
    const ranked = sort_by === undefined ? '' : `, by ${sort_by} ${args.order ?? 'descending'}`
    return fitRows({
      args,
      position,
      rows,
      nextPage: found.nextPage,
      head: { market, metrics: args.metrics, as_of, data_version, attribution, ...given({ licence, note }) },
      title: `Companies of ${market} as known on ${as_of}: ${args.metrics.join(', ')}${ranked}. ${note ?? ''}`,
      line: lineOf(args.metrics),
      narrow: sort_by === undefined ? 'narrow with filters' : 'narrow with filters or limit',
    })
  },
})

/** Page size without sort_by. It is small because each company counts as seen for an evaluation key. */
const pageCompanies = 50
/** Page size of a ranking: free keys get no more. */
const rankedCompanies = 1_000

/** The API sorts all companies of the market, so a page of a ranking is a slice of its whole page. */
async function onePage(args: ScreenArgs, position: Position, call: ToolCall): Promise<Found> {
  const { sort_by } = args
  const limit = sort_by === undefined ? pageCompanies : (args.limit ?? rankedCompanies)
  const found = await readPage(args, limit, position.page === '' ? undefined : position.page, call)
  const nextPage = args.limit === undefined ? found.next : null
  return { page: found, rows: rowsOf(args.metrics, found), nextPage }
}

const lineOf =
  (metrics: readonly string[]) =>
  (row: NamedRow): string => {
    const { fy, fp, filed, values, unit } = row
    const figures = metrics.map(name => `${name} ${values[name] ?? 'none'}`).join(', ')
    return `${companyIn(row)}: ${fp} ${fy}: ${figures}${unit === undefined ? '' : ` (${unit})`}, filed ${filed}`
  }
