import { TypeCompiler } from '@sinclair/typebox/compiler'
import { BacktestPanelRow } from '../../src/model/backtest.ts'
import { dayNumber } from '../../src/model/date.ts'
import { registerFormats } from '../../src/model/formats.ts'
import type { Columns } from '../../src/quant/columns.ts'

registerFormats()
const rowCheck = TypeCompiler.Compile(BacktestPanelRow)

/** A body of JSON rows the plain way: JSON.parse, the schema on every row, Maps for the names. */
export function readNaively(bytes: Uint8Array): Columns {
  const body: { panel: BacktestPanelRow[] } = JSON.parse(new TextDecoder().decode(bytes))
  const assets = new Map<string, number>()
  const markets = new Map([['', 0]])
  const number = (names: Map<string, number>, name: string) => {
    const known = names.get(name) ?? names.size
    names.set(name, known)
    return known
  }
  if (!body.panel.every(row => rowCheck.Check(row))) throw new Error('a row is wrong')
  return {
    count: body.panel.length,
    day: Int32Array.from(body.panel, row => dayNumber(row.date)),
    asset: Int32Array.from(body.panel, row => number(assets, row.asset)),
    market: Uint16Array.from(body.panel, row => number(markets, row.market ?? '')),
    score: Float64Array.from(body.panel, row => row.score ?? Number.NaN),
    forwardReturn: Float64Array.from(body.panel, row => row.forward_return ?? Number.NaN),
    assetNames: [...assets.keys()],
    marketNames: [...markets.keys()],
  }
}
