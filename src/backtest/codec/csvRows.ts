import {
  type Bounds,
  borrowBounds,
  type ColumnName,
  closeBounds,
  returnBounds,
  scoreBounds,
  volumeBounds,
} from './cells.ts'
import type { CsvReader } from './csvCells.ts'
import { DayMemo, noDay } from './cursor.ts'
import { extraBounds } from './extraColumns.ts'
import type { NameInterner } from './nameInterner.ts'
import { scanNumber } from './numbers.ts'
import type { PanelBuilder } from './panelBuilder.ts'

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A column of a panel, or the index of one of the caller's own. */
export type CsvColumn = ColumnName | number

/** Returned in place of a name's number if the cell is empty. */
const empty = -2

/** The fast path for a line of the common form: a cell for each column, names without inner quotes, numbers
 * within the schema's bounds. For anything else `read` returns false, with the reader back at the start of
 * the line; it never rejects a line. */
export class CsvRowReader {
  readonly #reader: CsvReader
  readonly #panel: PanelBuilder
  readonly #columns: readonly CsvColumn[]
  readonly #days = new DayMemo()
  #day = 0
  #asset = 0
  #market = 0
  /** Remains NaN if there is no score column. */
  #score = Number.NaN
  /** Remains NaN if there is no column of returns. */
  #forwardReturn = Number.NaN
  #dollarVolume = Number.NaN
  #group = 0
  #close = Number.NaN
  #borrowBps = Number.NaN

  constructor(reader: CsvReader, panel: PanelBuilder, columns: readonly CsvColumn[]) {
    this.#reader = reader
    this.#panel = panel
    this.#columns = columns
  }

  read(): boolean {
    const start = this.#reader.at
    if (this.#readCells() && this.#reader.takeLineEnd()) {
      this.#panel.push(
        this.#day,
        this.#asset,
        this.#market,
        this.#score,
        this.#forwardReturn,
        this.#dollarVolume,
        this.#group,
        this.#close,
        this.#borrowBps,
      )
      return true
    }
    this.#reader.at = start
    return false
  }

  #readCells(): boolean {
    const reader = this.#reader
    const columns = this.#columns
    for (let index = 0; index < columns.length; index++) {
      if (index > 0) {
        if (reader.bytes[reader.at] !== comma) return false
        reader.at++
      }
      if (!this.#cell(columns[index])) return false
    }
    return true
  }

  #cell(column: CsvColumn): boolean {
    if (typeof column === 'number') {
      const value = this.#number(extraBounds)
      if (value === Number.POSITIVE_INFINITY) return false
      this.#panel.extras.put(column, this.#panel.count, value)
      return true
    }
    switch (column) {
      case 'date':
        return this.#date()
      case 'asset':
        this.#asset = this.#name(this.#panel.assets)
        return this.#asset > -1
      case 'market':
        this.#market = this.#name(this.#panel.markets)
        if (this.#market === empty) this.#market = 0
        return this.#market > -1
      case 'score':
        this.#score = this.#number(scoreBounds)
        return this.#score !== Number.POSITIVE_INFINITY
      case 'forward_return':
        this.#forwardReturn = this.#number(returnBounds)
        return this.#forwardReturn !== Number.POSITIVE_INFINITY
      case 'dollar_volume':
        this.#dollarVolume = this.#number(volumeBounds)
        return this.#dollarVolume !== Number.POSITIVE_INFINITY
      case 'group':
        this.#group = this.#name(this.#panel.groups)
        if (this.#group === empty) this.#group = 0
        return this.#group > -1
      case 'close':
        this.#close = this.#number(closeBounds)
        return this.#close !== Number.POSITIVE_INFINITY
      case 'borrow_bps':
        this.#borrowBps = this.#number(borrowBounds)
        return this.#borrowBps !== Number.POSITIVE_INFINITY
      default:
        return column satisfies never
    }
  }

  #date(): boolean {
    const reader = this.#reader
    const { bytes, at } = reader
    const quoted = bytes[at] === quote ? 1 : 0
    if (quoted === 1 && bytes[at + 11] !== quote) return false
    this.#day = this.#days.read(reader, at + quoted)
    reader.at = at + 10 + 2 * quoted
    return this.#day !== noDay
  }

  /** The number of a name, `empty` for an empty cell, -1 for anything else. */
  #name(names: NameInterner): number {
    const reader = this.#reader
    const { bytes } = reader
    const quoted = bytes[reader.at] === quote
    const from = quoted ? reader.at + 1 : reader.at
    let to = from
    for (; ; to++) {
      const byte = bytes[to]
      if (byte === quote) break
      if (quoted ? !(byte >= 0x20) : !(byte > carriageReturn) || byte === comma) break
    }
    // A doubled quote is part of the name, which continues after it. A partial cell must not be numbered as a
    // name.
    if (quoted !== (bytes[to] === quote) || (quoted && bytes[to + 1] === quote)) return -1
    reader.at = quoted ? to + 1 : to
    return to === from ? empty : names.number(bytes, from, to)
  }

  /** NaN for an empty cell, Infinity for anything but a number within the bounds. */
  #number(bounds: Bounds): number {
    const reader = this.#reader
    const byte = reader.bytes[reader.at]
    if (byte === comma || byte === lineFeed || byte === carriageReturn || byte === undefined)
      return Number.NaN
    const value = scanNumber(reader)
    return value >= bounds.min && value <= bounds.max ? value : Number.POSITIVE_INFINITY
  }
}
