import { csvCell } from '../../formats/csv.ts'
import { type CarriedColumn, noCell } from './carried/carriedColumn.ts'
import { csvTexts, jsonTexts } from './carried/shownTexts.ts'
import { type ByteSink, dayBytes, type TextTable, textTable, viewOf } from './carried/texts.ts'
import type { ParsedRows } from './rows.ts'

/** How a text format writes cells. */
export interface CellStyle {
  readonly format: 'json' | 'csv'
  /** Bytes added around a day, such as quotes. */
  readonly around: number
  /** Bytes of a missing cell. */
  readonly missing: number
}

export const nullText = textTable(['null'])

export const jsonStyle: CellStyle = { format: 'json', around: 2, missing: nullText.starts[1] }
export const csvStyle: CellStyle = { format: 'csv', around: 0, missing: 0 }

/** The cells of one column of the rows, ready to be written. */
export interface RowCells {
  /** The size of all cells together. */
  readonly bytes: number
  write(sink: ByteSink, row: number): void
}

/** The columns of the rows in the order in which they were sent. In CSV, names pass through `csvCell`,
 * because a spreadsheet would run some of them as formulas. */
export function rowCells(rows: ParsedRows, style: CellStyle): RowCells[] {
  const { count, day, name, names } = rows
  const isJson = style.format === 'json'
  return rows.layout.map(column => {
    if (column === 'date') {
      const bytes = count * (dayBytes + style.around)
      return isJson
        ? { bytes, write: (sink, row) => sink.quotedDay(day[row]) }
        : { bytes, write: (sink, row) => sink.day(day[row]) }
    }
    if (column === 'ticker')
      return textCells(name, textTable(names.map(text => (isJson ? JSON.stringify(text) : csvCell(text)))))
    return carriedCells(column, isJson ? jsonTexts(column) : csvTexts(column), style)
  })
}

function textCells(numbers: Int32Array, { bytes: text, starts }: TextTable): RowCells {
  const view = viewOf(text)
  let bytes = 0
  // An iterator would allocate an object per row.
  for (let row = 0; row < numbers.length; row++) bytes += starts[numbers[row] + 1] - starts[numbers[row]]
  return {
    bytes,
    write: (sink, row) => sink.copy(view, starts[numbers[row]], starts[numbers[row] + 1]),
  }
}

function carriedCells(
  { cells }: CarriedColumn,
  { bytes: text, starts }: TextTable,
  style: CellStyle,
): RowCells {
  const view = viewOf(text)
  const missing = viewOf(nullText.bytes)
  let bytes = 0
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]
    bytes += cell === noCell ? style.missing : starts[cell] - starts[cell - 1]
  }
  return {
    bytes,
    write: (sink, row) => {
      const cell = cells[row]
      if (cell === noCell) sink.copy(missing, 0, style.missing)
      else sink.copy(view, starts[cell - 1], starts[cell])
    },
  }
}
