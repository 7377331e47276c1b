import { Failure } from '../../errors.ts'
import { maxBenchmarkReturns } from '../requestBenchmark.ts'
import { maxFactorDates, maxFactorFileLength, maxFactors } from '../requestFactors.ts'
import { BodyCursor, type BodySource, maxRowBytes } from './bodyBytes.ts'
import { LineCounter } from './cursor.ts'
import { scanNumber } from './numbers.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export interface JsonObject {
  [key: string]: JsonValue
}

const maxDepth = 32
/** The most values within a single value; rows on the fast path are exempt. A sweep over every axis takes a
 * few hundred. */
const maxValues = 10_000
/** The same limit for the returns of a benchmark: each is an object with two fields. */
const maxBenchmarkValues = 3 * maxBenchmarkReturns + 2

/** The most values that a field of a request may contain. */
export const valueLimitOf = (field: string): number =>
  field === 'benchmark' ? maxBenchmarkValues : field === 'factors' ? maxFactorValues : maxValues

/** The same limit for the columns of factors. */
const maxFactorValues = (maxFactors + 2) * (maxFactorDates + 1) + 10

/** Far longer than any name, date or setting. */
const maxStringBytes = 10_000
const quote = 0x22
const backslash = 0x5c

/** Undefined: not valid JSON, although Python and JavaScript write it. */
const literals: readonly [string, null | boolean | undefined][] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', undefined],
  ['Infinity', undefined],
]

/** Reads JSON from bytes, strictly, and reports the position of a fault. It rejects what JSON.parse accepts
 * (a repeated key, a number beyond 64-bit range) and what would exhaust it (deep nesting). */
export class JsonReader extends BodyCursor {
  /** The reader's path in the document: keys and indices. */
  readonly path: (string | number)[] = []
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #subject: string
  #depth = 0
  #values = 0
  #maxValues = maxValues
  /** The length of the path to the value that `value` reads, without the steps inside that value. */
  #root = 0

  /** @param subject what error messages call the text */
  constructor(source: BodySource, subject = 'The body') {
    super(source)
    this.#subject = subject
    const { bytes } = this
    // Some writers (PowerShell, Excel) begin UTF-8 with a byte order mark.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3
  }

  /** The file of factors is one long string. */
  get #maxStringBytes(): number {
    const { path } = this
    const isFile = path.at(-1) === 'file' && path.at(-2) === 'factors'
    return isFile ? maxFactorFileLength + 2 : maxStringBytes
  }

  get here(): string {
    return formatPath(this.path)
  }

  skipSpace(): void {
    for (;;) {
      const byte = this.bytes[this.at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
      this.at++
    }
  }

  /** Skips `byte` after white space, or fails. */
  expect(byte: number): void {
    this.skipSpace()
    if (this.bytes[this.at] !== byte) this.malformed(`expected ${String.fromCharCode(byte)}`)
    this.at++
  }

  /** Skips `byte` after white space if it is the next one. */
  take(byte: number): boolean {
    this.skipSpace()
    if (this.bytes[this.at] !== byte) return false
    this.at++
    return true
  }

  /** Reads the whole value at the reader's position.
   *
   * @param limit from `valueLimitOf` */
  value(limit = maxValues): JsonValue {
    this.#values = 0
    this.#maxValues = limit
    this.#root = this.path.length
    return this.#value()
  }

  #value(): JsonValue {
    this.#countValue()
    this.skipSpace()
    const byte = this.bytes[this.at]
    if (byte === 0x7b) return this.#object()
    if (byte === 0x5b) return this.#array()
    if (byte === quote) return this.string()
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.#number()
    for (const [word, meaning] of literals) {
      if (this.text.toString('latin1', this.at, this.at + word.length) !== word) continue
      if (meaning === undefined) this.malformed(`${word} is not JSON; a missing value is null`)
      this.at += word.length
      return meaning
    }
    return this.malformed(
      this.at >= this.bytes.length && this.isLast ? 'it ends too early' : 'expected a value',
    )
  }

  string(): string {
    const from = this.at
    let plain = true
    for (this.at++; ; this.at++) {
      const byte = this.bytes[this.at]
      if (byte === quote) break
      if (byte === undefined || byte < 0x20)
        this.malformed('a string is not closed or contains a control character')
      if (byte >= 0x80) plain = false
      if (byte === backslash) {
        plain = false
        this.at++
      }
    }
    if (this.at - from > this.#maxStringBytes) this.#tooLong(from)
    this.at++
    if (plain) return this.text.toString('latin1', from + 1, this.at - 1)
    return this.#decode(from, this.at)
  }

  /** Reads a key of an object and its colon. */
  key(isTaken: (key: string) => boolean): string {
    this.skipSpace()
    if (this.bytes[this.at] !== quote) this.malformed('expected a key in double quotes')
    const key = this.string()
    this.expect(0x3a)
    if (!isTaken(key)) return key
    const param = formatPath([...this.path, key])
    throw new Failure('parameter_repeated', `${param} is given twice. Send it once.`, { param })
  }

  /** Moves to the next line of NDJSON. */
  endLine(): void {
    const { bytes, at: end } = this
    this.skipSpace()
    for (let i = end; i < this.at; i++) if (bytes[i] === 0x0a) return
    if (this.at < bytes.length || !this.isLast) this.malformed('a line contains more than one value')
  }

  malformed(what: string): never {
    const { line, column } = new LineCounter(this).placeOf(this.at)
    const isCut = this.at >= this.bytes.length && !this.isLast
    const fault = isCut ? `a value is longer than ${maxRowBytes.toLocaleString('en')} bytes` : what
    throw new Failure(
      'malformed_json',
      `${this.#subject} is not JSON: ${fault}, at byte ${this.offset + this.at} (line ${line}, column ${column}).`,
      this.path.length > 0 ? { param: this.here } : {},
    )
  }

  /** Correctly rounded. A number beyond 64-bit range is rejected and shown in the message. */
  #number(): number {
    const from = this.at
    const value = scanNumber(this)
    if (Number.isFinite(value)) return value
    if (Number.isNaN(value)) return this.malformed('a number must have digits and no leading 0')
    const shown = this.text.toString('latin1', from, Math.min(this.at, from + 40))
    throw new Failure(
      'parameter_invalid',
      `${this.here || this.#subject} is ${shown}, which is beyond the range of a 64-bit number.`,
      { param: this.here },
    )
  }

  #object(): JsonObject {
    this.#descend()
    const object: JsonObject = Object.create(null)
    if (!this.take(0x7d)) {
      do {
        const key = this.key(name => name in object)
        this.path.push(key)
        object[key] = this.#value()
        this.path.pop()
      } while (this.take(0x2c))
      this.expect(0x7d)
    }
    this.#depth--
    return object
  }

  #array(): JsonValue[] {
    this.#descend()
    const array: JsonValue[] = []
    if (!this.take(0x5d)) {
      do {
        this.path.push(array.length)
        array.push(this.#value())
        this.path.pop()
      } while (this.take(0x2c))
      this.expect(0x5d)
    }
    this.#depth--
    return array
  }

  /** Counted because a value becomes objects before a schema sees it, and these take many times the memory of
   * its bytes. */
  #countValue(): void {
    if (++this.#values <= this.#maxValues) return
    const param = formatPath(this.path.slice(0, this.#root))
    throw new Failure(
      'body_invalid',
      `${param || this.#subject} contains more than ${this.#maxValues.toLocaleString('en')} values. No field takes that many.`,
      param ? { param } : {},
    )
  }

  #tooLong(from: number): never {
    const shown = this.text.toString('latin1', from, from + 20).replace(/[^ -~]/g, '?')
    throw new Failure(
      'body_invalid',
      `${this.here || this.#subject} contains a string longer than ${this.#maxStringBytes.toLocaleString('en')} bytes, starting with ${shown}.... No field takes a string this long.`,
      this.path.length > 0 ? { param: this.here } : {},
    )
  }

  #descend(): void {
    this.at++
    if (++this.#depth <= maxDepth) return
    throw new Failure('body_invalid', `The body is nested deeper than ${maxDepth} levels.`, {
      param: this.here.slice(0, 80),
    })
  }

  #decode(from: number, to: number): string {
    let decoded: unknown
    try {
      decoded = JSON.parse(this.#utf8.decode(this.bytes.subarray(from, to)))
    } catch {
      // Reported below with the position of the fault.
    }
    if (typeof decoded === 'string' && decoded.isWellFormed()) return decoded
    this.at = from
    return this.malformed('a string contains an invalid escape, a lone surrogate or bytes that are not UTF-8')
  }
}

/** panel, 3, score -> panel[3].score */
export function formatPath(path: readonly (string | number)[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part.slice(0, 60) : `.${part.slice(0, 60)}`
  }
  return text
}
