import type { Vintages } from './vintages.ts'

/** A split as the restated figures of a company show it: one share became `ratio` shares by `day`. */
export interface Split {
  /** The day on which restated figures were first filed, since 1970-01-01. */
  readonly day: number
  readonly ratio: number
}

/** How a figure changes with a split: per share it is divided by the ratio, a number of shares is multiplied. */
export type ShareKind = 'per_share' | 'shares' | 'none'

export function shareKindOf(unit: string): ShareKind {
  if (/\/ ?shares?$/i.test(unit)) return 'per_share'
  return /^shares?$/i.test(unit) ? 'shares' : 'none'
}

/** The ratios at which companies split their shares, and the reverse. */
const ratios = [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100, 1.5, 1.25, 4 / 3].flatMap(ratio => [
  ratio,
  1 / ratio,
])
/** Figures per share have two decimals as a rule, so the ratio of two small ones is not exact. */
export const maxSplitError = 0.015

/** The nearest ratio of a split, or null. */
export function splitRatio(before: number, after: number): number | null {
  if (before === 0 || after === 0 || before === after) return null
  const found = before / after
  const nearest = ratios.find(ratio => Math.abs(found / ratio - 1) <= maxSplitError)
  return nearest ?? null
}

/**
 * The splits that the vintages of a company show, earliest first: filings of about a year that restate at least two periods
 * by the ratio of a split, from the first of them on. A filing that restates periods by different ratios shows none.
 *
 * @param from the first vintage of the company
 * @param to the end of its vintages
 */
export function splitsOf(vintages: Vintages, from: number, to: number, kind: ShareKind): Split[] {
  if (kind === 'none') return []
  const byDay = new Map<number, { ratio: number | null; periods: number }>()
  for (const [before, after] of restatements(vintages, from, to)) {
    // A year and its fourth quarter end on one day. The year has the larger figure, before the split and after it. If only one
    // of them is restated, nothing says which.
    if (before.length !== after.length) continue
    const day = vintages.days[after[0]]
    for (const [i, vintage] of after.entries()) {
      const [one, other] = kind === 'per_share' ? [before[i], vintage] : [vintage, before[i]]
      const ratio = splitRatio(vintages.values[one], vintages.values[other])
      const known = byDay.get(day)
      if (known === undefined) byDay.set(day, { ratio, periods: 1 })
      else if (known.ratio === ratio) known.periods++
      else known.ratio = null
    }
  }
  const found: (Split & { periods: number })[] = []
  for (const [day, { ratio, periods }] of [...byDay].sort(([a], [b]) => a - b)) {
    if (ratio === null) continue
    // Later filings restate further periods for a split that is known already.
    const before = found.findLast(split => split.ratio === ratio && day - split.day <= maxSpreadDays)
    if (before === undefined) found.push({ day, ratio, periods })
    else before.periods += periods
  }
  return found.flatMap(({ day, ratio, periods }) => (periods >= fewestPeriods ? [{ day, ratio }] : []))
}

/** The vintages of one last day that were filed on one day, smallest figure first. */
type FiledTogether = readonly number[]

/** For each last day of periods, what was filed on one day and what was filed on the next that restates it. */
function* restatements(
  { days, values, ends }: Vintages,
  from: number,
  to: number,
): Generator<readonly [FiledTogether, FiledTogether]> {
  const order = Int32Array.from({ length: to - from }, (_, i) => from + i).sort(
    (a, b) => ends[a] - ends[b] || days[a] - days[b] || Math.abs(values[a]) - Math.abs(values[b]),
  )
  let before: number[] = []
  let after: number[] = []
  for (const vintage of order) {
    const last = after.at(-1)
    if (last !== undefined && ends[last] === ends[vintage] && days[last] === days[vintage]) {
      after.push(vintage)
      continue
    }
    if (before.length > 0) yield [before, after]
    before = last !== undefined && ends[last] === ends[vintage] ? after : []
    after = [vintage]
  }
  if (before.length > 0) yield [before, after]
}
/** A restatement of one period may have the ratio of a split by chance: Apple restated 1.38 to 2.05 per share in 2010. */
const fewestPeriods = 2

/** A split reaches the comparative figures of all periods within about a year. */
const maxSpreadDays = 400

/** What a figure filed by a day is to be multiplied by so that it is per share of another day; by default, of today. */
export function adjustment(
  splits: readonly Split[],
  day: number,
  kind: ShareKind,
  until: number = Number.POSITIVE_INFINITY,
): number {
  let ratio = 1
  for (const split of splits) if (split.day > day && split.day <= until) ratio *= split.ratio
  if (kind === 'none') return 1
  return kind === 'per_share' ? 1 / ratio : ratio
}

/** The vintages of all companies, adjusted for the splits after their filing. */
export interface AdjustedVintages {
  readonly starts: Int32Array
  /** Ascending for each company. */
  readonly values: Float64Array
  /** For each value, the index of its vintage. */
  readonly order: Int32Array
}

/** The splits of every company that has some, by company. */
export function splitsOfCompanies(
  vintages: Vintages,
  kindOfUnit: ReadonlyMap<number, ShareKind>,
): Map<number, readonly Split[]> {
  const { starts, units } = vintages
  const found = new Map<number, readonly Split[]>()
  for (let company = 0; company < starts.length - 1; company++) {
    const [from, to] = [starts[company], starts[company + 1]]
    const splits = from === to ? [] : splitsOf(vintages, from, to, kindOfUnit.get(units[from]) ?? 'none')
    if (splits.length > 0) found.set(company, splits)
  }
  return found
}

/** Adjusts vintages for the splits that they show. Those that are not of shares keep their values. */
export function adjustVintages(
  vintages: Vintages,
  kindOfUnit: ReadonlyMap<number, ShareKind>,
): AdjustedVintages {
  const { starts, days, units } = vintages
  const adjusted = vintages.values.slice()
  const order = Int32Array.from(adjusted, (_, at) => at)
  for (const [company, splits] of splitsOfCompanies(vintages, kindOfUnit)) {
    const [from, to] = [starts[company], starts[company + 1]]
    for (let at = from; at < to; at++)
      adjusted[at] *= adjustment(splits, days[at], kindOfUnit.get(units[at]) ?? 'none')
    order.subarray(from, to).sort((a, b) => adjusted[a] - adjusted[b] || a - b)
  }
  return { starts, values: Float64Array.from(order, at => adjusted[at]), order }
}
