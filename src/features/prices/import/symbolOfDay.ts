import type { KnownSymbol } from '../../../prices/knownSymbols.ts'
import type { PriceRows } from '../../../prices/priceRows.ts'
import { yearOf } from './tableOfYears.ts'

/**
 * The symbol of a security on each day, by what is on record: each from its first day on, until the next begins. Where the
 * symbols are in truth of two securities, such as two classes of shares that came in files of their own, rows of one would
 * otherwise replace those of the other.
 */
export class SymbolOfDay {
  readonly #firstDays = new Map<string, number>()

  /** @param years the rows on record */
  constructor(
    recorded: readonly KnownSymbol[],
    readonly years: ReadonlyMap<number, PriceRows>,
  ) {
    for (const { symbol, firstDay } of recorded)
      this.#firstDays.set(symbol, Math.min(firstDay, this.#firstDays.get(symbol) ?? firstDay))
  }

  /**
   * The other symbol that the security has on the day, if the close contradicts it. A row that states the close on record
   * contradicts nothing: sources also give the whole past of a renamed security under its new symbol.
   */
  contradicted(symbol: string, day: number, close: number): string | null {
    if (this.#firstDays.size < 2 || !this.#firstDays.has(symbol)) return null
    let current: string | null = null
    let since = Number.NEGATIVE_INFINITY
    for (const [other, firstDay] of this.#firstDays)
      if (firstDay <= day && firstDay > since) {
        current = other
        since = firstDay
      }
    return current === null || current === symbol || this.#states(day, close) ? null : current
  }

  #states(day: number, close: number): boolean {
    const rows = this.years.get(yearOf(day))
    if (rows === undefined) return false
    let at = rows.days.indexOf(day)
    for (; at >= 0 && at < rows.count && rows.days[at] === day; at++)
      if (Object.is(rows.closes[at], close)) return true
    return false
  }
}
