import type { KnownSymbol } from '../../../prices/knownSymbols.ts'
import type { PriceRows } from '../../../prices/priceRows.ts'

/** The rows of one symbol of a file that belong to one security. */
export interface RowsOfSymbol {
  readonly symbol: string
  readonly firstDay: number
  readonly lastDay: number
  /** Whether a row of this day and known day is among them. */
  readonly has: (day: number, knownDay: number) => boolean
}

/** What the rows that an import stores of one security say about the symbols that name it. */
export class NamedSymbols {
  readonly #parts: readonly { readonly rows: RowsOfSymbol; readonly found: KnownSymbol[] }[]

  constructor(
    parts: readonly RowsOfSymbol[],
    readonly importId: number,
  ) {
    this.#parts = parts.map(rows => ({ rows, found: [] }))
  }

  /** Notes the rows of this import among those of a year. Years come in their order. */
  add({ count, days, knownDays, imports }: PriceRows): void {
    for (const { rows, found } of this.#parts) {
      let least = found.at(-1)?.knownDay ?? Number.POSITIVE_INFINITY
      // A row of a later day says more only if it was known earlier, and none is known before its own day.
      for (let at = 0; at < count && days[at] <= rows.lastDay && days[at] < least; at++) {
        if (imports[at] !== this.importId || days[at] < rows.firstDay || knownDays[at] >= least) continue
        if (!rows.has(days[at], knownDays[at])) continue
        least = knownDays[at]
        found.push({ symbol: rows.symbol, firstDay: days[at], knownDay: least })
      }
    }
  }

  /** What they say beyond what is on record. */
  beyond(recorded: readonly KnownSymbol[]): KnownSymbol[] {
    const known = [...recorded]
    const added: KnownSymbol[] = []
    const all = this.#parts.flatMap(({ found }) => found)
    for (const one of all.sort((a, b) => a.firstDay - b.firstDay || a.knownDay - b.knownDay)) {
      if (known.some(other => saysAsMuch(other, one))) continue
      known.push(one)
      added.push(one)
    }
    return added
  }
}

const saysAsMuch = (one: KnownSymbol, other: KnownSymbol): boolean =>
  one.symbol === other.symbol && one.firstDay <= other.firstDay && one.knownDay <= other.knownDay
