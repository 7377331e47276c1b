import type { ByteCursor } from './cursor.ts'

/** Reads the JSON number at the cursor, correctly rounded, and moves the cursor past it. Returns NaN if there
 * is none, with the cursor at the fault, and an infinity if it is beyond 64-bit range. */
export function scanNumber(cursor: ByteCursor): number {
  const { bytes, view } = cursor
  const from = cursor.at
  let at = from
  const negative = bytes[at] === 0x2d
  if (negative) at++
  let head = 0 // the first significant digits, at most 9: they fit 32 bits, where arithmetic is fastest
  let headDigits = 0
  let tail = 0 // the digits after them, exact up to 15
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
  if (wholeDigits === 0 || (wholeDigits > 1 && bytes[firstDigit] === 0x30)) return noNumber(cursor, at)
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
    if (exponent === 0) return noNumber(cursor, at)
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
    if (at === firstPlace) return noNumber(cursor, at)
    exponent += down ? -power : power
  }
  cursor.at = at
  const magnitude = decimalToDouble(head, headDigits, tail, tailDigits, exponent)
  if (Number.isNaN(magnitude)) return Number(cursor.text.toString('latin1', from, at))
  return negative ? -magnitude : magnitude
}

function noNumber(cursor: ByteCursor, at: number): number {
  cursor.at = at
  return Number.NaN
}

const powersOfTen = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))
const inversePowers = powersOfTen.map(power => 1 / power)
const splitter = 134_217_729 // 2^27 + 1

/** The double nearest to (head 10^tailDigits + tail) 10^exponent. NaN if this method cannot tell: then the
 * runtime's own conversion is needed, which is ten times slower.
 *
 * Up to 15 digits are an exact integer, and 10^22 an exact double: one operation rounds once (Clinger 1990).
 * With more, the quotient is computed to about 100 bits (two doubles, Dekker 1971); if moving it by more
 * than its error does not change the rounding, the rounding is right.
 *
 * @param head at most 9 digits, the first not 0 unless there is no other
 * @param tail at most 15 digits */
function decimalToDouble(
  head: number,
  headDigits: number,
  tail: number,
  tailDigits: number,
  exponent: number,
): number {
  if (tailDigits > 15 || exponent < -22 || exponent > 22) return head + tail === 0 ? 0 : Number.NaN
  const scale = powersOfTen[tailDigits]
  const product = head * scale
  const whole = product + tail
  if (headDigits + tailDigits <= 15) {
    return exponent < 0 ? whole / powersOfTen[-exponent] : whole * powersOfTen[exponent]
  }
  if (exponent >= 0) return Number.NaN
  const wholeLow = productError(head, scale, product) + (tail - (whole - product))
  const power = powersOfTen[-exponent]
  const quotient = whole / power
  const back = quotient * power
  const rest = whole - back - productError(quotient, power, back) + wholeLow
  const quotientLow = rest * inversePowers[-exponent]
  const slack = quotient * 1e-29
  const rounded = quotient + (quotientLow - slack)
  return rounded === quotient + (quotientLow + slack) ? rounded : Number.NaN
}

/** a * b - product, exactly. */
function productError(a: number, b: number, product: number): number {
  const aBig = splitter * a
  const aHigh = aBig - (aBig - a)
  const aLow = a - aHigh
  const bBig = splitter * b
  const bHigh = bBig - (bBig - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/** The number spelled by the four ASCII digits at `at`; -1 if not all four bytes are digits. A dozen
 * operations are faster than a branch per digit. */
function fourDigits(view: DataView, at: number): number {
  if (at + 4 > view.byteLength) return -1
  const four = view.getInt32(at, true)
  // A digit is 0x30 to 0x39: its high half is 3, and still 3 after adding 6.
  if (((four & 0xf0f0f0f0) | (((four + 0x06060606) & 0xf0f0f0f0) >>> 4)) !== 0x33333333) return -1
  const pairs = (Math.imul(four & 0x0f0f0f0f, 10 * 256 + 1) >>> 8) & 0x00ff00ff
  return Math.imul(pairs, 100 * 65_536 + 1) >>> 16
}
