import { addDays, daySpan } from '../../dates.ts'
import { type KnownLineage, lineageShown } from '../companies/lineage.ts'
import { type FundamentalsList, type FundamentalsRow, periodOrder } from './schema.ts'

/**
 * Merges the histories of a lineage's registrants into one. Every row keeps its registrant. If several registrants
 * report a period, their rows are ordered by filing day as within one registrant; on the same day the later registrant
 * wins.
 *
 * @param lists the first is that of the company in the request
 */
export function mergeLineage(lineage: KnownLineage, lists: readonly FundamentalsList[]): FundamentalsList {
  const [own] = lists
  const place = new Map(lineage.registrants.map(({ issuerId }, index) => [issuerId, index]))
  const placeOf = (row: FundamentalsRow) => place.get(row.issuer_id) ?? -1
  const rows = lists
    .flatMap(({ data }) => data)
    .sort(
      (a, b) =>
        compare(a.m, b.m) ||
        compare(a.end, b.end) ||
        compare(a.filed, b.filed) ||
        periodOrder(a.fp) - periodOrder(b.fp) ||
        placeOf(a) - placeOf(b),
    )
  const data = own.view === 'latest' ? markStale(latestOf(rows)) : oneVintage(rows, own.vintage)
  const missing = own.missing?.filter(({ metric }) => data.every(({ m }) => m !== metric)) ?? []
  const notes = lists.flatMap(({ ticker, note, count }) =>
    note === undefined || (count === 0 && data.length > 0) ? [] : [`${ticker}: ${note}`],
  )
  const { note: _, missing: __, data_version, licence, attribution, ...head } = own
  return {
    ...withoutRows(head),
    lineage: lineageShown(lineage),
    data_version,
    ...(licence === undefined ? {} : { licence }),
    attribution,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    ...(missing.length === 0 ? {} : { missing }),
    count: data.length,
    data,
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

function withoutRows<Head extends Pick<FundamentalsList, 'count' | 'data'>>(
  head: Head,
): Omit<Head, 'count' | 'data'> {
  const { count: _, data: __, ...rest } = head
  return rest
}

/** @param rows in order of filing within each period */
function oneVintage(
  rows: readonly FundamentalsRow[],
  vintage: FundamentalsList['vintage'],
): FundamentalsRow[] {
  if (vintage === undefined) return [...rows]
  const chosen = new Map<string, FundamentalsRow>()
  for (const row of rows) {
    const key = `${row.m} ${row.end} ${row.fp}`
    if (vintage === 'latest' || !chosen.has(key)) chosen.set(key, row)
  }
  return [...chosen.values()]
}

/** Each metric's row for its latest period; if there are several, the one that was filed last. */
function latestOf(rows: readonly FundamentalsRow[]): FundamentalsRow[] {
  const latest = new Map<string, FundamentalsRow>()
  for (const row of rows) {
    const known = latest.get(row.m)
    if (known === undefined || row.end >= known.end) latest.set(row.m, row)
  }
  return [...latest.values()]
}

/** Marks stale metrics as within one registrant (staleness.ts), but by the latest period of the whole lineage. */
const staleDays = 350

function markStale(rows: readonly FundamentalsRow[]): FundamentalsRow[] {
  const end = daySpan(rows.map(row => row.end))?.last
  if (end === undefined) return []
  const oldest = addDays(end, -staleDays)
  return rows.map(row => (row.end < oldest ? { ...row, stale: true as const } : row))
}
