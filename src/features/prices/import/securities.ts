/** The rows of one symbol of a file that belong to one company, or to none that is known. */
export interface SymbolDays {
  readonly symbol: string
  readonly market: string
  readonly entityId: number | null
  readonly firstDay: number
  readonly lastDay: number
}

/** A security of a set, on record or new. */
export interface Security {
  /** Null: not on record yet. */
  readonly assetId: number | null
  readonly entityId: number | null
  readonly market: string | null
  /** The latest one last. */
  symbols: string[]
  firstDay: number
  lastDay: number
}

/** A security continues under another symbol only if its prices do so within this many calendar days. */
export const maxGapDays = 10

/**
 * Assigns the rows of symbols to securities. Rows belong to the security of their company that had the symbol before. A
 * new symbol continues a security of the company whose prices end within `maxGapDays` calendar days before it (FB, then
 * META), if there is only one; otherwise it is a security of its own, such as another class of shares.
 *
 * @param recorded the securities of the set; those that get rows are changed
 */
export function assignSecurities(recorded: readonly Security[], parts: readonly SymbolDays[]): Security[] {
  const ofOwner = Map.groupBy(recorded, ownerOf)
  const assigned = new Map<SymbolDays, Security>()
  const inOrder = parts.toSorted((a, b) => a.firstDay - b.firstDay || (a.symbol < b.symbol ? -1 : 1))
  for (const part of inOrder) {
    const own = ofOwner.get(ownerOf(part)) ?? []
    if (own.length === 0) ofOwner.set(ownerOf(part), own)
    const security = own.find(({ symbols }) => symbols.includes(part.symbol)) ?? continued(own, part, parts)
    if (security === undefined) own.push(take(assigned, part, newSecurity(part)))
    else take(assigned, part, security)
  }
  return parts.map(part => assigned.get(part) ?? newSecurity(part))
}

/** Unknown symbols are securities of nobody, each by its symbol and market. */
const ownerOf = (one: Security | SymbolDays): string =>
  one.entityId === null
    ? `${'symbols' in one ? one.symbols[0] : one.symbol} ${one.market ?? ''}`
    : String(one.entityId)

function continued(
  own: readonly Security[],
  part: SymbolDays,
  parts: readonly SymbolDays[],
): Security | undefined {
  if (part.entityId === null) return undefined
  const near = own.filter(({ lastDay, firstDay, symbols }) => {
    const isBefore = lastDay < part.firstDay && part.firstDay - lastDay <= maxGapDays
    const isAfter = firstDay > part.lastDay && firstDay - part.lastDay <= maxGapDays
    // A symbol that continues in the same file was not replaced by this one.
    const goesOn = parts.some(
      other =>
        other !== part &&
        other.entityId === part.entityId &&
        symbols.includes(other.symbol) &&
        other.lastDay >= part.firstDay &&
        other.firstDay <= part.lastDay,
    )
    return (isBefore || isAfter) && !goesOn
  })
  return near.length === 1 ? near[0] : undefined
}

const newSecurity = ({ symbol, market, entityId, firstDay, lastDay }: SymbolDays): Security => ({
  assetId: null,
  entityId,
  market: market === '' ? null : market,
  symbols: [symbol],
  firstDay,
  lastDay,
})

function take(assigned: Map<SymbolDays, Security>, part: SymbolDays, security: Security): Security {
  if (!security.symbols.includes(part.symbol))
    security.symbols =
      part.firstDay > security.lastDay
        ? [...security.symbols, part.symbol]
        : [part.symbol, ...security.symbols]
  security.firstDay = Math.min(security.firstDay, part.firstDay)
  security.lastDay = Math.max(security.lastDay, part.lastDay)
  assigned.set(part, security)
  return security
}
