import { Type } from '@sinclair/typebox'
import { type ToolCall, ToolRefusal } from '../api.ts'
import { fitRows, type Place, readPlace, requireSame } from '../pages.ts'
import { listFields } from '../schemas.ts'
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
import { given } from './figures.ts'

const Answer = Type.Object({
  market: table.market,
  metrics: table.metrics,
  as_of: table.as_of,
  data_version: table.data_version,
  licence: table.licence,
  attribution: table.attribution,
  note: table.note,
  ...listFields,
  data: Type.Array(ScreenRow),
})

export const screen = defineTool({
  name: 'screen',
  title: 'Companies of a market by their figures',
  description:
    'All companies of one market with up to 8 metrics side by side, filtered by bounds and ranked by one of them: "US companies with roe above 20% and a net margin above 10%", "the ten largest by revenue", "what would a screen on that day have shown". With as_of it sees only what was filed by that day, so it has no look-ahead. Figures of different markets are not comparable: read manifest://{market} first.',
  input: ScreenInput,
  output: Answer,
  run: async (args, call) => {
    const { sort_by } = args
    if (sort_by !== undefined && !args.metrics.includes(sort_by))
      throw new ToolRefusal(
        'parameter_invalid',
        `sort_by ${sort_by} is not one of metrics. Name it there, too.`,
      )
    const needsSort = (['top', 'order'] as const).find(name => args[name] !== undefined)
    if (sort_by === undefined && needsSort !== undefined)
      throw new ToolRefusal(
        'parameter_invalid',
        `${needsSort} needs sort_by. Send it, too, or omit ${needsSort}.`,
      )
    const place = readPlace(args)
    const found = await onePage(args, place, call)
    requireSame(place, found.page)
    const { as_of, data_version, licence, attribution, note } = found.page
    const market = args.market.toUpperCase()
    const ranked = sort_by === undefined ? '' : `, by ${sort_by} ${args.order ?? 'descending'}`
    return fitRows({
      ...{ args, place, rows: found.rows, nextPage: found.nextPage },
      head: { market, metrics: args.metrics, as_of, data_version, attribution, ...given({ licence, note }) },
      title: `Companies of ${market} as known on ${as_of}: ${args.metrics.join(', ')}${ranked}. ${note ?? ''}`,
      line: lineOf(args.metrics),
      narrow: sort_by === undefined ? 'narrow with filters' : 'narrow with filters or top',
    })
  },
})

/** Companies of a page without sort_by. Few: with an evaluation key each counts as seen. */
const pageCompanies = 50
/** Companies of a page of a ranking: free keys get no more. */
const rankedCompanies = 1_000

/** The API sorts all companies of the market, so a page of a ranking is a part of the whole one. */
async function onePage(args: ScreenArgs, place: Place, call: ToolCall): Promise<Found> {
  const { sort_by, top } = args
  const limit = sort_by === undefined ? pageCompanies : (top ?? rankedCompanies)
  const found = await readPage(args, limit, place.page === '' ? undefined : place.page, call)
  const nextPage = top === undefined ? found.next : null
  return { page: found, rows: rowsOf(args.metrics, found), nextPage }
}

const lineOf =
  (metrics: readonly string[]) =>
  ({ ticker, fy, fp, filed, values, unit }: ScreenRow) => {
    const figures = metrics.map(name => `${name} ${values[name] ?? 'none'}`).join(', ')
    return `${ticker} ${fp} ${fy}: ${figures}${unit === undefined ? '' : ` (${unit})`}, filed ${filed}`
  }
