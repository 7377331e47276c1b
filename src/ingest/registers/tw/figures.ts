import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import { numberOf, unitOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import { type DocumentContent, Tally } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import { firstDay, lastDay, type Quarter } from './deadlines.ts'

/** Counts the figures of a document. */
export class FigureTally extends Tally {
  figuresRead = 0

  get content(): Omit<DocumentContent, 'parsed'> {
    return { figuresRead: this.figuresRead, ...this.counts }
  }
}

/** The figures of one cell: money in thousands of Taiwan dollars, per-share figures in dollars. Income is that of the year to
 * date, whose length distinguishes the quarter from half a year, nine months and the year. */
export function factsOfCell(
  column: string,
  cell: unknown,
  quarter: Quarter,
  filing: Filing,
  tally: FigureTally,
): ReportedFact[] {
  const text = textOfCell(cell)
  if (text === '') return []
  tally.figuresRead++
  const uses = usesOfTag(column)
  if (uses === undefined) {
    tally.leftOut.add('a column without a metric')
    return []
  }
  return uses.flatMap(({ metric, tag, concept }): ReportedFact[] => {
    const { kind, unitKind } = concept
    const value = unitKind === 'money' ? inDollars(text) : numberOf(text)
    const unit = unitOf('TWD', unitKind)
    if (Number.isNaN(value) || unit === null) {
      const { code, year, quarter: number } = quarter
      tally.faults.add(`${code}, ${year} Q${number}, ${column}: ${shown(cell)} is not a finite number`)
      return []
    }
    const start = kind === 'flow' ? firstDay(quarter) : null
    return [{ metric, tag, unit, start, end: lastDay(quarter), value, rounded: false, filing }]
  })
}

/** Empty: the cell states nothing. */
export const textOfCell = (cell: unknown): string =>
  cell === undefined || cell === null ? '' : String(cell).trim()

/** Thousands as dollars. The exponent is added to the text because a multiplication would add the noise of binary
 * fractions. */
const inDollars = (thousands: string): number =>
  /e/i.test(thousands)
    ? Number.NaN
    : numberOf(Number.isNaN(numberOf(thousands)) ? thousands : `${thousands}e3`)
