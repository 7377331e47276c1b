import { dayNumber, type IsoDate, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { NameInterner } from '../codec/nameInterner.ts'
import type { ByteColumns } from './carried/byteColumns.ts'
import { plainLayout, type RowLayout } from './carried/carriedColumn.ts'
import type { JoinRows } from './positions.ts'
import { maxJoinRows, maxTickerLength } from './request.ts'
import type { RowTimes } from './rowTimes.ts'

/** Bounds the lookups of one request, which run on the thread that serves all requests. */
export const maxTickers = 100_000

/** The rows of a body, in shared memory. */
export interface ParsedRows extends JoinRows {
  readonly names: readonly string[]
  /** The columns in the order in which they were sent. */
  readonly layout: RowLayout
  /** Present if rows have times; their days are then unused. */
  readonly times?: RowTimes | null
}

/** The number of rows to allocate: one more than allowed, so that an excess is noticed. The system allocates
 * a page only when a row reaches it.
 *
 * @param minRowBytes the length of the shortest possible row */
export const rowCapacity = (bytes: Uint8Array, minRowBytes: number): number =>
  Math.min(maxJoinRows, Math.floor(bytes.length / minRowBytes)) + 2

/** Rows that are filled one by one. */
export class RowsBuilder {
  readonly names = new NameInterner(maxTickerLength)
  count = 0
  readonly #day: Int32Array
  readonly #name: Int32Array
  readonly #maxRows: number

  constructor(capacity: number, maxRows: number) {
    this.#maxRows = maxRows
    this.#day = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#name = new Int32Array(new SharedArrayBuffer(4 * capacity))
  }

  push(day: number, name: number): void {
    const row = this.count++
    this.#day[row] = day
    this.#name[row] = name
    if (row >= this.#maxRows) tooManyRows(this.#maxRows)
    if (name >= maxTickers) throw tooManyTickers()
  }

  pushRow({ date, ticker }: { readonly date: IsoDate; readonly ticker: string }): void {
    this.push(dayNumber(date), this.names.numberOf(ticker))
  }

  /** @param columns the names of all columns in order, and the columns other than date and ticker */
  finish(columns?: { readonly names: readonly string[]; readonly carried: ByteColumns }): ParsedRows {
    const { count } = this
    const layout = columns?.names.map(name =>
      name === 'date' || name === 'ticker' ? name : columns.carried.finish(name, count),
    )
    return {
      count,
      day: this.#day.subarray(0, count),
      name: this.#name.subarray(0, count),
      names: this.names.names,
      layout: layout ?? plainLayout,
    }
  }
}

/** @param maxRows the most that the caller may send
 * @param count null: reading stopped at the first row over the limit */
export function tooManyRows(maxRows: number, count: number | null = null): never {
  const limit = maxRows.toLocaleString('en')
  if (maxRows < maxJoinRows) {
    throw new Failure(
      'body_too_large',
      `rows has ${count === null ? `more than ${limit}` : count.toLocaleString('en')} rows; the demo key and free keys may join ${limit} a minute. Split it by date and send the parts over several minutes, or use an evaluation key or one with a Personal or Commercial data licence.`,
      { param: 'rows' },
    )
  }
  throw new Failure('body_invalid', `rows has more than ${limit} rows. Split it by date.`, { param: 'rows' })
}

/** A ticker takes more memory than its row, so readers stop at the first one over the limit. */
export function tooManyTickers(): Failure {
  return new Failure(
    'body_invalid',
    `rows names more than ${maxTickers.toLocaleString('en')} different tickers. Split it by ticker.`,
    { param: 'rows' },
  )
}

/** Rejects an empty body, too many tickers, and future dates: whatever is filed later must not decide any
 * row.
 *
 * @param placeOf names the cell of a row's date, for messages */
export function checkRows(
  { count, day, names, times }: ParsedRows,
  lastDate: IsoDate,
  inclusive: boolean,
  placeOf: (row: number) => string,
): void {
  if (count === 0) {
    throw new Failure('parameter_invalid', 'rows is empty. Send at least one date and ticker.', {
      param: 'rows',
    })
  }
  if (names.length > maxTickers) throw tooManyTickers()
  if (times !== undefined && times !== null) return
  const last = dayNumber(lastDate)
  for (let row = 0; row < count; row++)
    if (day[row] > last) throw tooLate(day[row], lastDate, inclusive, placeOf(row))
}

function tooLate(day: number, lastDate: IsoDate, inclusive: boolean, location: string): Failure {
  const known = inclusive
    ? 'With inclusive, figures filed on the date count, and filings after today (UTC) are not yet known'
    : 'Figures filed before the date count, and filings after today (UTC) are not yet known'
  return new Failure(
    'parameter_invalid',
    `${location} is ${isoDate(day)}. ${known}: send dates up to ${lastDate}.`,
    { param: location },
  )
}
