import type { ByteCursor } from './ByteCursor.ts'
import type { NameInterner } from './NameInterner.ts'
import { scanNumber } from './scanNumber.ts'

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
