import { dayNumber } from '../../../dates.ts'
import { changeInPercent, type FigureForm, formOf } from '../figures.ts'
import type { Cell } from './align.ts'

/** What a cell shows: a number, or why there is none. */
export interface Measure {
  readonly value: number | null
  /** Empty if there is a value. */
  readonly why: string
}

const none = (why: string): Measure => ({ value: null, why })
const some = (value: number): Measure => ({ value, why: '' })

/** How many days a fiscal year may differ from 365, and two periods from each other. */
const yearDays: readonly [number, number] = [350, 380]
const maxDifference = 15

export const formOfCell = ({ row }: Cell): FigureForm => formOf(row.m, row.u)

/** The same fiscal period of the same company a year before; null if it is not known. */
export function yearBefore(line: readonly Cell[], { row, end }: Cell): Cell | null {
  const distance = (other: Cell) => dayNumber(end) - dayNumber(other.end)
  const found = line.filter(
    other => other.row.fp === row.fp && distance(other) >= yearDays[0] && distance(other) <= yearDays[1],
  )
  return found.sort((a, b) => Math.abs(distance(a) - 365) - Math.abs(distance(b) - 365))[0] ?? null
}

/**
 * The change against the same fiscal period a year before: in percent or, for figures that are percentages themselves,
 * in percentage points.
 */
export function growth(line: readonly Cell[], cell: Cell): Measure {
  const before = yearBefore(line, cell)
  if (before === null) return none('The same period a year before is not known.')
  if (before.row.u !== cell.row.u)
    return none(`The figure a year before is in ${before.row.u}, this one in ${cell.row.u}.`)
  if (before.days !== null && cell.days !== null && Math.abs(before.days - cell.days) > maxDifference)
    return none(`The period has ${cell.days} days, and the one a year before ${before.days}.`)
  if (formOfCell(cell) === 'percent') return some((cell.row.v - before.row.v) * 100)
  const percent = changeInPercent(before.row.v, cell.row.v)
  if (percent !== null) return some(percent)
  return none(
    before.row.v === 0
      ? 'The figure a year before is 0.'
      : 'The two figures have different signs, so a percentage would mean nothing.',
  )
}

/**
 * The first column in which every company has a positive figure, whose figures are 100.
 *
 * @param lines of the companies that have the metric, by column
 * @param keys of the columns, the latest first
 */
export function baseColumn(
  lines: readonly ReadonlyMap<string, Cell>[],
  keys: readonly string[],
): string | null {
  if (lines.length === 0) return null
  return keys.findLast(key => lines.every(line => (line.get(key)?.row.v ?? 0) > 0)) ?? null
}

export function indexed(base: Cell, cell: Cell): Measure {
  if (base.row.u !== cell.row.u)
    return none(`The first figure is in ${base.row.u}, this one in ${cell.row.u}.`)
  return some((cell.row.v / base.row.v) * 100)
}
