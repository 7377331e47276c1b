import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { BacktestPanelRow } from '../../src/backtest/request.ts'
import { dayNumber, registerFormats } from '../../src/dates.ts'

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
