import { Failure } from '../../errors.ts'
import type { BodySource } from './bodyBytes.ts'
import {
  type ColumnName,
  checkPanelSize,
  columnNames,
  isRequired,
  optionalColumns,
  requiredColumns,
  rowCapacity,
} from './cells.ts'
import { CsvReader } from './csvCells.ts'
import { type CsvColumn, CsvRowReader } from './csvRows.ts'
import { showValue } from './faults.ts'
import { closeAndReturn, pushChecked } from './jsonRows.ts'
import { PanelBuilder, type ParsedPanel } from './panelBuilder.ts'

const minRowBytes = '2024-01-02,A'.length
const sampleHeader = columnNames.filter(name => name === 'market' || requiredColumns.includes(name)).join(',')

/** Reads a panel as CSV: a header that names the columns in any order, then one line per row. An empty cell
 * is a missing value. Lines of the common form go straight from bytes to columns; any other line is read
 * cell by cell and validated by the schema.
 *
 * @param wanted the columns of the caller's own that the request names
 * @param mayLackReturns whether prices give the returns */
export function readCsv(source: BodySource, wanted: readonly string[], mayLackReturns = false): ParsedPanel {
  const reader = new CsvReader(source)
  if (reader.ended)
    throw new Failure(
      'body_invalid',
      `The body is empty. Start it with a header line such as ${sampleHeader}.`,
    )
  const header = reader.row()
  const panel = new PanelBuilder(rowCapacity(reader.totalBytes, minRowBytes), wanted, () => mayLackReturns)
  const { columns, missingScore } = readHeader(header, panel)
  const rows = new CsvRowReader(reader, panel, columns)
  while (!reader.ended) {
    if (!rows.read()) readRowChecked(reader, panel, columns)
    checkPanelSize(panel.count, panel.markets.names.length)
    reader.ready()
  }
  return { columns: panel.columns(), placeOf: row => `line ${lineOfRow(reader, row)}`, missingScore }
}

function readHeader(
  cells: readonly string[],
  { extras, mayLackReturns }: PanelBuilder,
): { columns: CsvColumn[]; missingScore: Failure | null } {
  const columns: CsvColumn[] = []
  for (const [i, cell] of cells.entries()) {
    const unknown = () => unknownColumn(cell, i, cells.length)
    const known = columnNames.find(name => name === cell)
    const own = known === undefined ? extras.add(cell, unknown) : -1
    if (known === undefined && own === -1) throw unknown()
    const column = known ?? own
    if (columns.includes(column)) {
      throw new Failure(
        'parameter_repeated',
        `The header (line 1) has the column ${cell} twice. Send it once.`,
        {
          param: `line 1.${cell}`,
        },
      )
    }
    columns.push(column)
  }
  const sent = new Set(columns)
  if (sent.has('close') && sent.has('forward_return')) throw closeAndReturn('The header (line 1)')
  const absent = requiredColumns.filter(
    name => isRequired(name, sent) && !sent.has(name) && (name !== 'forward_return' || !mayLackReturns()),
  )
  if (absent.length === 0) return { columns, missingScore: null }
  const fault = new Failure(
    'parameter_invalid',
    `The header (line 1) does not have ${absent.join(', ')}. Required columns: ${requiredColumns.join(', ')}. Optional: ${optionalColumns.join(', ')}.`,
    { param: `line 1.${absent[0]}` },
  )
  if (absent.some(name => name !== 'score')) throw fault
  return { columns, missingScore: fault }
}

function unknownColumn(cell: string, index: number, count: number): Failure {
  const known = `Allowed columns: ${columnNames.join(', ')}.`
  if (cell === '' && count > 1) {
    return new Failure(
      'parameter_unknown',
      `Column ${index + 1} of the header (line 1) has no name. pandas writes its index unless called as to_csv(index=False). ${known}`,
      { param: 'line 1' },
    )
  }
  return new Failure(
    'parameter_unknown',
    `The header (line 1) has an unknown column ${showValue(cell)}. ${known}`,
    { param: 'line 1' },
  )
}

/** The slow path: reads any line, reports its faults, and validates it by the schema. */
function readRowChecked(reader: CsvReader, panel: PanelBuilder, columns: readonly CsvColumn[]): void {
  const { line } = reader
  const location = `line ${line}`
  const cells = reader.row()
  if (cells.length === 1 && cells[0] === '') {
    if (reader.onlySpaceFollows()) return
    throw new Failure('body_invalid', `Line ${line} is empty. Send one row per line.`, { param: location })
  }
  if (cells.length !== columns.length) {
    throw new Failure(
      'body_invalid',
      `Line ${line} has ${cells.length} cells, but the header has ${columns.length} columns. Send one cell per column.`,
      { param: location },
    )
  }
  const row = Object.fromEntries(
    columns.map((column, i) =>
      typeof column === 'number'
        ? [panel.extras.names[column], numberValue(cells[i])]
        : [column, cellValue(column, cells[i])],
    ),
  )
  pushChecked(panel, row, [location], 'an empty cell')
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** The value that the schema validates: a number if the cell is a JSON number, null if it is an empty cell of
 * a nullable column, otherwise the text. */
function cellValue(column: ColumnName, cell: string): string | number | null {
  switch (column) {
    case 'date':
    case 'asset':
      return cell
    case 'market':
    case 'group':
      return cell === '' ? null : cell
    case 'score':
    case 'forward_return':
    case 'dollar_volume':
    case 'close':
    case 'borrow_bps':
      return numberValue(cell)
    default:
      return column satisfies never
  }
}

function numberValue(cell: string): string | number | null {
  if (cell === '') return null
  const value = jsonNumber.test(cell) ? Number(cell) : Number.NaN
  return Number.isFinite(value) ? value : cell
}

/** The line in which a row begins. Cells may contain line breaks, so quotes are counted; the body is already
 * known to be valid. */
function lineOfRow(reader: CsvReader, row: number): number {
  let line = 1
  let begun = -1 // the header
  let quoted = false
  reader.scan(0, reader.totalBytes, bytes => {
    for (let i = 0; i < bytes.length && begun < row; i++) {
      if (bytes[i] === 0x22) quoted = !quoted
      if (bytes[i] !== 0x0a) continue
      line++
      if (!quoted) begun++
    }
  })
  return line
}
