import { Failure } from '../../errors.ts'
import { plainDecimal } from '../../wholeFilings/wholeFiling.ts'
import { messageOf } from './archives.ts'
import { type JsonPlace, locateJsonFault, placeIn } from './jsonFault.ts'

/**
 * Documents with fewer bytes per opening bracket are refused, because each object takes far more memory than
 * its bytes. Registers' figures have at least three times as many.
 */
const minBytesPerBracket = 32

/**
 * The same limit for values. Registers' figures and names take twice as many bytes on average, including
 * their keys.
 */
const minBytesPerValue = 5

/**
 * Garbage is collected before a document of this size, so that the previous document does not occupy memory
 * as well.
 */
const collectGarbageBytes = 8 * 1024 * 1024

/**
 * Parses JSON in UTF-8. Errors name line, column and byte. A key that appears twice in an object is an error:
 * `JSON.parse` would silently take the later value.
 */
export function parseJson(bytes: Uint8Array): unknown {
  assertParsedSize(bytes)
  if (bytes.length >= collectGarbageBytes) Bun.gc(true)
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
  throw faultAt(placeIn(text, at), `the key ${JSON.stringify(key.slice(0, 64))} appears twice`)
}

/** A number that a double does not hold as it is written. */
export class WrittenNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double. */
  get value(): number {
    return Number(this.text)
  }
}

/** The text of a `WrittenNumber`; every other value itself. */
export const asWritten = (value: unknown): unknown => (value instanceof WrittenNumber ? value.text : value)

/** Like `parseJson`, but numbers with more digits than a double holds become a `WrittenNumber`. */
export function parseExactJson(bytes: Uint8Array): unknown {
  const document = parseJson(bytes)
  const text = decodeUtf8(bytes)
  if (!/[\d.]{16}/.test(text)) return document
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || context?.source === undefined) return value
    return isSameDecimal(String(value), context.source) ? value : new WrittenNumber(context.source)
  })
}

/** Whether two texts are the same number, digit by digit. */
const isSameDecimal = (a: string, b: string) => a === b || plainDecimal(a) === plainDecimal(b)

const faultAt = ({ line, column, byte }: JsonPlace, message: string) =>
  new Failure('body_invalid', `line ${line}, column ${column} (byte ${byte}): ${message}.`)

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('body_invalid', 'The document is not UTF-8.')
  }
}

/** Throws if the document has so many objects, lists and values that it may not fit in memory once parsed. */
export function assertParsedSize(bytes: Uint8Array): void {
  let brackets = 0
  let commas = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x2c) commas++
    else if (byte === 0x7b || byte === 0x5b) brackets++
  }
  refuseMany('opening brackets', brackets, bytes, Math.max(100_000, bytes.length / minBytesPerBracket))
  refuseMany('commas', commas, bytes, Math.max(1_000_000, bytes.length / minBytesPerValue))
}

function refuseMany(what: string, count: number, bytes: Uint8Array, max: number): void {
  if (count <= max) return
  throw new Failure(
    'body_invalid',
    `The document has ${count} ${what} in ${bytes.length} bytes; the limit is ${Math.floor(max)}.`,
  )
}

interface JsonLine {
  readonly document: unknown
  /** For messages: `line 12: `. */
  readonly location: string
}

/** Parses JSON documents in UTF-8, one per line. Skips empty lines. */
export function parseJsonLines(bytes: Uint8Array): JsonLine[] {
  // A single line may have many brackets, and all lines are in memory together.
  assertParsedSize(bytes)
  const documents: JsonLine[] = []
  let number = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    number++
    if (isBlank(line)) continue
    const location = `line ${number}: `
    try {
      documents.push({ document: parseJson(line), location })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.code, `${location}${messageOf(error)}`)
    }
  }
  return documents
}

const isBlank = (line: Uint8Array) => line.every(byte => byte === 0x20 || byte === 0x0d || byte === 0x09)

/**
 * Finds the first key that appears twice in an object. `json` must be valid JSON. Written by hand because
 * every document passes here: this reads 317 MB/s, the visitor of jsonc-parser 78.
 */
export function repeatedKey(json: string): { readonly key: string; readonly at: number } | null {
  /** The keys of each open object; null for a list, and for an object that has no keys yet. */
  const open: (Keys | null)[] = []
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x7b || code === 0x5b) open.push(null)
    else if (code === 0x7d || code === 0x5d) open.pop()
    else if (code === 0x22) {
      const end = endOfString(json, at)
      if (isBeforeColon(json, end)) {
        const raw = json.slice(at + 1, end)
        const key: string = raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw
        const keys = open[open.length - 1]
        if (keys == null) open[open.length - 1] = [key]
        else if (keys instanceof Set ? keys.has(key) : keys.includes(key)) return { key, at }
        else if (keys instanceof Set) keys.add(key)
        else if (keys.push(key) > maxListKeys) open[open.length - 1] = new Set(keys)
      }
      at = end
    }
  }
  return null
}

/** Most objects have few keys, which a list finds faster than a set. */
type Keys = string[] | Set<string>
const maxListKeys = 12

/**
 * The position of the quotation mark that ends a string: the first one after an even number of backslashes.
 */
function endOfString(json: string, open: number): number {
  let at = json.indexOf('"', open + 1)
  while (at >= 0 && json.charCodeAt(at - 1) === 0x5c) {
    let before = at - 1
    while (json.charCodeAt(before) === 0x5c) before--
    if ((at - before) % 2 === 1) return at
    at = json.indexOf('"', at + 1)
  }
  return at < 0 ? json.length : at
}

function isBeforeColon(json: string, end: number): boolean {
  let at = end + 1
  while (json.charCodeAt(at) <= 0x20) at++
  return json.charCodeAt(at) === 0x3a
}
