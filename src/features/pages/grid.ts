import type { IsoDate } from '../../dates.ts'
import { isPeriodFigure } from '../fundamentals/columns.ts'
import { type FundamentalsRow, fiscalPeriods, periodOrder } from '../fundamentals/schema.ts'
import { periodEnds } from '../fundamentals/table.ts'

/** A column: a fiscal period of a company. */
export interface Period {
  /** `2009.FY.2009-09-26`, as URLs spell it. */
  readonly key: string
  readonly fy: number
  readonly fp: FundamentalsRow['fp']
  readonly end: IsoDate
}

/** Figures with a row per metric and a column per period; each cell holds every vintage. */
export interface Grid {
  /** The latest first. */
  readonly periods: readonly Period[]
  readonly metrics: ReadonlySet<string>
  /** The vintages of a cell in filing order; empty if there are none. */
  vintages(metric: string, period: string): readonly FundamentalsRow[]
}

export function gridOf(rows: readonly FundamentalsRow[]): Grid {
  const periods = new Map<string, Period>()
  const cells = new Map<string, FundamentalsRow[]>()
  const metrics = new Set<string>()
  const endOf = periodEnds(rows)
  for (const row of rows) {
    const { m, fy, fp } = row
    const end = endOf(row)
    const key = `${fy}.${fp}.${end}`
    if (!periods.has(key)) periods.set(key, { key, fy, fp, end })
    metrics.add(m)
    const cell = cells.get(`${m} ${key}`)
    if (cell === undefined) cells.set(`${m} ${key}`, [row])
    else cell.push(row)
  }
  return {
    periods: [...periods.values()].sort(latestFirst),
    metrics,
    vintages: (metric, period) => cells.get(`${metric} ${period}`) ?? [],
  }
}

const orderOf = (fp: Period['fp']) => (fp === 'FY' ? fiscalPeriods.length : periodOrder(fp))

function latestFirst(a: Period, b: Period): number {
  if (a.end !== b.end) return a.end < b.end ? 1 : -1
  return orderOf(b.fp) - orderOf(a.fp) || b.fy - a.fy
}

/**
 * The vintages of a cell as a response as of a day has them: later filings are unknown, and so is whether
 * they supersede a vintage.
 */
export const knownOn = (vintages: readonly FundamentalsRow[], day: IsoDate): FundamentalsRow[] =>
  vintages
    .filter(({ filed }) => filed <= day)
    .map(row => (row.until !== null && row.until > day ? { ...row, until: null } : row))

/** The vintage current on the day of the rows. Of two cover counts, the later one. */
export const currentOf = (vintages: readonly FundamentalsRow[]): FundamentalsRow | null =>
  vintages.findLast(({ until }) => until === null) ?? null

/** The vintage before the current one, if its value or unit differs: the figure was restated. */
export function restatedFrom(vintages: readonly FundamentalsRow[]): FundamentalsRow | null {
  const current = currentOf(vintages)
  if (current === null || !isPeriodFigure(current.m)) return null
  const before = vintages[vintages.indexOf(current) - 1]
  if (before === undefined) return null
  return before.v === current.v && before.u === current.u ? null : before
}

/** Every day on which a figure appears or stops being current, ascending. */
export function filingDays(rows: readonly FundamentalsRow[]): IsoDate[] {
  const days = new Set<IsoDate>()
  for (const { filed, until } of rows) {
    days.add(filed)
    if (until !== null) days.add(until)
  }
  return [...days].sort()
}
