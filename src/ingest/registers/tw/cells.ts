import type { Filing, Statement } from '../../../facts/reportedFact.ts'
import { numberOf, unitOf } from '../../reading/fields.ts'
import { twUses } from './concepts.ts'
import { firstDay, lastDay, type Quarter } from './deadlines.ts'

export interface ReadCells {
  readonly statements: Statement[]
  figuresRead: number
  malformed: number
  readonly leftOut: Map<string, number>
}

export const startCells = (): ReadCells => ({
  statements: [],
  figuresRead: 0,
  malformed: 0,
  leftOut: new Map(),
})

export function leaveOut({ leftOut }: Pick<ReadCells, 'leftOut'>, reason: string, count = 1): void {
  if (count > 0) leftOut.set(reason, (leftOut.get(reason) ?? 0) + count)
}

/** Reads one cell: money in thousands of Taiwan dollars, per-share figures in dollars. Income is that of the year to date,
 * whose length tells the quarter apart from half a year, nine months and the year. */
export function readCell(
  tag: string,
  cell: unknown,
  quarter: Quarter,
  filing: Filing,
  into: ReadCells,
): void {
  const text = typeof cell === 'number' ? String(cell) : typeof cell === 'string' ? cell.trim() : ''
  if (text === '') return
  into.figuresRead++
  const uses = twUses(tag)
  if (uses === undefined) {
    leaveOut(into, 'a column that the service does not carry')
    return
  }
  for (const use of uses) {
    const { kind, unitKind } = use.concept
    const value = unitKind === 'money' ? inUnits(text) : numberOf(text)
    const unit = unitOf('TWD', unitKind)
    if (Number.isNaN(value) || unit === null) {
      into.malformed++
      continue
    }
    into.statements.push({
      ...{ metric: use.metric, tag: use.tag, unit, value, rounded: false, filing },
      start: kind === 'flow' ? firstDay(quarter) : null,
      end: lastDay(quarter),
    })
  }
}

/** Thousands as units, without the noise of a multiplication. */
const inUnits = (thousands: string): number =>
  /e/i.test(thousands)
    ? Number.NaN
    : numberOf(Number.isNaN(numberOf(thousands)) ? thousands : `${thousands}e3`)
