import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestPanelRow, maxPanelRows } from '../request.ts'
import type { ByteCursor, NameInterner } from './bytes.ts'
import { scanNumber } from './numbers.ts'

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

/** JSON values in the shape that almost all have. What is unusual is not ruled on here: it is read again, as a value,
 * and the schema decides. */

/** The number of a name without escapes; -1 where it is empty, too long, or something else. */
export function readUsualName(cursor: ByteCursor, names: NameInterner): number {
  const { bytes } = cursor
  if (bytes[cursor.at] !== 0x22) return -1
  const from = cursor.at + 1
  let to = from
  for (; bytes[to] !== 0x22; to++) {
    if (!(bytes[to] >= 0x20) || bytes[to] === 0x5c) return -1
  }
  if (to === from) return -1
  cursor.at = to + 1
  return names.number(bytes, from, to)
}

/** NaN for null, Infinity for what is no number within the bounds. */
export function readUsualNumber(cursor: ByteCursor, bounds: { least: number; most: number }): number {
  if (takeNull(cursor)) return Number.NaN
  const value = scanNumber(cursor)
  return value >= bounds.least && value <= bounds.most ? value : Number.POSITIVE_INFINITY
}

/** Steps over `null` if it is there. */
export function takeNull(cursor: ByteCursor): boolean {
  const { bytes, at } = cursor
  if (bytes[at] !== 0x6e || bytes[at + 1] !== 0x75 || bytes[at + 2] !== 0x6c || bytes[at + 3] !== 0x6c)
    return false
  cursor.at = at + 4
  return true
}
