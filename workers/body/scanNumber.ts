import type { ByteCursor } from './ByteCursor.ts'
import { decimalToDouble } from './decimalToDouble.ts'
import { fourDigits } from './fourDigits.ts'

/** The number, as JSON writes one, at the cursor, correctly rounded. The cursor then stands after it. NaN where there
 * is none, with the cursor at the fault; an infinity where it is beyond 64-bit range. */
export function scanNumber(cursor: ByteCursor): number {
  const { bytes, view } = cursor
  const from = cursor.at
  let at = from
  const negative = bytes[at] === 0x2d
  if (negative) at++
  let head = 0 // the first significant digits, at most 9: they fit 32 bits, where arithmetic is fastest
  let headDigits = 0
  let tail = 0 // those that follow, exact to the 15th
  let tailDigits = 0
  const firstDigit = at
  for (let d = bytes[at] - 0x30; d >= 0 && d <= 9; d = bytes[++at] - 0x30) {
    if (headDigits < 9) {
      head = (Math.imul(head, 10) + d) | 0
      if (head !== 0) headDigits++
    } else {
      tail = tail * 10 + d
      tailDigits++
    }
  }
  const wholeDigits = at - firstDigit
  if (wholeDigits === 0 || (wholeDigits > 1 && bytes[firstDigit] === 0x30)) return none(cursor, at)
  let exponent = 0
  if (bytes[at] === 0x2e) {
    const firstPlace = ++at
    if (head === 0) while (bytes[at] === 0x30) at++
    for (let four = 0; tailDigits <= 11; at += 4) {
      four = fourDigits(view, at)
      if (four === -1) break
      if (headDigits <= 5) {
        head = (Math.imul(head, 10_000) + four) | 0
        headDigits += 4
      } else {
        tail = tail * 10_000 + four
        tailDigits += 4
      }
    }
    for (let d = bytes[at] - 0x30; d >= 0 && d <= 9; d = bytes[++at] - 0x30) {
      tail = tail * 10 + d
      tailDigits++
    }
    exponent = firstPlace - at
    if (exponent === 0) return none(cursor, at)
  }
  if ((bytes[at] | 0x20) === 0x65) {
    at++
    const down = bytes[at] === 0x2d
    if (down || bytes[at] === 0x2b) at++
    const firstPlace = at
    let power = 0
    for (let d = bytes[at] - 0x30; d >= 0 && d <= 9; d = bytes[++at] - 0x30) {
      power = Math.min(power * 10 + d, 10_000)
    }
    if (at === firstPlace) return none(cursor, at)
    exponent += down ? -power : power
  }
  cursor.at = at
  const size = decimalToDouble(head, headDigits, tail, tailDigits, exponent)
  if (Number.isNaN(size)) return Number(cursor.text.toString('latin1', from, at))
  return negative ? -size : size
}

function none(cursor: ByteCursor, at: number): number {
  cursor.at = at
  return Number.NaN
}
