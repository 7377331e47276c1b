import type { ChangeFilings } from '../../restatements/restatements.ts'
import type { Restatement } from '../../restatements/schema.ts'
import { changeInPercent } from '../figures.ts'

/** A changed figure with the filings before and after. */
export interface Change extends Restatement {
  readonly filings: ChangeFilings
}

/** How much a figure changed in percent of the earlier value; null if it changed its sign or unit, or was 0. */
export const percentOf = ({ value_before, value, unit_before, unit }: Restatement): number | null =>
  unit === unit_before ? changeInPercent(value_before, value) : null

export const sorts = ['filed', 'amount', 'percent'] as const
export type Sort = (typeof sorts)[number]

interface Ordered {
  readonly changes: readonly Change[]
  /** How many changes have no size in this order, and so no place in it. */
  readonly unranked: number
}

/**
 * The changes in an order: the latest first, or those with the largest size first. Amounts are only ranked within one
 * unit, so a change from or to another one is left out.
 *
 * @param unit of amounts that are ranked
 */
export function inOrder(changes: readonly Change[], sort: Sort, unit: string | null): Ordered {
  const latest = changes.toSorted((a, b) => (a.filed < b.filed ? 1 : a.filed > b.filed ? -1 : 0))
  if (sort === 'filed') return { changes: latest, unranked: 0 }
  const sized = latest.flatMap(change => {
    const size = sort === 'percent' ? percentOf(change) : amountOf(change, unit)
    return size === null ? [] : [{ change, size: Math.abs(size) }]
  })
  return {
    changes: sized.sort((a, b) => b.size - a.size).map(({ change }) => change),
    unranked: latest.length - sized.length,
  }
}

const amountOf = ({ value_before, value, unit_before, unit }: Restatement, ranked: string | null) =>
  unit === unit_before && unit === ranked ? value - value_before : null

/** The unit of most changes. */
export function commonUnit(changes: readonly Restatement[]): string | null {
  const counts = new Map<string, number>()
  for (const { unit } of changes) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? null
}

/** The changes that were filed in a year. */
export interface YearOfChanges {
  readonly year: number
  readonly changes: number
  /** How many of them have a size in percent. */
  readonly sized: number
  /** The median of these sizes without their signs; null if there are none. */
  readonly median: number | null
}

/** Every year from the first to the last change, those without a change included. */
export function byYear(changes: readonly Restatement[]): YearOfChanges[] {
  const years = changes.map(({ filed }) => Number(filed.slice(0, 4)))
  const first = Math.min(...years)
  const last = Math.max(...years)
  return Array.from({ length: years.length === 0 ? 0 : last - first + 1 }, (_, at) => {
    const ofYear = changes.filter((_, index) => years[index] === first + at)
    const sizes = ofYear.map(percentOf).filter(size => size !== null)
    return {
      year: first + at,
      changes: ofYear.length,
      sized: sizes.length,
      median: median(sizes.map(Math.abs)),
    }
  })
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return null
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
