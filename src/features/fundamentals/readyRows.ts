import type { SqlClient } from '../../postgres/client.ts'
import { findReadyRows } from '../companies/queries.ts'
import { selectsAllPeriods } from './periods.ts'
import type { CompanyPlan } from './plan.ts'
import type { StoredRow, StoredRows } from './queries.ts'

/**
 * Whether a request can use ready rows, which contain a whole view. Requests for fewer rows, more columns or
 * another day read the tables.
 */
export const isReadyForm = (plan: CompanyPlan): boolean =>
  plan.choosesBy === null &&
  plan.vintage === 'all' &&
  plan.otherMarket === null &&
  !plan.recentFiscalYearOnly &&
  plan.metrics === null &&
  plan.from === null &&
  selectsAllPeriods(plan) &&
  plan.adjust === null &&
  plan.checks === null &&
  plan.fields.length === 0

/** The ready rows of a plan, or null if there are none for its day and the tables have to be read. */
export async function readReadyRows(sql: SqlClient, plan: CompanyPlan): Promise<StoredRows | null> {
  if (!isReadyForm(plan)) return null
  const ready = plan.ready === undefined ? await findReadyRows(sql, plan.ticker) : plan.ready
  if (ready === null || plan.asOf < ready.firstDay || plan.asOf >= ready.endDay) return null
  const packed = plan.view === 'latest' ? ready.latest : ready.history
  if (packed === null) return null
  return { dataVersion: ready.dataVersion, rows: unpackRows(packed) }
}

type PackedGroup = [
  fy: number,
  fp: number,
  end: string,
  filed: string,
  unit: string,
  kind: number,
  until: string | null,
  ...figures: (string | number)[],
]

/**
 * Restores the order of `latestRows` and `historyRows`. Metric names are ASCII, so this order equals the
 * collation C. No two rows compare equal.
 */
export function unpackRows(packed: string): StoredRow[] {
  const groups: readonly PackedGroup[] = JSON.parse(packed)
  const rows: StoredRow[] = []
  for (const [fy, fp, end, filed, u, kind, until, ...figures] of groups) {
    const derived = (kind & 1) !== 0
    const earlier = (kind & 2) !== 0
    for (let at = 0; at < figures.length; at += 2) {
      const m = String(figures[at])
      rows.push({ m, fy, fp, end, filed, v: Number(figures[at + 1]), u, until, derived, earlier })
    }
  }
  return rows.sort(
    (a, b) => compare(a.m, b.m) || compare(a.end, b.end) || compare(a.filed, b.filed) || a.fp - b.fp,
  )
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
