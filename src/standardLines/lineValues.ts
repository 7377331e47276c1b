import { sumOfDecimals } from '../wholeFilings/decimals.ts'
import type { ReportedFigure } from '../wholeFilings/wholeFiling.ts'
import type { PlacedLine, PlacedStatement } from './placeLines.ts'
import type { PresentedRow } from './presentedRows.ts'
import { cashFactor, cashSignOf, expectedSign } from './signs.ts'
import { outermostTotal } from './structure.ts'

export interface LineValue {
  /** A plain decimal, with the sign convention of the standard line. */
  readonly value: string
  readonly unit: string
  /** The stated accuracy of the least accurate figure; null if a source states none. */
  readonly decimals: number | null
  /** The rows with a figure in the column. */
  readonly rows: readonly number[]
}

/** The value of a placed line in a column; null if the filing states none there. */
export function lineValue(statement: PlacedStatement, placed: PlacedLine, column: number): LineValue | null {
  const found = placed.rows.flatMap(at => {
    const figure = statement.rows[at].figures[column]
    return figure == null || figure.value === null ? [] : [{ at, figure, value: figure.value }]
  })
  if (found.length === 0) return null
  return {
    value: sumOfDecimals(
      found.map(({ at, value }) => (factorOf(statement, placed, at) < 0 ? negated(value) : value)),
    ),
    unit: found[0].figure.unit,
    decimals: leastAccurate(found.map(({ figure }) => figure)),
    rows: found.map(({ at }) => at),
  }
}

export const negated = (plain: string): string =>
  plain === '0' ? plain : plain.startsWith('-') ? plain.slice(1) : `-${plain}`

export function leastAccurate(figures: readonly ReportedFigure[]): number | null {
  let least = Number.POSITIVE_INFINITY
  for (const { decimals } of figures) {
    if (decimals === null) return null
    least = Math.min(least, decimals)
  }
  return least
}

/**
 * The factor from a stated figure to its standard line. On income statements and statements of cash flows the total that
 * contains a line tells whether it adds to profit or cash, whatever its tag promises: some filers state costs as negative
 * figures. Without a total, and on balance sheets, standard tags define their sign.
 */
function factorOf(statement: PlacedStatement, placed: PlacedLine, at: number): 1 | -1 {
  const row = statement.rows[at]
  if (placed.factors !== undefined) return placed.factors[placed.rows.indexOf(at)]
  if (row.unit !== 'currency' || (placed.line.period === 'instant') !== (statement.statement === 'balance'))
    return 1
  if (statement.statement === 'cash_flow') return cashFlowFactor(statement, placed, at)
  const { parents, weights } = statement.structure
  const total = parents[at]
  const isCost = placed.line.sign === 'cost'
  if (statement.statement === 'balance') {
    if (total === null) return isCost && isNegative(row) ? -1 : 1
    if (isCost) return weights[at] < 0 ? 1 : -1
    return placed.rows.length > 1 && weights[at] < 0 ? -1 : 1
  }
  if (total === null) {
    if (isCost && row.negated && isNegative(row)) return -1
    if (!row.isOwn) return !isCost && statesCost(row) ? -1 : 1
    return !isCost && expectedSign.income(row) < 0 && !isNegative(row) && !isTotal(statement, at) ? -1 : 1
  }
  if (isSubtractedBack(placed, statement.rows[total])) return 1
  return lowersProfit(statement, at) === isCost ? 1 : -1
}

/** Through all totals that contain the row: some of them are costs. */
function lowersProfit({ rows, structure }: PlacedStatement, at: number): boolean {
  const { parents, weights } = structure
  const last = outermostTotal(structure, at)
  return productOf(weights, parents, at) * expectedSign.income(rows[last]) < 0
}

/** Some statements begin with the result that others end with, and take these items off again. */
const isSubtractedBack = ({ line }: PlacedLine, total: PresentedRow) =>
  line.name === 'other_comprehensive_income' ||
  (line.name === 'discontinued_operations' &&
    /ContinuingOperations|Noncontrolling|CommonStock$/.test(total.name))

const isTotal = ({ structure }: PlacedStatement, at: number) => structure.items[at].length > 0

const isNegative = ({ figures }: PresentedRow) =>
  figures.find(figure => figure !== null)?.value?.startsWith('-') === true

/** Whether a positive figure of a standard tag lowers profit although its line is a gain. */
const statesCost = ({ name }: PresentedRow) => /Expense(Net)?$/.test(name) && !/Income/.test(name)

function cashFlowFactor({ structure, rows }: PlacedStatement, { line }: PlacedLine, at: number): 1 | -1 {
  if (line.sign === 'amount') return 1
  const row = rows[at]
  const received =
    structure.parents[at] !== null
      ? productOf(structure.weights, structure.parents, at)
      : signWithoutTotal(row)
  return received * cashFactor(line) < 0 ? -1 : 1
}

function productOf(weights: readonly number[], parents: readonly (number | null)[], at: number): number {
  let factor = 1
  for (let row: number | null = at; row !== null && parents[row] !== null; row = parents[row])
    factor *= weights[row]
  return factor
}

/** Some filers state money paid as a negative figure, which the statement shows as it is. */
function signWithoutTotal(row: PresentedRow): 1 | -1 {
  const ofTag = cashSignOf(row.name)
  if (ofTag === null) return row.negated ? -1 : 1
  // A label that reverses a negative figure shows that it is added, which its tag promises of a positive one.
  if (ofTag > 0 && row.negated && isNegative(row)) return -1
  return ofTag < 0 && !row.negated && isNegative(row) && /^(Payments?|Repayments)/.test(row.name) ? 1 : ofTag
}
