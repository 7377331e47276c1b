import { Failure } from '../../errors.ts'
import { messageOf } from './archives.ts'
import { assertParsedSize, decodeUtf8, repeatedKey } from './json.ts'
import { locateJsonFault } from './jsonFault.ts'

const [quote, backslash, comma, open, close, openBrace, closeBrace] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/**
 * Yields the elements of a JSON list one at a time. A list may have hundreds of megabytes, too much to keep
 * in memory at once. A document may have several lists, one per line. A document that is not a list is
 * yielded as one element. A key that appears twice in an object is an error.
 */
export function* jsonElements(bytes: Uint8Array): Generator<unknown> {
  assertParsedSize(bytes)
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let at = skipBlank(bytes, hasByteOrderMark ? 3 : 0)
  do {
    if (bytes[at] !== open) {
      yield parseSlice(bytes, at, bytes.length)
      return
    }
    at = skipBlank(bytes, at + 1)
    if (bytes[at] === close) at++
    else {
      let isOver = false
      while (!isOver) {
        const end = endOfElement(bytes, at)
        yield parseSlice(bytes, at, end)
        if (end >= bytes.length) throw fault(bytes, end, 'expected `,` or `]`, but the text ends')
        isOver = bytes[end] === close
        at = end + 1
      }
    }
    at = skipBlank(bytes, at)
  } while (at < bytes.length)
}

function skipBlank(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++
  return at
}

/** The position of the comma or bracket that ends an element. */
function endOfElement(bytes: Uint8Array, from: number): number {
  let depth = 0
  let inString = false
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === open || byte === openBrace) depth++
    else if (depth > 0 && (byte === close || byte === closeBrace)) depth--
    else if (depth === 0 && (byte === comma || byte === close)) return at
  }
  return bytes.length
}

function parseSlice(bytes: Uint8Array, start: number, end: number): unknown {
  const text = decodeUtf8(bytes.subarray(start, end))
  let element: unknown
  try {
    element = JSON.parse(text)
  } catch (error) {
    const found = locateJsonFault(text)
    if (found === null) throw new Failure('body_invalid', messageOf(error))
    throw fault(bytes, start + found.byte, found.message)
  }
  const repeated = repeatedKey(text)
  if (repeated === null) return element
  const offset = start + Buffer.byteLength(text.slice(0, repeated.at))
  throw fault(bytes, offset, `the key ${JSON.stringify(repeated.key.slice(0, 64))} appears twice`)
}

function fault(bytes: Uint8Array, at: number, message: string): Failure {
  const lastBreak = bytes.lastIndexOf(0x0a, at - 1)
  const column = new TextDecoder().decode(bytes.subarray(lastBreak + 1, at)).length + 1
  let line = 1
  for (let before = 0; before <= lastBreak; before++) if (bytes[before] === 0x0a) line++
  return new Failure('body_invalid', `line ${line}, column ${column} (byte ${at}): ${message}.`)
}
