import type { KnownSymbol } from '../../../prices/knownSymbols.ts'
import type { PriceRows } from '../../../prices/priceRows.ts'
import { maxGapDays } from './securities.ts'
import { yearOf } from './tableOfYears.ts'

/**
 * The symbol of a security on each day, by what is on record: each from its start on, until the next starts. Where the
 * symbols are in truth of two securities, such as two classes of shares that came in files of their own, rows of one would
 * otherwise replace those of the other.
 */
export class SymbolOfDay {
  readonly #starts: ReadonlyMap<string, number>
  #restated: string | null = null

  /**
   * @param recorded in the order in which they were imported
   * @param years the rows on record of the days that are asked for, and of `maxGapDays` after them
   */
  constructor(
    recorded: readonly KnownSymbol[],
    readonly years: ReadonlyMap<number, PriceRows>,
  ) {
    this.#starts = startsOf(recorded)
  }

  /** The symbol that started last; null if the security has had only one. */
  get latest(): string | null {
    return this.#starts.size < 2 ? null : this.#at(Number.POSITIVE_INFINITY)
  }

  /**
   * Admits all rows of the latest symbol if they restate every day on which others were the symbol, as in an adjusted set
   * after a split.
   *
   * @param days the days of these rows
   * @param firstDay the first day of the security
   */
  admitRestated(days: ReadonlySet<number>, firstDay: number): void {
    const { latest } = this
    const start = this.#starts.get(latest ?? '') ?? 0
    if (!days.has(firstDay) || ![...days].some(day => day >= start)) return
    for (const rows of this.years.values())
      for (let at = 0; at < rows.count && rows.days[at] < start; at++)
        if (!Number.isNaN(rows.closes[at]) && !days.has(rows.days[at])) return
    this.#restated = latest
  }

  /**
   * The other symbol that the security has on the day, if the close contradicts it. A row that states the close on record
   * contradicts nothing: sources also give the whole past of a renamed security under its new symbol.
   */
  contradicted(symbol: string, day: number, close: number): string | null {
    const start = this.#starts.get(symbol)
    if (this.#starts.size < 2 || start === undefined || symbol === this.#restated) return null
    const current = this.#at(day)
    if (current === null || current === symbol || this.#states(day, close)) return null
    // Of the days between the last row of a symbol and the first of the next, rows of either may come late.
    return day < start && start - day <= maxGapDays && !this.#hasClose(day, start) ? null : current
  }

  #at(day: number): string | null {
    let current: string | null = null
    let since = Number.NEGATIVE_INFINITY
    for (const [symbol, start] of this.#starts)
      if (start <= day && start > since) {
        current = symbol
        since = start
      }
    return current
  }

  /** A day without rows has no close, as a row without one says. */
  #states(day: number, close: number): boolean {
    const closes = this.#closesOf(day)
    return closes === null ? Number.isNaN(close) : closes.includes(close)
  }

  #hasClose(from: number, until: number): boolean {
    for (let day = from; day < until; day++)
      if (this.#closesOf(day)?.some(close => !Number.isNaN(close))) return true
    return false
  }

  /** The closes of all vintages of a day; null if there are none. */
  #closesOf(day: number): Float64Array | null {
    const rows = this.years.get(yearOf(day))
    const start = rows?.days.indexOf(day) ?? -1
    if (rows === undefined || start < 0) return null
    let end = start
    while (end < rows.count && rows.days[end] === day) end++
    return rows.closes.subarray(start, end)
  }
}

/**
 * The day from which on each is the symbol: the first day of its rows when it was first imported. Rows of earlier days that
 * come later move the start of the first symbol. They move that of another one only within the days that may lie between two
 * symbols, because they may as well be the past of the security under its new symbol.
 */
function startsOf(recorded: readonly KnownSymbol[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  const firstStarts = new Map<string, number>()
  for (const { symbol, firstDay } of recorded) {
    const start = starts.get(symbol)
    const first = firstStarts.get(symbol)
    if (start === undefined || first === undefined) {
      starts.set(symbol, firstDay)
      firstStarts.set(symbol, firstDay)
      continue
    }
    const earlier = [...starts.values()].filter(day => day < start)
    const isBetween = first - firstDay <= maxGapDays && earlier.every(day => day < firstDay)
    if (firstDay < start && (earlier.length === 0 || isBetween)) starts.set(symbol, firstDay)
  }
  return starts
}
