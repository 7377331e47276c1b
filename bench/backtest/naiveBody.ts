import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { BacktestPanelRow } from '../../src/backtest/request.ts'
import { dayNumber, registerFormats } from '../../src/dates.ts'

registerFormats()
const rowCheck = TypeCompiler.Compile(BacktestPanelRow)

/** Reads a body of JSON rows the naive way: JSON.parse, the schema check on every row, Maps for the names. */
export function readNaively(bytes: Uint8Array): Columns {
  const body: { panel: BacktestPanelRow[] } = JSON.parse(new TextDecoder().decode(bytes))
  const assets = new Map<string, number>()
  const markets = new Map([['', 0]])
  const indexOf = (names: Map<string, number>, name: string) => {
    const index = names.get(name) ?? names.size
    names.set(name, index)
    return index
  }
  if (!body.panel.every(row => rowCheck.Check(row))) throw new Error('a row is invalid')
  return {
    count: body.panel.length,
    day: Int32Array.from(body.panel, row => dayNumber(row.date)),
    asset: Int32Array.from(body.panel, row => indexOf(assets, row.asset)),
    market: Uint16Array.from(body.panel, row => indexOf(markets, row.market ?? '')),
    score: Float64Array.from(body.panel, row => row.score ?? Number.NaN),
    forwardReturn: Float64Array.from(body.panel, row => row.forward_return ?? Number.NaN),
    assetNames: [...assets.keys()],
    marketNames: [...markets.keys()],
  }
}
