import type { PresentedRow } from './presentedRows.ts'
import { roundingUnit, type Structure } from './structure.ts'

/**
 * The same structure with the totals that stand above their items, as in Korea: a total that equals the sum of the rows
 * below it, up to the next total, in every column.
 *
 * @param isTotal by row, whether it is such a total; its items end at the next row that `ends`
 */
export function withTotalsAbove(
  structure: Structure,
  rows: readonly PresentedRow[],
  isTotal: readonly boolean[],
  ends: readonly boolean[],
): Structure {
  const parents = [...structure.parents]
  const weights = [...structure.weights]
  const items = structure.items.map(each => [...each])
  const values = rows.map(({ figures }) =>
    figures.map(figure => (figure?.value == null ? null : Number(figure.value))),
  )
  const unit = roundingUnit(values.filter((_, at) => rows[at].unit === 'currency'))
  rows.forEach((_, total) => {
    if (!isTotal[total]) return
    const next = ends.findIndex((end, at) => end && at > total)
    const below = rows.flatMap((row, at) =>
      at > total && at < (next < 0 ? rows.length : next) && row.unit === 'currency' && parents[at] === null
        ? [at]
        : [],
    )
    const differs = values[total].some((value, column) => {
      const sum = below.reduce((before, at) => before + (values[at][column] ?? 0), 0)
      return value !== null && Math.abs(value - sum) > unit * Math.min(2, (below.length + 1) / 2)
    })
    if (below.length < 2 || differs) return
    for (const at of below) {
      parents[at] = total
      weights[at] = 1
      items[total].push(at)
    }
  })
  return { parents, weights, items }
}
