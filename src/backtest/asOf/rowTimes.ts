import { dayNumber, type IsoDate, isIsoDate, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { firstInstant, parseTime } from '../../markets/asOf.ts'
import { type SessionFile, type SessionPoint, Sessions } from '../../markets/sessions.ts'
import { type Zone, zoneOf } from '../../zones.ts'
import { showValue } from '../codec/faults.ts'
import { type CarriedColumn, noCell, type RowLayout, type StoredType } from './carried/carriedColumn.ts'
import { textAt } from './carried/shownTexts.ts'
import type { TextTable } from './carried/texts.ts'

/** The column of rows that ask for figures as of an instant. It replaces `date`. */
export const timeColumn = 'time'

/**
 * The times of a join's rows. Each distinct value is parsed once. It becomes an instant only when the market of its
 * row is known, because a time without an offset is in the market's own zone.
 */
export interface RowTimes {
  /** For each row, the number of its value, counted from 1. */
  readonly cells: Int32Array
  /**
   * By value, counted from 0: milliseconds since 1970 in UTC or in local time; for a session, midnight of its day.
   */
  readonly ms: Float64Array
  readonly forms: Uint8Array
  /** Whether a day without a session counts from the close of the last one before it. */
  readonly fallsBack?: boolean
  /** The last day that may be asked for. In UTC, as for `as_of`. */
  readonly today: IsoDate
}

const utc = 0
const local = 1
const atOpen = 2
const atClose = 3

const dayMs = 86_400_000

/** Whether rows ask for figures as of instants: they have a column `time` and no `date`. */
export const hasTimes = (layout: RowLayout): boolean =>
  !layout.includes('date') && layout.some(column => typeof column !== 'string' && column.name === timeColumn)

/** The times of rows that have them; null if the rows have days. */
export function readRowTimes(layout: RowLayout, today: IsoDate): RowTimes | null {
  if (!hasTimes(layout)) return null
  const column = layout.find(one => typeof one !== 'string' && one.name === timeColumn)
  if (column === undefined || typeof column === 'string') return null
  requireEveryCell(column)
  const { values } = column
  const count = values.kind === 'stored' ? values.numbers.length : values.table.starts.length - 1
  const ms = new Float64Array(new SharedArrayBuffer(8 * count))
  const forms = new Uint8Array(new SharedArrayBuffer(count))
  const end = endOf(today)
  const unit = values.kind === 'stored' ? unitOf(values.type) : null
  const plain = new PlainTimes(values.kind === 'json')
  let withOffset = 0
  for (let number = 0; number < count; number++) {
    if (values.kind === 'stored') {
      ms[number] = unit === null ? Number.NaN : wholeMs(values.numbers[number], unit.perMs)
      forms[number] = unit?.isUtc === true ? utc : local
    } else if (!plain.read(values.table, number, ms, forms)) {
      const text = textAt(values.table, number)
      ;[ms[number], forms[number]] = parseText(values.kind === 'json' ? unquoted(text) : text, text)
    }
    if (Number.isNaN(ms[number])) throw refused('The column time must be a timestamp or text.')
    if (ms[number] < firstInstant) throw refused('A time is too early. Send times from 0001-01-03 on.')
    // A local time may already be tomorrow in UTC. Its instant is checked once the market is known.
    if (ms[number] >= end + (forms[number] === utc ? 0 : 14 * 3_600_000)) throw tooLate(ms[number], today)
    if (forms[number] === utc) withOffset++
  }
  if (withOffset > 0 && withOffset < count) throw mixedForms()
  return { cells: column.cells, ms, forms, today }
}

/**
 * The open or close of the session of each date.
 *
 * @param offsets the first row of each date, and the end of the last
 */
export function timesOfDates(days: Int32Array, offsets: Int32Array, point: SessionPoint): RowTimes {
  const cells = new Int32Array(offsets[days.length])
  for (let date = 0; date < days.length; date++) cells.fill(date + 1, offsets[date], offsets[date + 1])
  const ms = Float64Array.from(days, day => day * dayMs)
  const forms = new Uint8Array(days.length).fill(point === 'open' ? atOpen : atClose)
  return { cells, ms, forms, fallsBack: true, today: isoDate(days[days.length - 1]) }
}

/** Nanoseconds have more digits than a double can hold, so rounding would make some of them a millisecond late. */
function wholeMs(value: number | bigint, perMs: number): number {
  if (typeof value === 'number') return Math.floor(value / perMs)
  const unit = BigInt(perMs)
  return Number(value % unit < 0n ? value / unit - 1n : value / unit)
}

const endOf = (today: IsoDate) => (dayNumber(today) + 1) * dayMs

/** Only in the market of this zone do symbols pass from one company to another. */
const zoneOfSymbols = 'America/New_York'

/** Fills in the days on which the rows' names are looked up, before the companies and their markets are known. */
export function setSymbolDays(day: Int32Array, { cells, ms, forms }: RowTimes): void {
  const zone = zoneOf(zoneOfSymbols)
  const days = Int32Array.from(ms, (at, value) =>
    forms[value] === utc ? zone.dayAt(at) : Math.floor(at / dayMs),
  )
  for (let row = 0; row < cells.length; row++) day[row] = days[cells[row] - 1]
}

function requireEveryCell({ cells }: CarriedColumn): void {
  for (let row = 0; row < cells.length; row++) {
    if (cells[row] !== noCell) continue
    throw new Failure('parameter_invalid', `The time of row ${row + 1} is missing. Send one in each row.`, {
      param: 'rows.time',
    })
  }
}

/** The unit of a Parquet timestamp. */
function unitOf({ converted_type, logical_type }: StoredType): { perMs: number; isUtc: boolean } {
  if (logical_type?.type === 'TIMESTAMP') {
    const perMs = logical_type.unit === 'NANOS' ? 1e6 : logical_type.unit === 'MICROS' ? 1e3 : 1
    return { perMs, isUtc: logical_type.isAdjustedToUTC }
  }
  if (converted_type === 'TIMESTAMP_MILLIS') return { perMs: 1, isUtc: true }
  if (converted_type === 'TIMESTAMP_MICROS') return { perMs: 1e3, isUtc: true }
  throw refused('The column time must be a timestamp or text. Send dates in a column date.')
}

const digit = (byte: number) => (byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : Number.NaN)
const twoDigits = (bytes: Uint8Array, at: number) => 10 * digit(bytes[at]) + digit(bytes[at + 1])

/**
 * Reads the usual spellings (minutes or whole seconds, perhaps with Z or an offset) without creating a string for each.
 * It follows the rules of `parseTime`, which reads all other spellings.
 */
class PlainTimes {
  /** Days since 1970 by the number that their digits form. */
  readonly #days = new Map<number, number>()

  constructor(readonly isQuoted: boolean) {}

  /** @returns whether the value was read */
  read({ bytes, starts }: TextTable, value: number, ms: Float64Array, forms: Uint8Array): boolean {
    let [at, end] = [starts[value], starts[value + 1]]
    if (this.isQuoted) [at, end] = [at + 1, end - 1]
    if (end - at < 'YYYY-MM-DDThh:mm'.length) return false
    const day = this.#dayAt(bytes, at)
    if (bytes[at + 10] !== 0x54 || bytes[at + 13] !== colon) return false
    const [hour, minute] = [twoDigits(bytes, at + 11), twoDigits(bytes, at + 14)]
    let seconds = 3_600 * hour + 60 * minute
    at += 16
    if (bytes[at] === colon && end - at >= 3) {
      const second = twoDigits(bytes, at + 1)
      if (!(second <= 59)) return false
      seconds += second
      at += 3
    }
    if (!(hour <= 23 && minute <= 59)) return false
    let offset = 0
    forms[value] = utc
    if (at === end) forms[value] = local
    else if (bytes[at] !== 0x5a || end - at !== 1) {
      const [hours, minutes] = [twoDigits(bytes, at + 1), twoDigits(bytes, at + 4)]
      if (end - at !== 6 || bytes[at + 3] !== colon || !(hours <= 14 && minutes <= 59)) return false
      if (bytes[at] !== 0x2b && bytes[at] !== hyphen) return false
      offset = (bytes[at] === hyphen ? -60 : 60) * (60 * hours + minutes)
    }
    ms[value] = day * dayMs + (seconds - offset) * 1_000
    return !Number.isNaN(ms[value])
  }

  /** NaN: not a day. */
  #dayAt(bytes: Uint8Array, at: number): number {
    if (bytes[at + 4] !== hyphen || bytes[at + 7] !== hyphen) return Number.NaN
    const year = 100 * twoDigits(bytes, at) + twoDigits(bytes, at + 2)
    const key = 10_000 * year + 100 * twoDigits(bytes, at + 5) + twoDigits(bytes, at + 8)
    if (Number.isNaN(key)) return Number.NaN
    const known = this.#days.get(key)
    if (known !== undefined) return known
    const text = String(key).padStart(8, '0')
    const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
    const number = isIsoDate(day) ? dayNumber(day) : Number.NaN
    this.#days.set(key, number)
    return number
  }
}

const hyphen = 0x2d
const colon = 0x3a

function unquoted(token: string): string {
  return token.startsWith('"') ? String(JSON.parse(token)) : ''
}

function parseText(text: string, sent: string): [ms: number, form: number] {
  const time = parseTime(text)
  if (time !== null) return time.offset === null ? [time.local, local] : [time.local - time.offset, utc]
  const [, day = '', point] = /^(.{10})@(open|close)$/.exec(text) ?? []
  if (isIsoDate(day)) return [dayNumber(day) * dayMs, point === 'open' ? atOpen : atClose]
  const hint = isIsoDate(text) ? ' Send dates in a column date; the column time is for instants.' : ''
  throw refused(
    `time is ${showValue(sent)}; it must be an instant like 2010-01-25T16:00:00-05:00, a local time in the market like 2010-01-25T16:00, or a session like 2010-01-25@close.${hint}`,
  )
}

const mixedForms = () =>
  refused(
    'Some times have an offset and others do not, so the column is ambiguous. Send all times with an offset, or all as local times in the market.',
  )

/** The last instant that `Date` can represent. */
const lastDated = 8.64e15

const tooLate = (ms: number, today: IsoDate) =>
  refused(
    `time is ${new Date(Math.min(ms, lastDated)).toISOString().slice(0, -5)}, which is in the future: today is ${today} (UTC).`,
  )

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'rows.time' })

/** The clock of a market, and the sessions of its exchange if they are known. */
export interface MarketClock {
  readonly market: string
  readonly zone: string
  readonly sessions: SessionFile | null
}

/** The instants of a market's rows, by value. */
export class TimesOfMarket {
  readonly zone: Zone
  readonly #market: string
  readonly #sessions: Sessions | null
  readonly #times: RowTimes
  /** NaN: not computed yet. */
  readonly #instants: Float64Array
  readonly #days: Int32Array

  constructor({ market, zone, sessions }: MarketClock, times: RowTimes) {
    this.zone = zoneOf(zone)
    this.#market = market
    this.#sessions = sessions === null ? null : new Sessions(sessions)
    this.#times = times
    this.#instants = new Float64Array(times.ms.length).fill(Number.NaN)
    this.#days = new Int32Array(times.ms.length)
  }

  /** @param value counted from 0 */
  instant(value: number): number {
    const known = this.#instants[value]
    if (!Number.isNaN(known)) return known
    const instant = this.#find(value)
    const { today } = this.#times
    if (instant >= endOf(today)) throw tooLate(instant, today)
    this.#instants[value] = instant
    this.#days[value] = this.zone.dayAt(instant)
    return instant
  }

  /** The day of the instant in the market. Call `instant` first. */
  day(value: number): number {
    return this.#days[value]
  }

  #find(value: number): number {
    const ms = this.#times.ms[value]
    const form = this.#times.forms[value]
    if (form === utc) return ms
    if (form === local) return this.#onClock(ms)
    const point: SessionPoint = form === atOpen ? 'open' : 'close'
    const day = new Date(ms).toISOString().slice(0, 10)
    if (this.#times.fallsBack === true) return this.#lastSession(day, point)
    if (this.#sessions !== null) return this.#sessions.requireInstant(day, point, 'time')
    throw refused(
      `time=${day}@${point}: the sessions of market ${this.#market} are not known. Send a time instead.`,
    )
  }

  #lastSession(day: IsoDate, point: SessionPoint): number {
    const instant = this.#sessions?.lastInstant(day, point) ?? null
    if (instant !== null) return instant
    const known =
      this.#sessions === null
        ? `of market ${this.#market} are not known`
        : `of ${this.#sessions.name} are known from ${this.#sessions.first} to ${this.#sessions.last}`
    throw new Failure(
      'parameter_invalid',
      `The sessions ${known}, but the rows have companies of that market on ${day}. Omit score.at: then what was filed before each date counts.`,
      { param: 'score.at' },
    )
  }

  #onClock(ms: number): number {
    const [first, ...others] = this.zone.instantsOf(ms)
    if (first !== undefined && others.length === 0) return first
    const text = new Date(ms).toISOString().slice(0, 19)
    const why =
      first === undefined
        ? 'the clocks went forward over it'
        : 'it occurred twice, because the clocks went back'
    throw refused(
      `time=${text} is not a single instant in ${this.zone.name}: ${why}. Send it with its offset.`,
    )
  }
}
