import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../src/errors.ts'
import { BacktestPanelRow } from '../../src/model/backtest.ts'
import { checkSize, roomFor } from './cells.ts'
import { describeFault } from './describeFault.ts'
import type { JsonReader, JsonValue } from './JsonReader.ts'
import { PanelColumns } from './PanelColumns.ts'
import { PanelRowReader } from './PanelRowReader.ts'
import type { PanelRows } from './PanelRows.ts'

export const leastRow = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":1}'.length
const rowCheck = TypeCompiler.Compile(BacktestPanelRow)

/** The rows of a panel, from the reader's place at `[`, as columns.
 *
 * Rows of the usual shape go straight from bytes to columns; whatever is unusual about a row, it is read again as a
 * value and the schema decides: it is the one that knows what a row may be. */
export function readPanelRows(reader: JsonReader): PanelRows {
  const panel = new PanelColumns(roomFor(reader.bytes, leastRow))
  const rows = new PanelRowReader(reader, panel)
  reader.expect(0x5b)
  if (!reader.take(0x5d)) {
    do {
      reader.skipSpace()
      if (!rows.read()) {
        reader.path.push(panel.count)
        addUnusualRow(panel, reader.value(), reader.path)
        reader.path.pop()
      }
      checkSize(panel.count, panel.markets.names.length)
    } while (reader.take(0x2c))
    reader.expect(0x5d)
  }
  return { columns: panel.columns(), placeOf: row => `panel[${row}]` }
}

/** Adds a row that was read as a value, if the schema knows it. */
export function addUnusualRow(
  panel: PanelColumns,
  row: JsonValue,
  path: readonly (string | number)[],
  missing = 'null',
): void {
  if (rowCheck.Check(row)) {
    panel.pushRow(row)
    return
  }
  const fault = rowCheck.Errors(row).First()
  throw fault
    ? describeFault(fault, path, BacktestPanelRow, missing)
    : new Failure('parameter_invalid', 'A row of panel is no panel row.', { param: 'panel' })
}
