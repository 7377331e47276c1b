import type { Dataset, NeutralisedDates } from '../dataset/dataset.ts'
import type { DateView } from '../dataset/subset.ts'

/** What is taken out of the scores of a date. */
export interface Exposures {
  /** Categories: an index for each row, 0 for an unknown one. The scores are demeaned within their combinations. */
  readonly categories: readonly Uint16Array[]
  /** Columns of numbers, NaN for an unknown one. The scores are regressed on them. */
  readonly columns: readonly Float64Array[]
}

/** A column whose part that no other column explains is smaller than this, relative to the column, is redundant. */
const redundantBelow = 1e-10
/** A residual smaller than this, relative to the largest score of the date, is the rounding of 0. */
const roundingBelow = 1e-12

/** The scores of a dataset without what some exposures explain of them, date by date:
 *
 *   s_i = a_c(i) + sum_j b_j x_ij + e_i    over the names i of the date that have a score and every exposure
 *
 * by ordinary least squares, where c(i) is the combination of the name's categories (one for all names if there are no
 * categories). The new score is the residual e_i. Without columns it is the score minus the mean of its combination.
 *
 * - A row without a score, or without one of the exposures, has no score.
 * - A column that the constants and the columns before it determine is left out; residuals do not depend on which one
 *   that is. The estimates b_j are never used, only residuals.
 * - If the names are no more than the constants and the columns that are not redundant, all residuals are 0 by
 *   construction: then no name of the date has a score.
 * - A residual below 1e-12 of the largest absolute score of the date is 0, so that rounding does not rank names.
 *
 * Only scores and exposures of the date itself are used: no return, and no other date. By Frisch, Waugh and Lovell the
 * residuals are those of the demeaned scores on the demeaned columns, orthogonalised by Gram and Schmidt, twice, because
 * one pass loses digits if columns are nearly collinear. Dates outside the view have no scores. O(rows k^2).
 *
 * @see Grinold, R. C. and Kahn, R. N. (2000), Active Portfolio Management, chapter 12
 * @see Giraud, L., Langou, J. and Rozloznik, M. (2005), The loss of orthogonality in the Gram-Schmidt
 *   orthogonalization process, Computers and Mathematics with Applications 50(7) */
export function neutralise(
  data: Dataset,
  { firstDate, endDate }: Pick<DateView, 'firstDate' | 'endDate'>,
  exposures: Exposures,
): Dataset & { readonly neutralised: NeutralisedDates } {
  const { offsets, days } = data
  const score = new Float64Array(new SharedArrayBuffer(8 * data.score.length)).fill(Number.NaN)
  const neutralised: NeutralisedDates = {
    withoutExposure: new Int32Array(days.length),
    withoutResidual: new Int32Array(days.length),
    redundant: new Int32Array(days.length),
  }
  for (let date = firstDate; date < endDate; date++) {
    const { rows, missing } = completeRows(data.score, exposures, offsets[date], offsets[date + 1])
    neutralised.withoutExposure[date] = missing
    if (rows.length === 0) continue
    const cells = cellsOf(exposures.categories, rows)
    const basis = orthonormalBasis(exposures.columns, rows, cells)
    neutralised.redundant[date] = exposures.columns.length - basis.length
    if (rows.length <= cells.count + basis.length) {
      neutralised.withoutResidual[date] = rows.length
      continue
    }
    const own = Float64Array.from(rows, row => data.score[row])
    const limit = roundingBelow * largest(own)
    demean(own, cells)
    project(own, basis)
    project(own, basis)
    for (let i = 0; i < rows.length; i++) score[rows[i]] = Math.abs(own[i]) <= limit ? 0 : own[i]
  }
  return { ...data, score, ranking: null, neutralised }
}

/** The rows of a date that have a score and every exposure, and how many have a score only. */
function completeRows(
  score: Float64Array,
  { categories, columns }: Exposures,
  start: number,
  end: number,
): { rows: number[]; missing: number } {
  const rows: number[] = []
  let missing = 0
  for (let row = start; row < end; row++) {
    if (Number.isNaN(score[row])) continue
    const isComplete =
      categories.every(category => category[row] !== 0) && columns.every(values => !Number.isNaN(values[row]))
    if (isComplete) rows.push(row)
    else missing++
  }
  return { rows, missing }
}

interface Cells {
  /** The cell of each name, numbered in the order in which they appear. */
  readonly of: Int32Array
  readonly count: number
}

/** The combinations of categories. Numbers of categories are below 2^16, so those of two fit a double exactly. */
function cellsOf(categories: readonly Uint16Array[], rows: readonly number[]): Cells {
  const numbers = new Map<number, number>()
  const of = Int32Array.from(rows, row => {
    const key = categories.reduce((sum, category) => sum * 65_536 + category[row], 0)
    const known = numbers.get(key) ?? numbers.size
    numbers.set(key, known)
    return known
  })
  return { of, count: numbers.size }
}

/** Subtracts the mean of each cell. */
function demean(values: Float64Array, { of, count }: Cells): void {
  const sums = new Float64Array(count)
  const names = new Int32Array(count)
  for (let i = 0; i < values.length; i++) {
    sums[of[i]] += values[i]
    names[of[i]]++
  }
  for (let i = 0; i < values.length; i++) values[i] -= sums[of[i]] / names[of[i]]
}

/** An orthonormal basis of the demeaned columns, in their order, without the redundant ones. */
function orthonormalBasis(
  columns: readonly Float64Array[],
  rows: readonly number[],
  cells: Cells,
): Float64Array[] {
  const basis: Float64Array[] = []
  for (const column of columns) {
    const values = Float64Array.from(rows, row => column[row])
    // Scaled first, because the square of a large number overflows.
    scale(values, 1 / largest(values))
    const sent = norm(values)
    demean(values, cells)
    project(values, basis)
    project(values, basis)
    const length = norm(values)
    if (!(length > redundantBelow * sent)) continue
    scale(values, 1 / length)
    basis.push(values)
  }
  return basis
}

/** Subtracts from `values` what the vectors of an orthonormal basis explain. */
function project(values: Float64Array, basis: readonly Float64Array[]): void {
  for (const vector of basis) {
    let product = 0
    for (let i = 0; i < values.length; i++) product += vector[i] * values[i]
    for (let i = 0; i < values.length; i++) values[i] -= product * vector[i]
  }
}

function norm(values: Float64Array): number {
  let squares = 0
  for (const value of values) squares += value * value
  return Math.sqrt(squares)
}

function scale(values: Float64Array, factor: number): void {
  for (let i = 0; i < values.length; i++) values[i] *= factor
}

function largest(values: Float64Array): number {
  let found = 0
  for (const value of values) found = Math.max(found, Math.abs(value))
  return found
}
