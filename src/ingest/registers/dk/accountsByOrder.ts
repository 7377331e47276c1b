/** The properties of a figure that reveal whose accounts it belongs to. */
export interface OrderedFigure {
  /** Element, days and unit, which identify the figure. */
  readonly key: string
  readonly metrics: readonly string[]
  /** The ID of its context. */
  readonly contextId: string
  readonly end: number
  readonly value: number
}

/** The figures of a report that contains two sets of accounts, such as group and parent, told apart by their totals. */
interface Accounts<Figure> {
  readonly first: readonly Figure[]
  readonly second: readonly Figure[]
  /** Figures stated once, in a context that both accounts use. */
  readonly ambiguous: readonly Figure[]
}

/**
 * Separates two sets of accounts that no dimension distinguishes: some IFRS reports state the group's figures
 * and then the parent company's under the same elements and days, in contexts that differ only by their IDs.
 * The first statements of each figure form one set and the second statements the other, if the report proves
 * it: every balance sheet adds up within each set, and at least one does not if its assets are taken from the
 * first set and its equity and liabilities from the second. In Danish reports the group comes first. Returns
 * null if the report does not prove the order.
 *
 * @param figures in the order of the document
 */
export function accountsByOrder<Figure extends OrderedFigure>(
  figures: readonly Figure[],
): Accounts<Figure> | null {
  const indices = new Map<string, Set<number>>()
  const statements = [...Map.groupBy(figures, ({ key }) => key).values()]
  const sets: [Figure[], Figure[]] = [[], []]
  const single: Figure[] = []
  for (const stated of statements) {
    if (stated.length > 2) return null
    if (stated.length === 1) {
      single.push(stated[0])
      continue
    }
    for (const [index, figure] of stated.entries()) {
      sets[index].push(figure)
      const known = indices.get(figure.contextId)
      if (known === undefined) indices.set(figure.contextId, new Set([index]))
      else known.add(index)
    }
  }
  const ambiguous: Figure[] = []
  for (const figure of single) {
    const [index, ...others] = indices.get(figure.contextId) ?? []
    if (index === undefined || others.length > 0) ambiguous.push(figure)
    else sets[index].push(figure)
  }
  const [first, second] = sets
  const isProved = addsUp(first, first) === true && addsUp(second, second) === true
  return isProved && addsUp(first, second) === false ? { first, second, ambiguous } : null
}

/** Sums of rounded lines may be off by the rounding: Netcompany's of 2015 by 2 of 157,324 thousand. */
const roundingShare = 1e-4

/**
 * Whether the assets of one set equal the equity and liabilities of another on every day; null if there is no
 * day on which all three are stated.
 */
function addsUp(own: readonly OrderedFigure[], other: readonly OrderedFigure[]): boolean | null {
  const find = (figures: readonly OrderedFigure[], metric: string, day: number) =>
    figures.find(({ metrics, end }) => metrics.includes(metric) && end === day)?.value
  let result: boolean | null = null
  for (const { metrics, end, value } of own) {
    if (!metrics.includes('assets')) continue
    const equity = find(other, 'equity', end)
    const liabilities = find(other, 'liabilities', end)
    if (equity === undefined || liabilities === undefined) continue
    result = result !== false && Math.abs(value - equity - liabilities) <= Math.abs(value) * roundingShare
  }
  return result
}
