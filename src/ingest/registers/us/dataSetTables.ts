import { Failure } from '../../../errors.ts'

/** The index of each column of a part of a data set, by its name. */
export type Columns = ReadonlyMap<string, number>

/** Returns the text of a column of one line. A column that the part does not have reads as empty. */
export type Fields = (name: string) => string

export const numColumns = ['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'value']
export const preColumns = ['adsh', 'report', 'line', 'stmt', 'inpth', 'tag', 'version', 'plabel', 'negating']

export function columnsOf(header: string, needed: readonly string[], file: string): Columns {
  const columns = new Map(header.split('\t').map((name, index) => [name.trim(), index]))
  const missing = needed.filter(name => !columns.has(name))
  if (missing.length > 0) {
    throw new Failure(
      'body_invalid',
      `The first line of ${file} does not have the columns ${missing.join(', ')}.`,
    )
  }
  return columns
}

/** The sets before 2024 have no column `segments`. */
export function fieldReader(line: string, columns: Columns): Fields {
  const fields = line.split('\t')
  return name => fields[columns.get(name) ?? -1] ?? ''
}

/** No part of a set has as many columns. */
const maxColumns = 1_000
/** A longer line is refused, so that a file without line breaks does not fill the memory. */
const maxLineBytes = 1_000_000
const [tab, lineFeed, carriageReturn] = [0x09, 0x0a, 0x0d]

/**
 * The lines of a part, from its bytes: without a string for each line and each field this takes a fourth of the time.
 * The same texts are mostly the same string object.
 */
export class TableLines {
  #bytes: Buffer = Buffer.alloc(0)
  /** Where each field of the current line begins, and after the last one where another would begin. */
  readonly #starts = new Int32Array(maxColumns + 1)
  #fields = 0
  /** The fields of the current line that were read already: most are read more than once. */
  readonly #read: (string | null)[] = []
  #rest: Buffer = Buffer.alloc(0)
  readonly #texts = new RecentTexts()

  /** The text of a field of the current line; empty if the line has no such field. */
  text(column: number): string {
    if (column < 0 || column >= this.#fields) return ''
    const known = this.#read[column]
    if (known !== null) return known
    const text = this.#texts.text(this.#bytes, this.#starts[column], this.#starts[column + 1] - 1)
    this.#read[column] = text
    return text
  }

  /** The current line as a whole. */
  get line(): string {
    return decoder.decode(this.#bytes.subarray(this.#starts[0], this.#starts[this.#fields] - 1))
  }

  /** Selects a line that `add` of a `PartLines` kept. */
  select(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes
    this.#findFields(start, end)
  }

  /** Passes the bytes of the current line on. */
  copyTo(lines: PartLines, filing: number, number: number): void {
    lines.add(filing, number, this.#bytes, this.#starts[0], this.#starts[this.#fields] - 1)
  }

  /** Calls `take` for each line that ends in the chunk. */
  read(chunk: Uint8Array, take: () => void): void {
    this.#bytes =
      this.#rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([this.#rest, chunk])
    const bytes = this.#bytes
    let start = 0
    for (;;) {
      const end = bytes.indexOf(lineFeed, start)
      if (end < 0) break
      this.#readLine(start, end, take)
      start = end + 1
    }
    if (bytes.length - start > maxLineBytes)
      throw new Failure('body_invalid', `A line has more than ${maxLineBytes} bytes.`)
    this.#rest = Buffer.from(bytes.subarray(start))
  }

  /** Calls `take` for the last line if no line break ends it. */
  finish(take: () => void): void {
    const end = this.#bytes.length
    const start = end - this.#rest.length
    this.#rest = Buffer.alloc(0)
    if (end > start) this.#readLine(start, end, take)
  }

  #readLine(start: number, lineEnd: number, take: () => void): void {
    const hasReturn = lineEnd > start && this.#bytes[lineEnd - 1] === carriageReturn
    this.#findFields(start, hasReturn ? lineEnd - 1 : lineEnd)
    take()
  }

  #findFields(start: number, end: number): void {
    const bytes = this.#bytes
    const starts = this.#starts
    let fields = 1
    starts[0] = start
    for (let at = start; at < end; at++)
      if (bytes[at] === tab && fields < maxColumns) starts[fields++] = at + 1
    starts[fields] = end + 1
    for (let at = 0; at < fields; at++) this.#read[at] = null
    this.#fields = fields
  }
}

/** Lines of the filings of one pass, kept in memory. The largest passes have a tenth of this. */
const maxKeptBytes = 1_500_000_000

/**
 * Lines of a part by their filings. The lines of a filing are anywhere in a part; read one filing after another, they take
 * half of the time, because what belongs to one filing stays in the caches of the processor.
 */
export class PartLines {
  #bytes: Buffer
  readonly #isWhole: boolean
  #length = 0
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  readonly #filings: number[] = []
  readonly #numbers: number[] = []
  /** Once sorted: the lines in order of their filings, and where those of each filing begin. */
  #order = new Uint32Array(0)
  #first = new Uint32Array(1)

  /** @param from the part, all of whose lines are kept, or how many bytes of it are about to be kept */
  constructor(from: Uint8Array | number) {
    this.#isWhole = typeof from !== 'number'
    this.#bytes =
      typeof from === 'number'
        ? Buffer.allocUnsafe(Math.ceil(from) + 1_024)
        : Buffer.from(from.buffer, from.byteOffset, from.length)
  }

  /** @param number the number of the line in its file */
  add(filing: number, number: number, bytes: Buffer, start: number, end: number): void {
    this.#filings.push(filing)
    this.#numbers.push(number)
    if (this.#isWhole) {
      this.#starts.push(start)
      this.#ends.push(end)
      return
    }
    const needed = this.#length + end - start
    if (needed > maxKeptBytes)
      throw new Failure('body_too_large', 'The filings of this set are too large to be read together.')
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxKeptBytes, Math.max(needed, this.#bytes.length * 2)))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    bytes.copy(this.#bytes, this.#length, start, end)
    this.#starts.push(this.#length)
    this.#ends.push(needed)
    this.#length = needed
  }

  sort(filings: number): void {
    const first = new Uint32Array(filings + 1)
    for (const filing of this.#filings) first[filing + 1]++
    for (let filing = 0; filing < filings; filing++) first[filing + 1] += first[filing]
    const next = first.slice()
    const order = new Uint32Array(this.#filings.length)
    for (let at = 0; at < order.length; at++) order[next[this.#filings[at]]++] = at
    this.#first = first
    this.#order = order
  }

  /** Calls `take` for each line of a filing, in the order of the file, once `table` reads its fields. */
  read(filing: number, table: TableLines, take: (number: number) => void): void {
    for (let position = this.#first[filing]; position < this.#first[filing + 1]; position++) {
      const at = this.#order[position]
      table.select(this.#bytes, this.#starts[at], this.#ends[at])
      take(this.#numbers[at])
    }
  }
}

const decoder = new TextDecoder()

/** Returns known strings for texts in bytes. It remembers a fixed number of texts, so most of the recent ones. */
class RecentTexts {
  readonly #texts: string[] = new Array(slots).fill('')

  text(bytes: Buffer, start: number, end: number): string {
    const length = end - start
    if (length <= 0) return ''
    let hash = length
    let all = 0
    let at = start
    for (; at + 4 <= end; at += 4) {
      const four = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
      hash = Math.imul(hash ^ four, 0x9e3779b1)
      hash ^= hash >>> 15
      all |= four
    }
    for (; at < end; at++) {
      hash = Math.imul(hash ^ bytes[at], 0x01000193)
      all |= bytes[at]
    }
    if ((all & 0x80808080) !== 0) return decoder.decode(bytes.subarray(start, end))
    const slot = (hash ^ (hash >>> 15)) & (slots - 1)
    const known = this.#texts[slot]
    if (known.length === length && isText(known, bytes, start)) return known
    const text = bytes.toString('latin1', start, end)
    if (length <= maxKeptLength) this.#texts[slot] = text
    return text
  }
}

const slots = 2 ** 15
const maxKeptLength = 200

function isText(text: string, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== bytes[start + at]) return false
  return true
}
