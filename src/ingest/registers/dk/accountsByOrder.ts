/** What of a figure tells whose accounts it belongs to. */
export interface OrderedFigure {
  /** Element, days and unit: the figure that it is. */
  readonly key: string
  readonly metrics: readonly string[]
  /** The id of its context. */
  readonly contextId: string
  readonly end: number
  readonly value: number
}

/** Figures that the totals of their report tell apart. */
interface Accounts<Figure> {
  readonly first: readonly Figure[]
  readonly second: readonly Figure[]
  /** Stated once, in a context of both. */
  readonly ambiguous: readonly Figure[]
}

/** Tells two accounts apart that no dimension does: some reports under IFRS state the group's figures and then the parent company's
 * under the same elements and days, in contexts that differ by their ids alone. The first statement of each figure and the second are
 * two accounts if the report proves it: in both every balance sheet adds up, and one of mixed statements does not. In Danish
 * reports the group comes first. null: the report proves no such order.
 *
 * @param figures in the order of the document */
export function accountsByOrder<Figure extends OrderedFigure>(
  figures: readonly Figure[],
): Accounts<Figure> | null {
  const places = new Map<string, Set<number>>()
  const statements = [...Map.groupBy(figures, ({ key }) => key).values()]
  const sets: [Figure[], Figure[]] = [[], []]
  const single: Figure[] = []
  for (const stated of statements) {
    if (stated.length > 2) return null
    if (stated.length === 1) {
      single.push(stated[0])
      continue
    }
    for (const [place, figure] of stated.entries()) {
      sets[place].push(figure)
      const known = places.get(figure.contextId)
      if (known === undefined) places.set(figure.contextId, new Set([place]))
      else known.add(place)
    }
  }
  const ambiguous: Figure[] = []
  for (const figure of single) {
    const [place, ...others] = places.get(figure.contextId) ?? []
    if (place === undefined || others.length > 0) ambiguous.push(figure)
    else sets[place].push(figure)
  }
  const [first, second] = sets
  const isProved = addsUp(first, first) === true && addsUp(second, second) === true
  return isProved && addsUp(first, second) === false ? { first, second, ambiguous } : null
}

/** Sums of rounded lines miss by the rounding: Netcompany's of 2015 by 2 of 157,324 thousand. */
const roundingShare = 1e-4

/** Whether the assets of one set are the equity and liabilities of another, on every day; null: on no day all three are stated. */
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
