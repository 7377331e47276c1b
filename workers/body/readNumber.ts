import { Failure } from '../../src/errors.ts'
import { decimalToDouble } from './decimalToDouble.ts'
import type { JsonReader } from './JsonReader.ts'

/** A JSON number at the reader's place, correctly rounded; refused by name where it is beyond 64-bit range. */
export function readNumber(reader: JsonReader): number {
  const { bytes } = reader
  const from = reader.at
  let at = from
  const negative = bytes[at] === 0x2d
  if (negative) at++
  let head = 0 // the first 15 significant digits
  let tail = 0 // those that follow
  let digits = 0
  let exponent = 0
  const firstDigit = at
  for (let d = bytes[at] - 0x30; d >= 0 && d <= 9; d = bytes[++at] - 0x30) {
    if (digits < 15) head = head * 10 + d
    else tail = tail * 10 + d
    if (digits > 0 || d > 0) digits++
  }
  const wholeDigits = at - firstDigit
  if (wholeDigits === 0 || (wholeDigits > 1 && bytes[firstDigit] === 0x30)) fail(reader, at)
  if (bytes[at] === 0x2e) {
    const firstPlace = ++at
    for (let d = bytes[at] - 0x30; d >= 0 && d <= 9; d = bytes[++at] - 0x30) {
      if (digits < 15) head = head * 10 + d
      else tail = tail * 10 + d
      if (digits > 0 || d > 0) digits++
    }
    exponent = firstPlace - at
    if (exponent === 0) fail(reader, at)
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
    if (at === firstPlace) fail(reader, at)
    exponent += down ? -power : power
  }
  reader.at = at
  const size = decimalToDouble(head, tail, digits, exponent)
  if (!Number.isNaN(size)) return negative ? -size : size
  return slowly(reader, from, at)
}

function slowly(reader: JsonReader, from: number, to: number): number {
  const value = Number(reader.text.toString('latin1', from, to))
  if (Number.isFinite(value)) return value
  const shown = reader.text.toString('latin1', from, Math.min(to, from + 40))
  throw new Failure(
    'parameter_invalid',
    `${reader.here || 'The body'} is ${shown}, which is beyond the range of a 64-bit number.`,
    { param: reader.here },
  )
}

function fail(reader: JsonReader, at: number): never {
  reader.at = at
  return reader.malformed('a number needs digits, and no leading 0')
}
