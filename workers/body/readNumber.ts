import { Failure } from '../../src/errors.ts'
import type { JsonReader } from './JsonReader.ts'
import { scanNumber } from './scanNumber.ts'

/** A JSON number at the reader's place, correctly rounded; refused by name where it is beyond 64-bit range. */
export function readNumber(reader: JsonReader): number {
  const from = reader.at
  const value = scanNumber(reader)
  if (Number.isFinite(value)) return value
  if (Number.isNaN(value)) return reader.malformed('a number needs digits, and no leading 0')
  const shown = reader.text.toString('latin1', from, Math.min(reader.at, from + 40))
  throw new Failure(
    'parameter_invalid',
    `${reader.here || 'The body'} is ${shown}, which is beyond the range of a 64-bit number.`,
    { param: reader.here },
  )
}
