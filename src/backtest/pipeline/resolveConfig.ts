import { Failure } from '../../errors.ts'
import type { DateSpacing } from '../portfolio/dateSpacing.ts'
import { periodsPerYear } from '../portfolio/periodsPerYear.ts'
import { rebalanceStep } from '../portfolio/rebalanceDates.ts'
import type { PortfolioSettings } from '../portfolio/settings.ts'
import type { BacktestConfig } from '../request.ts'
import { type Neutralise, type RankBy, rankingName } from '../requestColumns.ts'
import type { BacktestTrading, Rebalance } from '../requestTrading.ts'
import { tradingRules } from './tradingFields.ts'

/** A configuration with every default filled in, and the values derived from it for a dataset. */
export interface ResolvedConfig {
  readonly portfolio: PortfolioSettings
  /** What the legs are formed within; null: one cross-section. */
  readonly neutral: 'market' | 'group' | null
  readonly neutralise?: Neutralise | undefined
  readonly rankBy?: RankBy | undefined
  readonly direction: 'long_short' | 'long_only'
  readonly returnDays: number
  readonly holdDays: number
  /** null: each market's own cost. */
  readonly costBps: number | null
  readonly borrowBps: number
  readonly folds: number
  /** Median gap between dates, in business days. */
  readonly medianDateGap: number
  /** The number of dates from one period to the next. */
  readonly step: number
  readonly periodsPerYear: number
  readonly label: string
  /** As sent. */
  readonly rebalance?: Rebalance | undefined
  /** As sent. */
  readonly trading?: BacktestTrading | undefined
}

const longestHoldDays = 252

/** @param defaultReturnDays the source's horizon, or a panel's median date gap in whole days
 * @param holdDaysParam the field of the request with holdDays, for error messages */
export function resolveConfig(
  config: BacktestConfig,
  defaultReturnDays: number,
  spacing: DateSpacing,
  holdDaysParam = 'config.holdDays',
): ResolvedConfig {
  // Between the dates of a calendar, the length of a return is that of the calendar.
  const returnDays = (config.rebalance === undefined ? config.returnDays : undefined) ?? defaultReturnDays
  const holdDays = config.holdDays ?? returnDays
  if (holdDays % returnDays !== 0) throw holdDaysImpossible(holdDays, returnDays, holdDaysParam)
  const step = rebalanceStep(returnDays, spacing.medianGap)
  const direction = config.direction ?? 'long_short'
  const quantile = config.quantile ?? 0.1
  const weighting = config.weighting ?? 'equal'
  const perYear = periodsPerYear(step, spacing)
  const trading = tradingRules(config, { returnDays, periodsPerYear: perYear }, spacing)
  return {
    portfolio: {
      longShort: direction === 'long_short',
      quantile,
      weighting,
      tranches: holdDays / returnDays,
      gross: config.gross ?? 1,
      neutralMarket: config.neutral !== undefined,
      drift: config.drift ?? false,
      ...(trading === undefined ? {} : { trading }),
    },
    neutral: config.neutral ?? null,
    neutralise: config.neutralise,
    rankBy: config.rankBy,
    direction,
    returnDays,
    holdDays,
    costBps: config.costBps ?? null,
    borrowBps: config.borrowBps ?? 50,
    folds: config.folds ?? 5,
    medianDateGap: spacing.medianGap,
    step,
    periodsPerYear: perYear,
    label: `${direction} q${quantile} ${weighting} h${holdDays}${config.rankBy === undefined ? '' : ` ${rankingName(config.rankBy)}`}`,
    rebalance: config.rebalance,
    trading: config.trading,
  }
}

function holdDaysImpossible(holdDays: number, returnDays: number, param: string): Failure {
  const allowed: number[] = []
  for (let days = returnDays; days <= longestHoldDays; days += returnDays) allowed.push(days)
  const list =
    allowed.length > 40 ? `${allowed.slice(0, 4).join(', ')}, ... ${allowed.at(-1)}` : allowed.join(', ')
  return new Failure(
    'backtest_impossible',
    `${param} is ${holdDays}, but it must be a multiple of returnDays (${returnDays} trading days). ${list ? `Send one of ${list}` : 'Omit holdDays'}.`,
    { param },
  )
}
