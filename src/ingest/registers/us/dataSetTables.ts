import { Failure } from '../../../errors.ts'

/** The index of each column of a part of a data set, by its name. */
export type Columns = ReadonlyMap<string, number>

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

/** No part of a set has as many columns. */
const maxColumns = 1_000
/** A longer line is refused, so that a file without line breaks does not fill the memory. */
const maxLineBytes = 1_000_000
const [tab, lineFeed, carriageReturn] = [0x09, 0x0a, 0x0d]

/** Reads one line of a part after another, each by the names of its columns. */
export class LineFields {
  readonly #columns: Columns
  readonly #runs = new Map<readonly string[], readonly Run[]>()
  #line = ''
  /** Where each field of the line begins, and after the last one where another would begin. */
  readonly #starts = new Int32Array(maxColumns + 1)
  #fields = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** @param line without its line break */
  select(line: string): this {
    this.#line = line
    const starts = this.#starts
    let fields = 0
    let start = 0
    for (;;) {
      starts[fields++] = start
      const end = fields < maxColumns ? line.indexOf('\t', start) : -1
      if (end < 0) break
      start = end + 1
    }
    starts[fields] = line.length + 1
    this.#fields = fields
    return this
  }

  /** Empty if the line or the part does not have the column: the sets before 2024 have no `segments`. */
  field(name: string): string {
    const column = this.#columns.get(name)
    return column === undefined ? '' : this.#textOf(column, column)
  }

  /**
   * The fields of some columns as one text, which differs if one of them differs. Columns are mostly next to one
   * another, so this takes as long as reading one.
   */
  together(names: readonly string[]): string {
    let runs = this.#runs.get(names)
    if (runs === undefined) {
      runs = runsOf(names.flatMap(name => this.#columns.get(name) ?? []))
      this.#runs.set(names, runs)
    }
    if (runs.length === 1) return this.#textOf(runs[0].first, runs[0].last)
    return runs.map(({ first, last }) => this.#textOf(first, last)).join('\t')
  }

  #textOf(first: number, last: number): string {
    const [starts, fields] = [this.#starts, this.#fields]
    return first >= fields ? '' : this.#line.substring(starts[first], starts[Math.min(last + 1, fields)] - 1)
  }
}

/** Columns that are next to one another. */
interface Run {
  readonly first: number
  readonly last: number
}

function runsOf(columns: readonly number[]): readonly Run[] {
  const runs: Run[] = []
  for (const column of [...columns].sort((a, b) => a - b)) {
    const before = runs.at(-1)
    if (before?.last === column - 1) runs[runs.length - 1] = { first: before.first, last: column }
    else runs.push({ first: column, last: column })
  }
  return runs
}

/** The lines of a part, from its bytes in chunks. */
export class TableLines {
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  #rest: Buffer = Buffer.alloc(0)

  /** The current line as a whole. */
  get line(): string {
    return this.#bytes.toString('utf8', this.#start, this.#end)
  }

  /** A field of the current line, in ASCII. */
  asciiField(column: number): string {
    const bytes = this.#bytes
    let start = this.#start
    for (let left = column; left > 0; left--) {
      while (start < this.#end && bytes[start] !== tab) start++
      if (start === this.#end) return ''
      start++
    }
    let end = start
    while (end < this.#end && bytes[end] !== tab) end++
    return bytes.toString('latin1', start, end)
  }

  /** Passes the bytes of the current line on. */
  copyTo(lines: PartLines, filing: number, number: number): void {
    lines.add(filing, number, this.#bytes, this.#start, this.#end)
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
    this.#start = start
    this.#end = hasReturn ? lineEnd - 1 : lineEnd
    take()
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

  /** Calls `take` for each line of a filing, in the order of the file. */
  read(filing: number, take: (line: string, number: number) => void): void {
    for (let position = this.#first[filing]; position < this.#first[filing + 1]; position++) {
      const at = this.#order[position]
      take(this.#bytes.toString('utf8', this.#starts[at], this.#ends[at]), this.#numbers[at])
    }
  }
}
