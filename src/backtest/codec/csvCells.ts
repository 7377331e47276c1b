import { Failure } from '../../errors.ts'
import { BodyCursor, type BodySource } from './bodyBytes.ts'
import { LineCounter } from './cursor.ts'

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d
/** Far more than any valid line or cell needs. */
const maxCells = 1_000
const maxCellBytes = 10_000

/** Reads CSV (RFC 4180, UTF-8, with or without a byte order mark) cell by cell. */
export class CsvReader extends BodyCursor {
  readonly #lines = new LineCounter(this)
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(source: BodySource) {
    super(source)
    const { bytes } = this
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3
  }

  /** The line of the current position. */
  get line(): number {
    return this.#lines.lineAt(this.at)
  }

  get ended(): boolean {
    return this.at >= this.bytes.length && this.isLast
  }

  /** Skips a line ending, if there is one here. The end of the body counts as a line ending. */
  takeLineEnd(): boolean {
    const { bytes, at } = this
    if (bytes[at] === lineFeed) this.at = at + 1
    else if (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed) this.at = at + 2
    else return at >= bytes.length && this.isLast
    return true
  }

  onlySpaceFollows(): boolean {
    this.ready()
    return this.isLast && this.bytes.subarray(this.at).every(byte => byte <= 0x20)
  }

  /** Reads the cells of a line and its ending. */
  row(): string[] {
    const cells = [this.#cell()]
    while (this.bytes[this.at] === comma) {
      if (cells.length === maxCells) this.#malformed(`the line has more than ${maxCells} cells`)
      this.at++
      cells.push(this.#cell())
    }
    if (!this.takeLineEnd()) this.#malformed('text follows the closing quote of a cell')
    return cells
  }

  #cell(): string {
    return this.bytes[this.at] === quote ? this.#quoted() : this.#plain()
  }

  #plain(): string {
    const from = this.at
    for (; ; this.at++) {
      const byte = this.bytes[this.at]
      if (byte === undefined || byte === comma || byte === lineFeed) break
      if (byte === carriageReturn && this.bytes[this.at + 1] === lineFeed) break
      if (byte === quote) this.#malformed('an unquoted cell contains a quote')
    }
    return this.#decode(from, this.at)
  }

  #quoted(): string {
    const from = this.at + 1
    for (this.at = from; ; this.at++) {
      const byte = this.bytes[this.at]
      if (byte === undefined) {
        this.at = from - 1
        this.#malformed('a quoted cell is not closed')
      }
      if (byte !== quote) continue
      if (this.bytes[this.at + 1] !== quote) break
      this.at++
    }
    this.at++
    return this.#decode(from, this.at - 1).replaceAll('""', '"')
  }

  #decode(from: number, to: number): string {
    if (to - from > maxCellBytes) {
      this.at = from
      this.#malformed(`a cell is longer than ${maxCellBytes} bytes`)
    }
    try {
      return this.#utf8.decode(this.bytes.subarray(from, to))
    } catch {
      this.at = from
      return this.#malformed('a cell contains bytes that are not UTF-8')
    }
  }

  #malformed(what: string): never {
    const { line } = this
    throw new Failure('body_invalid', `Line ${line} is not CSV: ${what}, at byte ${this.offset + this.at}.`, {
      param: `line ${line}`,
    })
  }
}
