import { differenceOfDecimals, sumOfDecimals } from '../wholeFilings/decimals.ts'
import { roundingOfSum } from '../wholeFilings/rounding.ts'
import { sumText, type TriedIdentity } from './lineCheck.ts'
import { type LineValue, negated } from './lineValues.ts'
import type { PlacedLine, PlacedStatement } from './placeLines.ts'
import type { FaceOfStatement } from './standardFiling.ts'

interface Item {
  readonly name: string
  readonly weight: 1 | -1
}

interface Equation {
  readonly total: string
  readonly items: readonly Item[]
  /** Items that some statements count, and others show elsewhere. Each of these readings is right if it holds. */
  readonly readings: readonly (readonly Item[])[]
  /** Whether no other line can belong to it. */
  readonly isClosed?: true
}

const plus = (name: string): Item => ({ name, weight: 1 })
const minus = (name: string): Item => ({ name, weight: -1 })
const exchange = plus('exchange_rate_effect')
const discontinued = plus('discontinued_cash_flow')

const equityMethod = plus('equity_method_income')
const ofOthers = minus('minority_interest_income')
/** The result after tax, with what further lines add. */
const withoutContinuing: readonly (readonly Item[])[] = [
  [],
  [equityMethod],
  [plus('discontinued_operations')],
  [equityMethod, plus('discontinued_operations')],
]

/** What every statement of the kind must satisfy. */
export const equationsOf: Readonly<Record<PlacedStatement['statement'], readonly Equation[]>> = {
  income: [
    { total: 'gross_profit', items: [plus('revenue'), minus('cost_of_revenue')], readings: [[]] },
    {
      total: 'income_continuing_operations',
      items: [plus('pretax_income'), minus('income_tax')],
      readings: [[], [equityMethod], [ofOthers], [equityMethod, ofOthers]],
    },
    {
      total: 'net_income_including_minority_interest',
      items: [plus('pretax_income'), minus('income_tax')],
      readings: withoutContinuing,
    },
    {
      total: 'net_income',
      items: [plus('net_income_including_minority_interest'), ofOthers],
      readings: [[], [minus('preferred_dividends')]],
    },
  ],
  balance: [
    { total: 'assets', items: [plus('liabilities_and_equity')], readings: [[]], isClosed: true },
    {
      total: 'liabilities_and_equity',
      items: [plus('liabilities'), plus('equity_including_minority_interest')],
      readings: [[], [plus('redeemable_equity')]],
    },
    {
      total: 'liabilities_and_equity',
      items: [plus('liabilities'), plus('equity')],
      readings: [
        [],
        [plus('minority_interest')],
        [plus('redeemable_equity')],
        [plus('minority_interest'), plus('redeemable_equity')],
      ],
    },
    {
      total: 'liabilities',
      items: [plus('current_liabilities'), plus('noncurrent_liabilities')],
      readings: [[]],
    },
  ],
  cash_flow: [
    {
      total: 'cash_at_end',
      items: [plus('cash_at_beginning'), plus('cash_change')],
      // The change may be stated before exchange rates, or with operations whose cash is not counted.
      readings: [
        [],
        [exchange],
        [discontinued],
        [exchange, discontinued],
        [minus('discontinued_cash_flow')],
        [exchange, minus('discontinued_cash_flow')],
      ],
    },
    {
      total: 'cash_change',
      items: [plus('operating_cash_flow'), plus('investing_cash_flow'), plus('financing_cash_flow')],
      readings: [[exchange, discontinued], [exchange], [discontinued], []],
    },
  ],
}

type CheckedStatement = PlacedStatement & Pick<FaceOfStatement, 'hasDividedLines'>

/** Where the equations of a statement are tried. */
interface Tried {
  readonly statement: CheckedStatement
  readonly column: number
  readonly values: ReadonlyMap<string, LineValue>
  readonly power: number
}

/**
 * An equation holds if one of its readings does, if need be with the lines above its total that have no name. It is
 * contradicted only if the statement has no such lines and does not say itself that the total has other items, and not by
 * the lines of a register's schema.
 */
export function equations(
  statement: CheckedStatement,
  column: number,
  values: ReadonlyMap<string, LineValue>,
  power: number,
): TriedIdentity[] {
  const tried: Tried = { statement, column, values, power }
  // Registers define totals in their own ways: Danish liabilities are without provisions.
  const isBySchema = statement.placed.some(({ factors }) => factors !== undefined)
  return equationsOf[statement.statement].flatMap(({ total, items, readings, isClosed }) => {
    const whole = values.get(total)
    if (whole === undefined || items.some(({ name }) => !values.has(name))) return []
    const possible = readings
      .filter(further => further.every(({ name }) => values.has(name)))
      .map(further => [...items, ...further])
    const nameless = namelessRows(tried, total, items)
    const found = possible.map(reading => tryReading(tried, total, reading, []))
    const holding =
      found.find(({ state }) => state === 'consistent') ??
      (nameless.length === 0
        ? undefined
        : possible
            .map(reading => tryReading(tried, total, reading, nameless))
            .find(({ state }) => state === 'consistent'))
    if (holding !== undefined) return [holding]
    if (isClosed === undefined && (statement.hasDividedLines || isBySchema)) return []
    if (nameless.length > 0 || hasOtherItems(tried, whole.rows, possible.flat())) return []
    return [found.reduce((best, each) => (missesBy(each) < missesBy(best) ? each : best))]
  })
}

const missesBy = ({ difference }: TriedIdentity) => Math.abs(Number(difference))

function tryReading(
  { statement, column, values, power }: Tried,
  total: string,
  items: readonly Item[],
  nameless: readonly number[],
): TriedIdentity {
  const labelOf = (name: string) =>
    statement.placed.find(({ line }) => line.name === name)?.line.label ?? name
  const signed = ({ name, weight }: Item) => {
    const value = values.get(name)?.value ?? '0'
    return weight < 0 ? negated(value) : value
  }
  const figuresAt = (rows: readonly number[]) => rows.map(at => statement.rows[at].figures[column])
  const rows = [total, ...items.map(({ name }) => name)].flatMap(name => values.get(name)?.rows ?? [])
  const { value: left, unit } = values.get(total) ?? { value: '0', unit: '' }
  const right = sumOfDecimals([
    ...items.map(signed),
    ...figuresAt(nameless).map(figure => figure?.value ?? '0'),
  ])
  const difference = differenceOfDecimals(left, right)
  const tolerance = roundingOfSum(figuresAt([...rows, ...nameless]), power)
  const holds = Math.abs(Number(difference)) <= tolerance
  return {
    state: holds ? 'consistent' : 'contradicted',
    identity: `${labelOf(total)} = ${sumText([
      ...items.map(({ name, weight }) => ({ name: labelOf(name), weight })),
      ...nameless.map(at => ({ name: statement.rows[at].label ?? statement.rows[at].name, weight: 1 })),
    ])}`,
    difference,
    sides: { left, right, unit, tolerance },
    lines: new Set([total, ...items.map(({ name }) => name)]),
  }
}

/** Lines above a total that have no standard name and belong to no other total: the equation may count them. */
function namelessRows({ statement, column, values }: Tried, total: string, items: readonly Item[]): number[] {
  const end = values.get(total)?.rows[0] ?? 0
  // Lines above these items belong to them.
  const first = statement.statement === 'balance' ? items[0] : total === 'cash_at_end' ? items[1] : undefined
  const start = first === undefined ? -1 : (values.get(first.name)?.rows[0] ?? 0)
  // Danish and Belgian gross profits are after external expenses, which have a line of their own.
  const isCounted = ({ line, factors }: PlacedLine) =>
    total !== 'gross_profit' || factors === undefined || items.some(({ name }) => name === line.name)
  const named = new Set(statement.placed.filter(isCounted).flatMap(({ rows }) => rows))
  return statement.rows.flatMap((row, at) => {
    const figure = row.figures[column] ?? null
    const isLoose =
      at > start && at < end && !named.has(at) && statement.structure.parents[at] === null && !row.atBeginning
    return isLoose && row.unit === 'currency' && figure?.value != null && figure.value !== '0' ? [at] : []
  })
}

/** Whether the structure of the statement says that the total counts other lines, too. */
function hasOtherItems(
  { statement, values }: Tried,
  totals: readonly number[],
  items: readonly Item[],
): boolean {
  const counted = new Set(items.flatMap(({ name }) => values.get(name)?.rows ?? []))
  return totals.some(total => statement.structure.items[total].some(at => !counted.has(at)))
}
