import { evaluateFormula } from './formula.ts'
import { capitalisation, type Strategy, strategies, strategyFrom } from './strategies.ts'

/** A strategy that takes prices, cut into what filings state and what the market capitalisation adds. */
export interface PricedStrategy {
  readonly strategy: Strategy
  /** What the capitalisation meets: earlier lines and inputs, each as a strategy of its own that nobody can name. */
  readonly parts: readonly PartOfStrategy[]
  /** Has a value where filings state every part. It is not listed either. */
  readonly stated: Strategy
  /**
   * The score.
   *
   * @param parts the value of each part, in their order
   */
  readonly scoreOf: (capitalisation: number, parts: readonly number[]) => number
}

export interface PartOfStrategy {
  readonly strategy: Strategy
  /** Whether it is an amount in a currency. An earlier line is a ratio. */
  readonly isAmount: boolean
}

function cut(strategy: Strategy): PricedStrategy {
  const { name, lines, parsed, sign } = strategy
  const own = new Map(parsed.map(line => [line.name, line.expression]))
  const usesPrices = new Set([capitalisation])
  const used = new Set<string>()
  for (const line of parsed) {
    const names: string[] = []
    evaluateFormula(line.expression, (found, lag) => {
      names.push(found)
      // Of an earlier day than the score's, the capitalisation would need another price.
      if (lag !== 0 && usesPrices.has(found)) throw new Error(`${name} takes an earlier price.`)
      return 1
    })
    if (!names.some(found => usesPrices.has(found))) continue
    usesPrices.add(line.name)
    for (const found of names) used.add(found)
  }
  const partNames = [...used].filter(found => !usesPrices.has(found))
  const stated = lines.filter(line => !usesPrices.has(line.name))
  const partOf = (part: string, formula: string): Strategy =>
    strategyFrom({
      ...strategy,
      name: `${name}.${part}`,
      unit: own.has(part) ? 'pure' : 'currency',
      sign: 1,
      lines: [
        ...(formula === part && !own.has(part) ? [] : stated),
        { name: `${name}.${part}`, formula, explanation: part },
      ],
    })
  const scoreOf = (cap: number, parts: readonly number[]): number => {
    const evaluate = (wanted: string): number => {
      if (wanted === capitalisation) return cap
      const expression = usesPrices.has(wanted) ? own.get(wanted) : undefined
      return expression === undefined
        ? parts[partNames.indexOf(wanted)]
        : evaluateFormula(expression, found => evaluate(found))
    }
    return sign * evaluate(lines[lines.length - 1].name) + 0
  }
  return {
    strategy,
    parts: partNames.map(part => ({ strategy: partOf(part, part), isAmount: !own.has(part) })),
    stated: partOf('stated', partNames.join(' + ')),
    scoreOf,
  }
}

const priced: ReadonlyMap<string, PricedStrategy> = new Map(
  [...strategies.values()]
    .filter(({ takesPrices }) => takesPrices)
    .map(strategy => [strategy.name, cut(strategy)]),
)

/** Undefined if there is no such strategy, or if it takes no prices. */
export const findPricedStrategy = (name: string): PricedStrategy | undefined => priced.get(name)

const parts: ReadonlyMap<string, Strategy> = new Map(
  [...priced.values()]
    .flatMap(({ parts, stated }) => [...parts.map(({ strategy }) => strategy), stated])
    .map(strategy => [strategy.name, strategy]),
)

/** A strategy whose events follow from filings alone: one that is listed, or a part of one that takes prices. */
export const findStatedStrategy = (name: string): Strategy | undefined =>
  priced.has(name) ? undefined : (strategies.get(name) ?? parts.get(name))
