import { Type } from '@sinclair/typebox'
import { MetricDefinition } from '../../../markets/metrics.ts'
import { read, type ToolCall, ToolRefusal } from '../api.ts'
import { limitForCapped } from '../schemas.ts'
import { type Found, readExactly, rowsOf, type ScreenArgs, type ScreenRow } from './crossSection.ts'

const rankingCompanies = 10_000
/** Free keys get a thousand companies a page. */
const maxRankingPages = 10

/** A ranking needs all companies: those of a few pages, all of one data version and day. */
export async function ranking(args: ScreenArgs, sortBy: string, call: ToolCall): Promise<Found> {
  const whole = await readExactly(args, rankingCompanies, undefined, call)
  const fewer = limitForCapped(whole)
  const first = fewer === null ? whole : await readExactly(args, fewer, undefined, call)
  // Each page of a key whose companies are counted uses up more of them.
  const maxPages = fewer === null ? maxRankingPages : 1
  const rows = rowsOf(args.metrics, first)
  let { next } = first
  for (let pages = 1; next !== null && pages < maxPages; pages++) {
    const more = await readExactly(args, rankingCompanies, next, call)
    if (more.data_version !== first.data_version)
      throw new ToolRefusal('conflict', 'Data was imported while the companies were read. Call again.')
    rows.push(...rowsOf(args.metrics, more))
    next = more.next
  }
  const sign = args.order === 'ascending' ? 1 : -1
  const rankedBy = (row: ScreenRow) => row.values[sortBy] ?? null
  const withValue = rows.filter(row => rankedBy(row) !== null)
  withValue.sort((a, b) => sign * ((rankedBy(a) ?? 0) - (rankedBy(b) ?? 0)) || (a.ticker < b.ticker ? -1 : 1))
  const { rows: comparable, note: currencyNote } = await ofOneCurrency(args, sortBy, withValue, call)
  const shown = args.limit === undefined ? comparable : comparable.slice(0, args.limit)
  const without = rows.length - withValue.length
  const notes = [
    ...(shown.length < comparable.length
      ? [`${comparable.length} companies are ranked; limit cuts the list.`]
      : []),
    ...(currencyNote === null ? [] : [currencyNote]),
    ...(without > 0 ? [`${without} companies without ${sortBy} are not ranked.`] : []),
    ...(next === null ? [] : [moreNote(fewer)]),
  ]
  return {
    page: first,
    rows: shown,
    nextPage: null,
    ...(notes.length === 0 ? {} : { leftOut: notes.join(' ') }),
  }
}

const moreNote = (counted: number | null) =>
  counted === null
    ? 'The market has more companies than a ranking covers: filter further.'
    : `Only the first ${counted} companies that pass the filters are ranked, because each counts against what this key may see: filter further.`

const ReadUnits = Type.Object({
  metrics: Type.Array(
    Type.Object({ name: MetricDefinition.properties.name, unit: MetricDefinition.properties.unit }),
  ),
})

/** The rows in the currency that most companies report in: amounts of two currencies have no order. */
async function ofOneCurrency(
  args: ScreenArgs,
  sortBy: string,
  rows: readonly ScreenRow[],
  call: ToolCall,
): Promise<{ rows: readonly ScreenRow[]; note: string | null }> {
  const byUnit = Map.groupBy(rows, ({ unit }) => unit)
  if (byUnit.size < 2) return { rows, note: null }
  const query = { market: args.market.toUpperCase(), limit: 1 }
  const { metrics } = await read(call, ReadUnits, { path: '/api/v1/fundamentals', query })
  const unit = metrics.find(({ name }) => name === sortBy)?.unit
  if (unit !== 'currency' && unit !== 'currency/share') return { rows, note: null }
  const [[main, ranked]] = [...byUnit].sort(([, a], [, b]) => b.length - a.length)
  const note = `${rows.length - ranked.length} companies that do not report in ${main} are not ranked: their amounts cannot be compared.`
  return { rows: ranked, note }
}
