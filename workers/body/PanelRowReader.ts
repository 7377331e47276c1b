import { BacktestPanelRow } from '../../src/model/backtest.ts'
import { dayNumber, isIsoDate } from '../../src/model/date.ts'
import type { JsonReader } from './JsonReader.ts'
import type { NameInterner } from './NameInterner.ts'
import type { PanelColumns } from './PanelColumns.ts'
import { readNumber } from './readNumber.ts'

const { properties } = BacktestPanelRow
const keys = Object.keys(properties) as (keyof typeof properties)[]
const quotedKeys = keys.map(key => new TextEncoder().encode(`"${key}"`))
const required = BacktestPanelRow.required?.reduce((bits, key) => bits | (1 << keys.indexOf(key)), 0) ?? 0
const bounds = { score: properties.score.anyOf[0], forward_return: properties.forward_return.anyOf[0] }
const quote = 0x22

/** Reads a row of the usual shape: the schema's keys unescaped and once each, plain names, numbers within the schema's
 * bounds. Anything else makes `read` return false with the reader back at the row's start; it never rules on a row.
 * Keys are tried in the order in which the row before had them. */
export class PanelRowReader {
  readonly #reader: JsonReader
  readonly #panel: PanelColumns
  readonly #days = new Map<number, number>()
  readonly #usualOrder = keys.map((_, i) => i)
  #lastDate = 0
  #lastDay = 0
  #day = 0
  #asset = 0
  #market = 0
  #score = 0
  #forwardReturn = 0

  constructor(reader: JsonReader, panel: PanelColumns) {
    this.#reader = reader
    this.#panel = panel
  }

  read(): boolean {
    const start = this.#reader.at
    try {
      if (this.#readFields()) {
        this.#panel.push(this.#day, this.#asset, this.#market, this.#score, this.#forwardReturn)
        return true
      }
    } catch {
      // A broken number. Read again as a value, it is reported with its path.
    }
    this.#reader.at = start
    return false
  }

  #readFields(): boolean {
    const reader = this.#reader
    if (!reader.take(0x7b)) return false
    let seen = 0
    this.#market = 0
    for (let place = 0; place < keys.length; place++) {
      reader.skipSpace()
      const key = this.#key(place)
      if (key === -1 || seen & (1 << key)) return false
      seen |= 1 << key
      if (!reader.take(0x3a)) return false
      reader.skipSpace()
      if (!this.#field(keys[key])) return false
      if (reader.take(0x2c)) continue
      return reader.take(0x7d) && (seen & required) === required
    }
    return false
  }

  #key(place: number): number {
    const usual = this.#usualOrder[place]
    if (this.#matches(quotedKeys[usual])) return usual
    for (let key = 0; key < keys.length; key++) {
      if (!this.#matches(quotedKeys[key])) continue
      this.#usualOrder[place] = key
      return key
    }
    return -1
  }

  #matches(word: Uint8Array): boolean {
    const { bytes, at } = this.#reader
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false
    this.#reader.at = at + word.length
    return true
  }

  #field(key: (typeof keys)[number]): boolean {
    switch (key) {
      case 'date':
        return this.#date()
      case 'asset':
        this.#asset = this.#name(this.#panel.assets, properties.asset)
        return this.#asset !== -1
      case 'market':
        this.#market = this.#name(this.#panel.markets, properties.market)
        return this.#market !== -1
      case 'score':
        this.#score = this.#number(bounds.score)
        return this.#score !== Number.POSITIVE_INFINITY
      case 'forward_return':
        this.#forwardReturn = this.#number(bounds.forward_return)
        return this.#forwardReturn !== Number.POSITIVE_INFINITY
      default:
        return key satisfies never
    }
  }

  #date(): boolean {
    const { bytes, at, text } = this.#reader
    if (bytes[at] !== quote || bytes[at + 11] !== quote) return false
    if (bytes[at + 5] !== 0x2d || bytes[at + 8] !== 0x2d) return false
    const packed =
      digits(bytes, at + 1, 4) * 10_000 + digits(bytes, at + 6, 2) * 100 + digits(bytes, at + 9, 2)
    if (Number.isNaN(packed)) return false
    this.#reader.at = at + 12
    if (packed !== this.#lastDate) {
      let day = this.#days.get(packed)
      if (day === undefined) {
        const iso = text.toString('latin1', at + 1, at + 11)
        if (!isIsoDate(iso)) return false
        day = dayNumber(iso)
        this.#days.set(packed, day)
      }
      this.#lastDate = packed
      this.#lastDay = day
    }
    this.#day = this.#lastDay
    return true
  }

  /** Its number, -1 where it is no plain name of an allowed length. */
  #name(
    names: NameInterner,
    { minLength = 0, maxLength = 0 }: { minLength?: number; maxLength?: number },
  ): number {
    const { bytes, text } = this.#reader
    if (bytes[this.#reader.at] !== quote) return -1
    const from = this.#reader.at + 1
    let to = from
    for (; bytes[to] !== quote; to++) {
      if (!(bytes[to] >= 0x20 && bytes[to] < 0x80) || bytes[to] === 0x5c) return -1
    }
    if (to - from < minLength || to - from > maxLength) return -1
    this.#reader.at = to + 1
    const found = names.find(bytes, from, to)
    return found === -1 ? names.add(text.toString('latin1', from, to), bytes, from, to) : found
  }

  /** NaN for null, Infinity for what is no number within the bounds. */
  #number({ minimum = 0, maximum = 0 }: { minimum?: number; maximum?: number }): number {
    const { bytes, at } = this.#reader
    const byte = bytes[at]
    if (byte === 0x6e && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c) {
      this.#reader.at = at + 4
      return Number.NaN
    }
    if (byte !== 0x2d && !(byte >= 0x30 && byte <= 0x39)) return Number.POSITIVE_INFINITY
    const value = readNumber(this.#reader)
    return value >= minimum && value <= maximum ? value : Number.POSITIVE_INFINITY
  }
}

function digits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) {
    const d = bytes[i] - 0x30
    if (!(d >= 0 && d <= 9)) return Number.NaN
    value = value * 10 + d
  }
  return value
}
