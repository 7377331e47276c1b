import { findValuation, shareCount, type ValuationFigure, type ValuationMetric } from '../valuations.ts'
import { findPricedStrategy, type PricedStrategy } from './pricedStrategies.ts'

/** What follows from a company's market capitalisation and figures of filings: a valuation, or the score of a strategy. */
export interface PricedMetric {
  /** The figures besides the count of shares. */
  readonly figures: readonly PricedFigure[]
  /** Whether all figures must be of one period. */
  readonly isOfOnePeriod: boolean
  readonly unit: 'currency' | 'pure'
  /**
   * NaN: none.
   *
   * @param figures their values, in their order
   */
  readonly valueOf: (capitalisation: number, figures: readonly number[]) => number
}

export interface PricedFigure extends ValuationFigure {
  /** Whether it is an amount, which must be in the currency of the prices. */
  readonly isAmount: boolean
}

/** What joins and backtests compute with prices; undefined if there is no such metric. */
export function findPriced(name: string): PricedMetric | undefined {
  const valuation = findValuation(name)
  if (valuation !== undefined) return ofValuation(valuation)
  const strategy = findPricedStrategy(name)
  return strategy === undefined ? undefined : ofStrategy(strategy)
}

/** Whether a metric of joins or a score of backtests takes prices. */
export const takesPrices = (name: string): boolean =>
  findValuation(name) !== undefined || findPricedStrategy(name) !== undefined

function ofValuation({ figure, added, quotient }: ValuationMetric): PricedMetric {
  const figures = [added, figure].flatMap(one => (one === null ? [] : [{ ...one, isAmount: true }]))
  const unit = quotient === null ? 'currency' : 'pure'
  const divide = (capitalisation: number, values: readonly number[]): number => {
    if (quotient === null) return capitalisation
    const divided = figure === null ? 0 : values[values.length - 1]
    const value = added === null ? capitalisation : capitalisation + values[0]
    const [top, bottom] = quotient === 'capitalisation / figure' ? [value, divided] : [divided, value]
    return bottom > 0 ? top / bottom : Number.NaN
  }
  return { figures, isOfOnePeriod: false, unit, valueOf: divide }
}

const ofStrategy = ({ strategy, parts, scoreOf }: PricedStrategy): PricedMetric => ({
  // The blocks of a strategy have the periods of its definition, whatever their name says.
  figures: parts.map(({ strategy: { name }, isAmount }) => ({ metric: name, fp: 'FY', isAmount })),
  isOfOnePeriod: true,
  unit: strategy.unit,
  valueOf: scoreOf,
})

/** The figures that these metrics need, each once. Empty if none of them takes prices. */
export function figuresOf(names: readonly string[]): ValuationFigure[] {
  const metrics = names.flatMap(name => findPriced(name) ?? [])
  if (metrics.length === 0) return []
  const figures = metrics.flatMap(({ figures }) => figures.map(({ isAmount: _, ...figure }) => figure))
  return [...new Map([shareCount, ...figures].map(figure => [figure.metric, figure])).values()]
}
