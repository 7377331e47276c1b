import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../src/errors.ts'
import { BacktestPanelRow, maxPanelRows } from '../../src/model/backtest.ts'

const { properties } = BacktestPanelRow
export type ColumnName = keyof typeof properties
export const columnNames = Object.keys(properties) as readonly ColumnName[]
export const requiredColumns = columnNames.filter(name => name !== 'market')

export const longestAsset = properties.asset.maxLength ?? 0
export const longestMarket = properties.market.anyOf[0].maxLength ?? 0
const { minimum: leastScore = 0, maximum: mostScore = 0 } = properties.score.anyOf[0]
const { minimum: leastReturn = 0, maximum: mostReturn = 0 } = properties.forward_return.anyOf[0]
export const scoreBounds = { least: leastScore, most: mostScore }
export const returnBounds = { least: leastReturn, most: mostReturn }

/** A column's cell as the schema knows it, for what is unusual. */
export const cellSchemas: Readonly<Record<ColumnName, TSchema>> = properties
export const cellChecks: Readonly<Record<ColumnName, TypeCheck<TSchema>>> = {
  date: TypeCompiler.Compile(properties.date),
  asset: TypeCompiler.Compile(properties.asset),
  market: TypeCompiler.Compile(properties.market),
  score: TypeCompiler.Compile(properties.score),
  forward_return: TypeCompiler.Compile(properties.forward_return),
}

export const maxMarkets = 65_535

/** Fails where a panel has outgrown its bounds. */
export function checkSize(rows: number, markets: number): void {
  if (rows > maxPanelRows) tooMany(`more than ${maxPanelRows.toLocaleString('en')} rows`)
  if (markets > maxMarkets) tooMany(`more than ${maxMarkets.toLocaleString('en')} markets`)
}

function tooMany(what: string): never {
  throw new Failure('body_invalid', `panel has ${what}. Split it, or send fewer dates.`, { param: 'panel' })
}

/** The rows that arrays need room for: one more than may be sent, so that it is seen.
 *
 * @param leastRow bytes of the shortest row there can be */
export function roomFor(bytes: Uint8Array, leastRow: number): number {
  return Math.min(maxPanelRows, Math.floor(bytes.length / leastRow)) + 2
}
