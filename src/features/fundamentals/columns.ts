/** A cover count is dated weeks after the end of the report's own period. */
const coverCount = 'shares_outstanding'

/** Whether figures of this metric end on the last day of their fiscal period. */
export const isPeriodFigure = (metric: string): boolean => metric !== coverCount

const money = /^([A-Z]{3})(?:\/|$)/

/** The currencies of figures with these units, separated by spaces; null if none is money. */
export function currencies(units: readonly string[]): string | null {
  const names = new Set<string>()
  for (const unit of units) {
    const name = money.exec(unit)?.[1]
    if (name !== undefined) names.add(name)
  }
  return names.size === 0 ? null : [...names].sort().join(' ')
}
