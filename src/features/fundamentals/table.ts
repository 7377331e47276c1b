import type { KnownBy } from '../../instants.ts'
import { currencies, isPeriodFigure } from './columns.ts'
import { type FundamentalsList, type FundamentalsRow, fiscalPeriods, periodOrder } from './schema.ts'
import type { FundamentalsTable } from './tableSchema.ts'

/**
 * A company's figures with one row per fiscal period. A row holds the figures of one fiscal year, period and
 * end; a cover count joins the last period of its report that was over on its day.
 *
 * @param list with one vintage of each figure
 * @param metrics the columns, or null for all metrics with a figure
 */
export function tableOf(list: FundamentalsList, metrics: readonly string[] | null): FundamentalsTable {
  const periods = new Map<string, FundamentalsRow[]>()
  const endOf = periodEnds(list.data)
  // Cover counts come last, because the first row of a period determines its end.
  const [figures, counts] = [true, false].map(own => list.data.filter(({ m }) => isPeriodFigure(m) === own))
  for (const row of [...figures, ...counts]) {
    const key = `${endOf(row)} ${row.fy} ${row.fp}`
    const known = periods.get(key)
    if (known === undefined) periods.set(key, [row])
    else known.push(row)
  }
  const columns = metrics ?? [...new Set(list.data.map(({ m }) => m))]
  const { object: _, count: __, data: ___, ...head } = list
  const data = [...periods.values()].map(rows => tableRow(rows, columns)).sort(byPeriod)
  return { object: 'fundamentals_table', metrics: [...columns], ...head, count: data.length, data }
}

/**
 * The end of the fiscal period to which a row belongs: its own or, for a cover count, that of the last period
 * of its report that was over on its day.
 */
export function periodEnds(rows: readonly FundamentalsRow[]): (row: FundamentalsRow) => string {
  const ends = new Map<string, string[]>()
  for (const { m, fy, fp, end } of rows) {
    if (!isPeriodFigure(m)) continue
    const known = ends.get(`${fy} ${fp}`)
    if (known === undefined) ends.set(`${fy} ${fp}`, [end])
    else if (!known.includes(end)) known.push(end)
  }
  return ({ m, fy, fp, end }) => {
    if (isPeriodFigure(m)) return end
    const before = (ends.get(`${fy} ${fp}`) ?? []).filter(other => other <= end)
    return before.sort().at(-1) ?? end
  }
}

function tableRow(rows: readonly FundamentalsRow[], columns: readonly string[]) {
  const { fy, fp, end, ticker, issuer_id, source } = rows[0]
  const cells: Record<string, number | null> = Object.fromEntries(columns.map(metric => [metric, null]))
  const earlier = columns.filter(metric => rows.some(row => row.m === metric && row.generation === 'earlier'))
  let { filed } = rows[0]
  for (const row of rows) {
    cells[row.m] = row.v
    if (row.filed > filed) filed = row.filed
  }
  return {
    fy,
    fp,
    end,
    filed,
    ...cells,
    currency: currencies(rows.map(({ u }) => u)),
    earlier: earlier.length === 0 ? null : earlier.join(' '),
    ticker,
    issuer_id,
    source,
    ...(rows[0].known_by === undefined ? {} : { known_by: ruleOfAll(rows) }),
  }
}

const ruleOfAll = (rows: readonly FundamentalsRow[]): KnownBy =>
  rows.some(row => row.known_by === 'day') ? 'day' : 'time'

type Period = Pick<FundamentalsRow, 'fy' | 'fp' | 'end'>

const place = ({ fp }: Period) => (fp === 'FY' ? fiscalPeriods.length : periodOrder(fp))

/** Sorts by end; a quarter comes before the year that ends with it. */
function byPeriod(a: Period, b: Period): number {
  if (a.end !== b.end) return a.end < b.end ? -1 : 1
  return place(a) - place(b) || a.fy - b.fy
}
