import type { IsoDate } from '../../model/date.ts'
import type { Vintage } from '../../model/fundamentals.ts'
import type { Fragment, Statements } from '../database.ts'

/** Which rows of one entity are asked for. */
export interface RowScope {
  readonly entityId: number
  readonly asOf: IsoDate
  /** null: all. */
  readonly metrics: readonly string[] | null
  /** Earliest period end; null: no bound. */
  readonly from: IsoDate | null
  /** Which vintages of a period the history shows. */
  readonly vintage: Vintage
  /** Only the most recent fiscal year of which a full year is reported. */
  readonly recentFiscalYearOnly: boolean
}

/** A row as the store knows it: fp 0 is the year, 1 to 4 are quarters. */
export interface StoredRow {
  readonly m: string
  readonly fy: number
  readonly fp: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly v: number
  readonly u: string
}

export interface StoredRows {
  /** Of the same snapshot as the rows. */
  readonly dataVersion: number
  readonly rows: StoredRow[]
}

interface Answer extends StoredRow {
  readonly version: string
}

/** Every answer has one row at least, which carries the version; its other columns are null when no row was
 * found. */
export function unpack(answer: readonly (Answer | { version: string; m: null })[]): StoredRows {
  const rows: StoredRow[] = []
  for (const row of answer) if (row.m !== null) rows.push(row)
  return { dataVersion: Number(answer[0].version), rows }
}

/** The fiscal year of the latest full year known that day; a year that earns something goes before the date on
 * a cover page. Where no full year is known, the latest fiscal year of all. */
export function recentFiscalYear(sql: Statements, asOf: IsoDate, entityId: Fragment | number) {
  return sql`
    coalesce(
      (select y.fy
       from metric ym cross join lateral (
         select f.fy, f.period_end, f.period_start from fact_as_of(${asOf}) f
         where f.entity_id = ${entityId} and f.metric_id = ym.metric_id and f.fp = 0
         order by f.period_end desc limit 1) y
       order by (y.period_start is not null) desc, y.period_end desc, y.fy desc limit 1),
      (select max(f.fy) from fact_as_of(${asOf}) f where f.entity_id = ${entityId}))`
}
