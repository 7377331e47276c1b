/** The count on the cover of a report is of a day weeks after the report's own period. */
const coverCount = 'shares_outstanding'

/** Whether a figure of this metric ends on the day on which its fiscal period ends. */
export const isPeriodFigure = (metric: string): boolean => metric !== coverCount

const money = /^([A-Z]{3})(?:\/|$)/

/** The currency of figures with these units, several separated by spaces; null: none is in money. */
export function currencies(units: readonly string[]): string | null {
  const names = new Set<string>()
  for (const unit of units) {
    const name = money.exec(unit)?.[1]
    if (name !== undefined) names.add(name)
  }
  return names.size === 0 ? null : [...names].sort().join(' ')
}
