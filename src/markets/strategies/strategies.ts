import type { ServedMetric } from '../markets.ts'
import { type StrategyDefinition, type StrategyLine, strategyDefinitions } from './definitions.ts'
import { type Expression, evaluateFormula, namesIn, parseFormula } from './formula.ts'

export interface Strategy extends StrategyDefinition {
  /** The metrics that its lines use, the anchor first. */
  readonly inputs: readonly string[]
  /** The inputs of filings without which it has no value. */
  readonly required: readonly string[]
  /** Whether it needs the market capitalisation, and so prices. */
  readonly takesPrices: boolean
  readonly parsed: readonly (StrategyLine & { readonly expression: Expression })[]
}

/** The input that follows from prices. Filings state all others. */
export const capitalisation = 'market_cap'

export function strategyFrom(definition: StrategyDefinition): Strategy {
  const parsed = definition.lines.map(line => ({ ...line, expression: parseFormula(line.formula) }))
  const own = new Set(definition.lines.map(({ name }) => name))
  const inputs = new Set([definition.anchor])
  const required = new Set([definition.anchor])
  for (const { expression, name } of parsed)
    for (const used of namesIn(expression)) {
      // A line may have the name of the strategy's only input.
      if (own.has(used) && used !== name) continue
      inputs.add(used)
      if (!isOptional(expression) && used !== capitalisation) required.add(used)
    }
  const takesPrices = inputs.has(capitalisation)
  return { ...definition, inputs: [...inputs], required: [...required], takesPrices, parsed }
}

const isOptional = (expression: Expression) => expression.kind === 'call' && expression.call === 'optional'

/** Every strategy by name. No metric has the same name. */
export const strategies: ReadonlyMap<string, Strategy> = new Map(
  strategyDefinitions.map(definition => [definition.name, strategyFrom(definition)]),
)

/** A strategy as a metric of joins and backtests, in the markets that report what it requires. */
export function strategyMetric(metrics: ReadonlyMap<string, ServedMetric>, strategy: Strategy): ServedMetric {
  const markets = metrics.get(strategy.anchor)?.markets ?? []
  return {
    name: strategy.name,
    kind: 'ratio',
    unit: strategy.unit,
    sign: 'signed',
    statement: 'ratios',
    description: scoreDescription(strategy),
    markets: markets.filter(market => lackingMetrics(metrics, strategy, market).length === 0),
  }
}

/** What a strategy requires and the register of a market does not report. */
export const lackingMetrics = (
  metrics: ReadonlyMap<string, ServedMetric>,
  { required }: Strategy,
  market: string,
): string[] => required.filter(input => metrics.get(input)?.markets.includes(market) !== true)

const scoreDescription = ({ title, sign, name, lines }: Strategy): string => {
  const { formula } = lines[lines.length - 1]
  const value = sign === 1 ? formula : `-(${formula})`
  return `${title}, as traded: ${value}. GET /api/v1/strategies/${name} defines every line.`
}

/** What may rank companies: the metrics and the strategies. */
export function scoreDefinitions(
  metrics: ReadonlyMap<string, ServedMetric>,
): ReadonlyMap<string, ServedMetric> {
  const known = new Map(metrics)
  for (const strategy of strategies.values()) known.set(strategy.name, strategyMetric(metrics, strategy))
  return known
}

/** A figure of one period that is current on a day. */
export interface KnownFigure {
  /** Days since 1970-01-01. */
  readonly end: number
  readonly filed: number
  /** NaN if the request leaves the figure out. */
  readonly value: number
  readonly unit: number
}

export interface StrategyValue {
  /** The last day of the value's period. */
  readonly end: number
  /** The latest filing day of the figures that it uses. */
  readonly filed: number
  /** NaN if something is missing. */
  readonly value: number
  /** The sign times the value: higher is better. */
  readonly score: number
  /** The unit of the anchor. */
  readonly unit: number
  /** The value of each line; NaN if something is missing. */
  readonly lines: readonly number[]
  /** The figures that were looked up, each once. `figure` is null if none is known. */
  readonly used: readonly UsedFigure[]
}

export interface UsedFigure {
  readonly metric: string
  readonly lag: number
  readonly figure: KnownFigure | null
}

const daysPerPeriod = { FY: 365.25, Q: 91.3125 } as const
/** A fiscal year has 52 or 53 weeks or ends with a month; a quarter has 12 to 14 weeks. */
const toleranceDays = 20

/**
 * Computes a strategy from the figures that are current on a day. Its period is the latest one of the anchor. A figure of the same
 * period has the same last day; one of `lag` periods before ends that many years or quarters earlier, give or take 20 days. A
 * figure in another currency than the anchor counts as missing.
 *
 * @param known the current figures of each input, one per period
 * @returns null if the anchor is unknown
 */
export function computeStrategy(
  { anchor, inputs, parsed, period, sign }: Strategy,
  known: readonly (readonly KnownFigure[])[],
): StrategyValue | null {
  const ofAnchor = known[inputs.indexOf(anchor)]
  if (ofAnchor.length === 0) return null
  const latest = ofAnchor.reduce((best, figure) => (figure.end > best.end ? figure : best))
  const used = new Map<string, UsedFigure>()
  let filed = latest.filed
  const find = (metric: string, lag: number): number => {
    const key = `${metric} ${lag}`
    let found = used.get(key)
    if (found === undefined) {
      const figure = figureOf(known[inputs.indexOf(metric)], latest.end, lag, daysPerPeriod[period])
      const counts =
        figure !== null && (!isAmount(metric) || !isAmount(anchor) || figure.unit === latest.unit)
      found = { metric, lag, figure: counts ? figure : null }
      used.set(key, found)
      if (counts) filed = Math.max(filed, figure.filed)
    }
    return found.figure?.value ?? Number.NaN
  }
  const lineAt = (index: number, lag: number): number =>
    evaluateFormula(parsed[index].expression, (name, more) => {
      const earlier = parsed.findIndex(line => line.name === name)
      return earlier === -1 || earlier >= index ? find(name, lag + more) : lineAt(earlier, lag + more)
    })
  const lines = parsed.map((_, index) => lineAt(index, 0))
  const value = lines[lines.length - 1]
  return {
    end: latest.end,
    filed,
    value,
    score: sign * value + 0,
    unit: latest.unit,
    lines,
    used: [...used.values()],
  }
}

const isAmount = (metric: string) => !metric.startsWith('shares_')

function figureOf(
  figures: readonly KnownFigure[],
  latest: number,
  lag: number,
  daysOfPeriod: number,
): KnownFigure | null {
  const wanted = latest - lag * daysOfPeriod
  const tolerance = lag === 0 ? 0 : toleranceDays
  let best: KnownFigure | null = null
  for (const figure of figures) {
    const distance = Math.abs(figure.end - wanted)
    if (distance > tolerance) continue
    if (best === null || distance < Math.abs(best.end - wanted)) best = figure
  }
  return best
}
