import { equalTolerance, isDistinctive, isEqual, type Rounding, roundingTolerance } from './rounding.ts'
import { firstAtLeast, type Vintages } from './vintages.ts'

/** How the cells of a column relate to figures as filed: a cell times `scale` and `sign` is a figure. */
export interface CellReading {
  readonly scale: number
  readonly sign: 1 | -1
  readonly rounding: Rounding
}

/** Whether a cell equals a figure of a company, exactly or, with at least three digits, rounded. */
export function isMatch(
  vintages: Pick<Vintages, 'starts' | 'values'>,
  company: number,
  value: number,
  reading: CellReading,
): boolean {
  const from = vintages.starts[company]
  const to = vintages.starts[company + 1]
  if (from === to) return false
  const figure = value * reading.sign * reading.scale
  const tolerance = matchTolerance(value, reading)
  const at = firstAtLeast(vintages, from, to, figure - tolerance)
  return at < to && vintages.values[at] <= figure + tolerance
}

/**
 * By how much a figure other than the known one may differ from a cell, in the unit of figures.
 *
 * @param value the cell as sent
 */
export function matchTolerance(value: number, { scale, rounding }: CellReading): number {
  const size = Math.abs(value * scale)
  // A cell too large for a double equals nothing: with NaN no comparison holds.
  if (size === Number.POSITIVE_INFINITY) return Number.NaN
  // A 32-bit float equals a figure if it is the nearest one.
  const exact = size * (rounding.isSingle ? 2 ** -24 * (1 + 1e-9) : equalTolerance)
  const tolerance = roundingTolerance(rounding, value)
  return isDistinctive(tolerance, value) ? Math.max(exact, tolerance * scale) : exact
}

/** How a cell equals the figure that was known: exactly, rounded, or not at all. */
export function comparedWithKnown(
  value: number,
  known: number,
  { scale, sign, rounding }: CellReading,
): 'known' | 'rounded' | null {
  const figure = value * sign * scale
  if (!Number.isFinite(figure)) return null
  if (isEqual(figure, known)) return 'known'
  return Math.abs(figure - known) <= roundingTolerance(rounding, value) * scale ? 'rounded' : null
}
