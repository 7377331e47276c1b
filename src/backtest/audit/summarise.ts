import { isoDate } from '../../dates.ts'
import { none } from '../asOf/positions.ts'
import type { AuditedFigures, AuditedRows, ClassifiedColumn } from './classify.ts'
import type { AuditedColumn, AuditLag } from './result.ts'
import { auditReasons, auditStates, type StateCounts, stateCode } from './states.ts'
import type { Vintages } from './vintages.ts'

/** The first days of the classes of lags: the same day, a week, one, two and three months, half a year, a year, and more. */
const lagStarts = [0, 1, 8, 31, 61, 91, 181, 366]
const states = auditStates.length + 1

/** How many cells of each state and reason a column has, by year of the row and by lag. */
export function countColumn(
  rows: AuditedRows,
  figures: AuditedFigures,
  found: ClassifiedColumn,
): Pick<AuditedColumn, 'counts' | 'years' | 'lags' | 'reasons'> {
  const total = new Float64Array(states)
  const byYear = new Map<number, Float64Array<ArrayBuffer>>()
  const byLag = lagStarts.map(() => new Float64Array(states))
  const byReason = new Float64Array(auditReasons.length + 1)
  let lastDay = Number.NaN
  let ofYear: Float64Array<ArrayBuffer> = total
  for (let row = 0; row < rows.count; row++) {
    const state = found.state[row]
    total[state]++
    byReason[found.reason[row]]++
    const day = rows.ownDay[row]
    if (day !== lastDay) {
      lastDay = day
      const year = new Date(day * 86_400_000).getUTCFullYear()
      ofYear = byYear.get(year) ?? new Float64Array(states)
      byYear.set(year, ofYear)
    }
    ofYear[state]++
    const days = lagOf(rows, figures, found, row)
    if (days !== null && days >= 0) byLag[lagStarts.findLastIndex(from => from <= days)][state]++
  }
  return {
    counts: stateCounts(total),
    years: [...byYear]
      .sort(([a], [b]) => a - b)
      .map(([year, counts]) => ({ year, counts: stateCounts(counts) })),
    lags: byLag.map(
      (counts, index): AuditLag => ({
        from_days: lagStarts[index],
        to_days: index + 1 < lagStarts.length ? lagStarts[index + 1] - 1 : null,
        announced: counts[stateCode.announced],
        restated: counts[stateCode.restated],
        early: counts[stateCode.early],
      }),
    ),
    reasons: Object.fromEntries(
      auditReasons.flatMap((reason, index) =>
        byReason[index + 1] === 0 ? [] : [[reason, byReason[index + 1]]],
      ),
    ) as AuditedColumn['reasons'],
  }
}

/** The vintages in which a cell's vintage is. */
export const vintagesOf = ({ vintages, otherPeriods }: AuditedFigures, source: number): Vintages =>
  source === 0 ? vintages : otherPeriods[source - 1].vintages

/** Days from a row's day to the filing of the figure that its cell equals; null: it equals none. */
export function lagOf(
  { ownDay }: AuditedRows,
  figures: AuditedFigures,
  { vintage, source }: ClassifiedColumn,
  row: number,
): number | null {
  const at = vintage[row]
  return at === none ? null : vintagesOf(figures, source[row]).days[at] - ownDay[row]
}

export function stateCounts(counts: Float64Array): StateCounts {
  const named = Object.fromEntries(auditStates.map((state, index) => [state, counts[index + 1]]))
  return { ...(named as Omit<StateCounts, 'empty'>), empty: counts[0] }
}

/** A cell that could not have been known, before its company is named. */
export interface RankedCell {
  readonly row: number
  readonly column: number
  readonly days: number
}

/** The states of cells that show what was not known. */
const unknownStates: ReadonlySet<number> = new Set([
  stateCode.early,
  stateCode.restated,
  stateCode.announced,
  stateCode.other_company,
])

/** The cells that look ahead by the most days, those filed last first; then those of other companies. */
export function worstCells(
  rows: AuditedRows,
  columns: readonly { readonly figures: AuditedFigures; readonly found: ClassifiedColumn }[],
  limit: number,
): RankedCell[] {
  const byDays = new Map<number, RankedCell[]>()
  for (const [column, { figures, found }] of columns.entries()) {
    for (let row = 0; row < rows.count; row++) {
      if (!unknownStates.has(found.state[row])) continue
      const days = Math.max(lagOf(rows, figures, found, row) ?? 0, 0)
      const same = byDays.get(days)
      if (same === undefined) byDays.set(days, [{ row, column, days }])
      else if (same.length < limit) same.push({ row, column, days })
    }
  }
  const worst: RankedCell[] = []
  for (const days of [...byDays.keys()].sort((a, b) => b - a)) {
    worst.push(...(byDays.get(days) ?? []).slice(0, limit - worst.length))
    if (worst.length === limit) break
  }
  return worst
}

export const dayOrNull = (day: number | undefined): string | null => (day === undefined ? null : isoDate(day))
