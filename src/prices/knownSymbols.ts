/** A symbol that rows of a security name, as known from a day on. */
export interface KnownSymbol {
  readonly symbol: string
  /** The first day of the rows that name it, as days since 1970-01-01. */
  readonly firstDay: number
  readonly knownDay: number
}

/** The symbols that the rows of a security name as known on `lastDay`, in order of the first day of each: the latest one last. */
export function symbolsKnownOn(symbols: readonly KnownSymbol[], lastDay: number): string[] {
  const firstDays = new Map<string, number>()
  for (const { symbol, firstDay, knownDay } of symbols)
    if (knownDay <= lastDay) firstDays.set(symbol, Math.min(firstDay, firstDays.get(symbol) ?? firstDay))
  return [...firstDays]
    .sort(([a, from], [b, since]) => from - since || (a < b ? -1 : 1))
    .map(([symbol]) => symbol)
}
