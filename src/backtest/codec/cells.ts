import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestPanelRow, maxPanelRows } from '../request.ts'
import type { ByteCursor } from './cursor.ts'
import type { NameInterner } from './nameInterner.ts'
import { scanNumber } from './numbers.ts'

const { properties } = BacktestPanelRow
export type ColumnName = keyof typeof properties
export const columnNames = Object.keys(properties) as readonly ColumnName[]
export const optionalColumns: readonly ColumnName[] = [
  'market',
  'dollar_volume',
  'group',
  'close',
  'borrow_bps',
]
/** The columns that every request needs. The score may come from elsewhere, which is known only after the
 * whole body has been read. */
export const requiredColumns = columnNames.filter(name => !optionalColumns.includes(name))
/** Of these two, a panel has exactly one. */
export const isRequired = (name: ColumnName, sent: { has(name: ColumnName): boolean }): boolean =>
  name !== 'forward_return' || !sent.has('close')

export interface Bounds {
  readonly min: number
  readonly max: number
}

export const maxAssetLength = properties.asset.maxLength ?? 0
export const maxMarketLength = properties.market.anyOf[0].maxLength ?? 0
export const maxGroupLength = properties.group.anyOf[0].maxLength ?? 0
const { minimum: minScore = 0, maximum: maxScore = 0 } = properties.score.anyOf[0]
const { minimum: minReturn = 0, maximum: maxReturn = 0 } = properties.forward_return.anyOf[0]
export const scoreBounds: Bounds = { min: minScore, max: maxScore }
export const returnBounds: Bounds = { min: minReturn, max: maxReturn }
const { minimum: minVolume = 0, maximum: maxVolume = 0 } = properties.dollar_volume.anyOf[0]
export const volumeBounds: Bounds = { min: minVolume, max: maxVolume }
const { maximum: maxClose = 0 } = properties.close.anyOf[0]
export const closeBounds: Bounds = { min: Number.MIN_VALUE, max: maxClose }
const { minimum: minBorrow = 0, maximum: maxBorrow = 0 } = properties.borrow_bps.anyOf[0]
export const borrowBounds: Bounds = { min: minBorrow, max: maxBorrow }

/** The schema of each column's cells, for the slow path. */
export const cellSchemas: Readonly<Record<ColumnName, TSchema>> = properties
export const cellChecks: Readonly<Record<ColumnName, TypeCheck<TSchema>>> = {
  date: TypeCompiler.Compile(properties.date),
  asset: TypeCompiler.Compile(properties.asset),
  market: TypeCompiler.Compile(properties.market),
  score: TypeCompiler.Compile(properties.score),
  forward_return: TypeCompiler.Compile(properties.forward_return),
  dollar_volume: TypeCompiler.Compile(properties.dollar_volume),
  group: TypeCompiler.Compile(properties.group),
  close: TypeCompiler.Compile(properties.close),
  borrow_bps: TypeCompiler.Compile(properties.borrow_bps),
}

const strict = { additionalProperties: false } as const
const { close: _close, forward_return: forwardReturn, ...shared } = properties
const sentColumns = { ...shared, score: Type.Optional(shared.score) }

/** A row with a return, whose score may come from elsewhere. */
export const ReturnRow = Type.Object(
  { ...sentColumns, forward_return: Type.Optional(forwardReturn, false) },
  strict,
)
/** A row with a close, from which its return is computed. */
export const ClosingRow = Type.Object(
  { ...sentColumns, close: Type.Optional(properties.close, false) },
  strict,
)
export type PanelRowWithoutScore = Static<typeof ReturnRow> | Static<typeof ClosingRow>

const maxMarkets = 65_535 // numbers of markets are 16 bits

/** Fails if a panel exceeds its limits. */
export function checkPanelSize(rows: number, markets: number): void {
  if (rows > maxPanelRows) tooMany(`more than ${maxPanelRows.toLocaleString('en')} rows`)
  if (markets > maxMarkets) tooMany(`more than ${maxMarkets.toLocaleString('en')} markets`)
}

/** Fails if there are more groups than 16 bits can number. */
export function checkGroups(groups: number): void {
  if (groups > maxMarkets) tooMany(`more than ${maxMarkets.toLocaleString('en')} groups`)
}

function tooMany(what: string): never {
  throw new Failure('body_invalid', `panel has ${what}. Split it, or send fewer dates.`, { param: 'panel' })
}

/** The number of rows to allocate: one more than allowed, so that `checkPanelSize` notices an excess.
 *
 * @param minRowBytes the length of the shortest possible row */
export function rowCapacity(bodyBytes: number, minRowBytes: number): number {
  return Math.min(maxPanelRows, Math.floor(bodyBytes / minRowBytes)) + 2
}

// The fast path reads JSON cells in the form that nearly all have. It never rejects anything: what it does
// not recognise is read again as a JSON value and validated by the schema.

/** The number of a name without escapes; -1 if it is empty, too long, or not such a name. */
export function readNameFast(cursor: ByteCursor, names: NameInterner): number {
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

/** NaN for null, Infinity for anything but a number within the bounds. */
export function readNumberFast(cursor: ByteCursor, bounds: Bounds): number {
  if (takeNull(cursor)) return Number.NaN
  const value = scanNumber(cursor)
  return value >= bounds.min && value <= bounds.max ? value : Number.POSITIVE_INFINITY
}

/** Skips `null` if it is the next token. */
export function takeNull(cursor: ByteCursor): boolean {
  const { bytes, at } = cursor
  if (bytes[at] !== 0x6e || bytes[at + 1] !== 0x75 || bytes[at + 2] !== 0x6c || bytes[at + 3] !== 0x6c)
    return false
  cursor.at = at + 4
  return true
}
