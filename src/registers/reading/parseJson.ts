import { Failure } from '../../errors.ts'
import { type JsonPlace, locateJsonFault, placeIn } from './jsonFault.ts'
import { repeatedKey } from './repeatedKey.ts'
import { messageOf } from './zip.ts'

/** A document of more brackets than one in so many bytes is refused: each costs far more memory than its byte, and
 * a figure of a register has at least three times as many. */
const leastBytesPerBracket = 32

/** Before a document of this size the remains of the one before are cleared away at once, so that two never lie
 * in memory together. */
const clearsMemoryBytes = 8 * 1024 * 1024

/** JSON in UTF-8. What is wrong with it is said with line, column and byte. A key that an object names twice is a fault: the
 * parser would take the later value and say nothing. */
export function parseJson(bytes: Uint8Array): unknown {
  refuseDense(bytes)
  if (bytes.length >= clearsMemoryBytes) Bun.gc(true)
  const text = decodeUtf8(bytes)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    const found = locateJsonFault(text)
    throw found === null ? new Failure('body_invalid', messageOf(error)) : faultAt(found, found.message)
  }
  const repeated = repeatedKey(text)
  if (repeated === null) return document
  const { key, at } = repeated
  throw faultAt(placeIn(text, at), `the key ${JSON.stringify(key.slice(0, 64))} is there twice`)
}

const faultAt = ({ line, column, byte }: JsonPlace, message: string) =>
  new Failure('body_invalid', `line ${line}, column ${column} (byte ${byte}): ${message}.`)

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('body_invalid', 'The document is not UTF-8.')
  }
}

/** Throws where so many brackets are opened that the parsed document would not fit. */
export function refuseDense(bytes: Uint8Array): void {
  const most = Math.max(100_000, bytes.length / leastBytesPerBracket)
  let brackets = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x7b || bytes[at] === 0x5b) brackets++
  if (brackets <= most) return
  throw new Failure(
    'body_invalid',
    `The document opens ${brackets} brackets in ${bytes.length} bytes; no document of the register does.`,
  )
}
