import { differenceOfDecimals, productOfDecimals } from '../wholeFilings/decimals.ts'
import { roundingOfSum } from '../wholeFilings/rounding.ts'
import type { TriedIdentity } from './lineCheck.ts'
import type { LineValue } from './lineValues.ts'
import type { PlacedStatement } from './placeLines.ts'

const results = [
  ['net_income_common', 'net income for common shareholders'],
  ['net_income', 'net income'],
] as const

/**
 * Earnings per share times shares are net income, to the rounding of the quotient. Companies with several classes of
 * stock, or with shares that dilute the result, divide something else. So a product that differs contradicts nothing.
 */
export function perShare(
  statement: PlacedStatement,
  column: number,
  values: ReadonlyMap<string, LineValue>,
  power: number,
): TriedIdentity[] {
  const roundingOfLine = ({ rows }: LineValue) =>
    roundingOfSum(
      rows.map(at => statement.rows[at].figures[column]),
      power,
    )
  return [
    ['eps', 'shares_basic', 'Basic'],
    ['eps_diluted', 'shares_diluted', 'Diluted'],
  ].flatMap(([ratio, divisor, word]): TriedIdentity[] => {
    const eps = values.get(ratio)
    const shares = values.get(divisor)
    if (eps === undefined || shares === undefined) return []
    for (const [line, words] of results) {
      const result = values.get(line)
      if (result === undefined) continue
      const product = productOfDecimals(eps.value, shares.value)
      const difference = differenceOfDecimals(result.value, product)
      const rounding =
        roundingOfLine(result) +
        Math.abs(Number(shares.value)) * roundingOfLine(eps) +
        Math.abs(Number(eps.value)) * roundingOfLine(shares)
      if (Math.abs(Number(difference)) > rounding) continue
      const identity = `${word} earnings per share x shares = ${words}`
      const sides = { left: product, right: result.value, unit: result.unit, tolerance: rounding }
      return [{ state: 'consistent', identity, difference, sides, lines: new Set([ratio, divisor, line]) }]
    }
    return []
  })
}
