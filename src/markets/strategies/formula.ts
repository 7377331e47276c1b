/** A parsed formula of a strategy. A name is an input or an earlier line; `lag` is in periods of the strategy. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'name'; readonly name: string; readonly lag: number }
  | { readonly kind: 'negate'; readonly of: Expression }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'call'; readonly call: 'ln' | 'optional' | 'positive'; readonly of: Expression }
  | {
      readonly kind: 'over'
      readonly call: 'mean' | 'sd'
      readonly name: string
      readonly from: number
      readonly to: number
    }

const operators = ['+', '-', '*', '/', '>', '<', '>=', '<='] as const
type Operator = (typeof operators)[number]

const token = /\s*(?:(\d+(?:\.\d+)?)|([a-z][a-z0-9_]*)|(>=|<=|[-+*/><()[\],]))/y

/**
 * Parses a formula: numbers, names, `name[-1]` for the previous period, + - * /, one comparison (1 if it holds, else 0), `ln(x)`,
 * `optional(x)` (0 if x is missing), `positive(x)` (missing unless x is above 0), `mean(name, 1, 8)` and `sd(name, 1, 8)` over
 * the lags 1 to 8.
 */
export function parseFormula(text: string): Expression {
  const tokens = tokensOf(text)
  let at = 0
  const fault = () => new Error(`The formula ${text} is invalid at ${tokens[at] ?? 'its end'}.`)
  const take = (...wanted: readonly string[]): string | null =>
    at < tokens.length && wanted.includes(tokens[at]) ? tokens[at++] : null
  const expect = (wanted: string): void => {
    if (take(wanted) === null) throw fault()
  }
  const next = (pattern: RegExp): string => {
    if (at >= tokens.length || !pattern.test(tokens[at])) throw fault()
    return tokens[at++]
  }
  const integer = () => Number(next(/^\d+$/))

  const chain = (of: () => Expression, ...wanted: readonly Operator[]): Expression => {
    let left = of()
    for (let found = take(...wanted); found !== null; found = take(...wanted))
      left = { kind: 'operation', operator: operatorOf(found), left, right: of() }
    return left
  }
  const comparison = (): Expression => {
    const left = sum()
    const found = take('>', '<', '>=', '<=')
    return found === null ? left : { kind: 'operation', operator: operatorOf(found), left, right: sum() }
  }
  const sum = (): Expression => chain(product, '+', '-')
  const product = (): Expression => chain(unary, '*', '/')
  const unary = (): Expression => (take('-') === null ? atom() : { kind: 'negate', of: unary() })
  const atom = (): Expression => {
    if (take('(') !== null) {
      const inner = comparison()
      expect(')')
      return inner
    }
    if (/^\d/.test(tokens[at] ?? '')) return { kind: 'number', value: Number(tokens[at++]) }
    const name = next(/^[a-z]/)
    if (take('(') !== null) return call(name)
    if (take('[') === null) return { kind: 'name', name, lag: 0 }
    expect('-')
    const lag = integer()
    expect(']')
    return { kind: 'name', name, lag }
  }
  const call = (name: string): Expression => {
    if (name === 'ln' || name === 'optional' || name === 'positive') {
      const of = comparison()
      expect(')')
      return { kind: 'call', call: name, of }
    }
    if (name !== 'mean' && name !== 'sd') throw fault()
    const series = next(/^[a-z]/)
    expect(',')
    const from = integer()
    expect(',')
    const to = integer()
    expect(')')
    return { kind: 'over', call: name, name: series, from, to }
  }

  const whole = comparison()
  if (at < tokens.length) throw fault()
  return whole
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.trimEnd().length) {
    const found = token.exec(text)
    if (found === null) throw new Error(`The formula ${text} has an unknown sign.`)
    tokens.push(found[1] ?? found[2] ?? found[3])
  }
  return tokens
}

function operatorOf(text: string): Operator {
  const found = operators.find(operator => operator === text)
  if (found === undefined) throw new Error(`${text} is not an operator.`)
  return found
}

/** Every name in a formula. */
export function namesIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'number':
      return []
    case 'name':
    case 'over':
      return [expression.name]
    case 'negate':
    case 'call':
      return namesIn(expression.of)
    case 'operation':
      return [...namesIn(expression.left), ...namesIn(expression.right)]
    default:
      return expression satisfies never
  }
}

/**
 * The value of a formula; NaN if something that it needs is missing or a denominator is 0.
 *
 * @param figureOf the value of a name, some periods earlier; NaN if it is missing
 */
export function evaluateFormula(
  expression: Expression,
  figureOf: (name: string, lag: number) => number,
): number {
  switch (expression.kind) {
    case 'number':
      return expression.value
    case 'name':
      return figureOf(expression.name, expression.lag)
    case 'negate':
      return -evaluateFormula(expression.of, figureOf)
    case 'call': {
      const value = evaluateFormula(expression.of, figureOf)
      if (expression.call === 'optional') return Number.isNaN(value) ? 0 : value
      if (!(value > 0)) return Number.NaN
      return expression.call === 'ln' ? Math.log(value) : value
    }
    case 'over': {
      const { name, from, to } = expression
      const values: number[] = []
      for (let lag = from; lag <= to; lag++) values.push(figureOf(name, lag))
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      if (expression.call === 'mean') return mean
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
    }
    case 'operation':
      return operate(
        expression.operator,
        evaluateFormula(expression.left, figureOf),
        evaluateFormula(expression.right, figureOf),
      )
    default:
      return expression satisfies never
  }
}

function operate(operator: Operator, left: number, right: number): number {
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return right === 0 ? Number.NaN : left / right
    case '>':
      return Number(left > right)
    case '<':
      return Number(left < right)
    case '>=':
      return Number(left >= right)
    case '<=':
      return Number(left <= right)
    default:
      return operator satisfies never
  }
}
