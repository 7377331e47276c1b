import { differenceOfDecimals, sumOfDecimals } from '../wholeFilings/decimals.ts'
import { beginningOf, isInstant, type Period } from '../wholeFilings/layOut.ts'
import { roundingOfSum } from '../wholeFilings/rounding.ts'
import type { ReportedFigure } from '../wholeFilings/wholeFiling.ts'
import type { StandardStatement } from './definition.ts'
import type { FilingValues, TriedInFiling } from './filingValues.ts'
import type { FiledStatement, StandardFiling } from './standardFiling.ts'

type Statements = StandardFiling['statements']

/**
 * What two statements of a filing state alike: cash and net income. Companies count different things as cash, and begin
 * their statement of cash flows with different results. So figures that agree are consistent, and figures that do not
 * contradict nothing.
 */
export function acrossStatements(
  statements: Statements,
  values: FilingValues,
  power: number,
  tried: TriedInFiling,
): void {
  const agree = new Agreements(statements, values, power, tried)
  statements.get('cash_flow')?.columns.forEach(({ period }, column) => {
    if (period === null) return
    const ofStatement = { statement: 'cash_flow', column } as const
    for (const [line, words, day] of [
      ['cash_at_end', 'Cash at the end', period.end],
      ['cash_at_beginning', 'Cash at the beginning', beginningOf(period)],
    ] as const) {
      const balance = agree.columnOf('balance', other => isInstant(other) && other.end === day)
      for (const [names, sum] of cashSums)
        if (
          agree.try(
            { ...ofStatement, line },
            { statement: 'balance', column: balance, lines: names },
            `${words} = ${sum}`,
          )
        )
          break
    }
    const income = agree.columnOf('income', other => isSame(other, period))
    for (const [name, result] of results)
      if (
        agree.try(
          { ...ofStatement, line: 'net_income_including_minority_interest' },
          { statement: 'income', column: income, lines: [name] },
          `Net income of the statement of cash flows = ${result} of the income statement`,
        )
      )
        break
  })
}

/** What a statement of cash flows may count as cash. Since 2018 it contains restricted cash. */
export const cashSums: readonly (readonly [readonly string[], string])[] = [
  [['cash'], 'cash of the balance sheet'],
  [['cash', 'restricted_cash'], 'cash + restricted cash of the balance sheet'],
  [['cash', 'interest_bearing_deposits_in_banks'], 'cash + deposits in banks of the balance sheet'],
  [['cash', 'federal_funds_sold'], 'cash + federal funds sold of the balance sheet'],
  [
    ['cash', 'interest_bearing_deposits_in_banks', 'federal_funds_sold'],
    'cash + deposits in banks + federal funds sold of the balance sheet',
  ],
]

export const results: readonly (readonly [string, string])[] = [
  ['net_income_including_minority_interest', 'net income with noncontrolling interests'],
  ['net_income', 'net income'],
]

const isSame = (a: Period, b: Period) => a.start === b.start && a.end === b.end && a.quarters === b.quarters

interface Sum {
  readonly statement: StandardStatement
  readonly column: number
  readonly lines: readonly string[]
}

class Agreements {
  readonly #statements: Statements
  readonly #values: FilingValues
  readonly #power: number
  readonly #tried: TriedInFiling

  constructor(statements: Statements, values: FilingValues, power: number, tried: TriedInFiling) {
    this.#statements = statements
    this.#values = values
    this.#power = power
    this.#tried = tried
  }

  columnOf(statement: StandardStatement, is: (period: Period) => boolean): number {
    const columns = this.#statements.get(statement)?.columns ?? []
    return columns.findIndex(({ period }) => period !== null && is(period))
  }

  /** True if the figures are the same fact, or agree. */
  try(
    whole: { readonly statement: StandardStatement; readonly column: number; readonly line: string },
    sum: Sum,
    identity: string,
  ): boolean {
    const total = this.#values.get(whole.statement)?.[whole.column]?.get(whole.line)
    const ofColumn = this.#values.get(sum.statement)?.[sum.column]
    const items = sum.lines.flatMap(name => ofColumn?.get(name) ?? [])
    if (total === undefined || items.length < sum.lines.length) return false
    const figures = this.#figures(whole.statement, whole.column, total.rows)
    const others = items.flatMap(({ rows }) => this.#figures(sum.statement, sum.column, rows))
    if (figures.some(figure => others.includes(figure))) return true
    const right = sumOfDecimals(items.map(({ value }) => value))
    const difference = differenceOfDecimals(total.value, right)
    const tolerance = roundingOfSum([...figures, ...others], this.#power)
    if (Math.abs(Number(difference)) > tolerance) return false
    const sides = { left: total.value, right, unit: total.unit, tolerance }
    const check = { state: 'consistent', identity, difference, sides } as const
    this.#tried.add(whole.statement, whole.column, { ...check, lines: new Set([whole.line]) })
    this.#tried.add(sum.statement, sum.column, { ...check, lines: new Set(sum.lines) })
    return true
  }

  #figures(statement: StandardStatement, column: number, rows: readonly number[]): readonly ReportedFigure[] {
    const of: FiledStatement | undefined = this.#statements.get(statement)
    return rows.flatMap(at => of?.rows[at].figures[column] ?? [])
  }
}
