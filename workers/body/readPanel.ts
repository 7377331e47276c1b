import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../src/errors.ts'
import { BacktestPanelRow, BacktestRequest } from '../../src/model/backtest.ts'
import type { Columns } from '../../src/quant/columns.ts'
import { describeFault } from './describeFault.ts'
import type { JsonReader } from './JsonReader.ts'
import { PanelColumns } from './PanelColumns.ts'
import { PanelRowReader } from './PanelRowReader.ts'

const rowCheck = TypeCompiler.Compile(BacktestPanelRow)
const maxRows = BacktestRequest.properties.panel.maxItems ?? 0
const maxMarkets = 65_535

/** The rows of a panel, from the reader's place at `[`, as columns.
 *
 * Rows of the usual shape go straight from bytes to columns; whatever is unusual about a row, it is read again as a
 * value and the schema decides: it is the one that knows what a row may be. */
export function readPanel(reader: JsonReader): Columns {
  const panel = new PanelColumns()
  const rows = new PanelRowReader(reader, panel)
  reader.expect(0x5b)
  if (!reader.take(0x5d)) {
    do {
      if (panel.count >= maxRows) tooMany(`more than ${maxRows.toLocaleString('en')} rows`)
      reader.skipSpace()
      if (!rows.read()) readUnusualRow(reader, panel)
      if (panel.markets.names.length > maxMarkets)
        tooMany(`more than ${maxMarkets.toLocaleString('en')} markets`)
    } while (reader.take(0x2c))
    reader.expect(0x5d)
  }
  return panel.columns()
}

function readUnusualRow(reader: JsonReader, panel: PanelColumns): void {
  reader.path.push(panel.count)
  const row = reader.value()
  if (!rowCheck.Check(row)) {
    const fault = rowCheck.Errors(row).First()
    if (fault) throw describeFault(fault, reader.path, BacktestPanelRow)
    throw new Failure('parameter_invalid', `${reader.here} is not a panel row.`, { param: reader.here })
  }
  panel.pushRow(row)
  reader.path.pop()
}

function tooMany(what: string): never {
  throw new Failure('body_invalid', `panel has ${what}. Split it, or send fewer dates.`, { param: 'panel' })
}
