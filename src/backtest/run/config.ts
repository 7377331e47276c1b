import { Failure } from '../../errors.ts'
import type { ResolvedConfig } from '../pool/sweepPlan.ts'
import { stepFor } from '../portfolio/settings.ts'
import type { BacktestConfig } from '../request.ts'

const tradingDays = 252

/** @param defaultReturnDays the source's horizon, or a panel's spacing in whole days
 * @param holdDaysParam where the request says holdDays, for a message */
export function resolveConfig(
  config: BacktestConfig,
  defaultReturnDays: number,
  spacing: number,
  holdDaysParam = 'config.holdDays',
): ResolvedConfig {
  const returnDays = config.returnDays ?? defaultReturnDays
  const holdDays = config.holdDays ?? returnDays
  if (holdDays % returnDays !== 0) throw holdDaysImpossible(holdDays, returnDays, holdDaysParam)
  const step = stepFor(returnDays, spacing)
  const direction = config.direction ?? 'long_short'
  const quantile = config.quantile ?? 0.1
  const weighting = config.weighting ?? 'equal'
  return {
    book: {
      longShort: direction === 'long_short',
      quantile,
      weighting,
      tranches: holdDays / returnDays,
      gross: config.gross ?? 1,
      neutralMarket: config.neutral === 'market',
      drift: config.drift ?? false,
    },
    direction,
    returnDays,
    holdDays,
    costBps: config.costBps ?? null,
    borrowBps: config.borrowBps ?? 50,
    folds: config.folds ?? 5,
    spacing,
    step,
    periodsPerYear: tradingDays / (step * spacing),
    label: `${direction} q${quantile} ${weighting} h${holdDays}`,
  }
}

function holdDaysImpossible(holdDays: number, returnDays: number, param: string): Failure {
  const allowed: number[] = []
  for (let days = returnDays; days <= tradingDays; days += returnDays) allowed.push(days)
  const list =
    allowed.length > 40 ? `${allowed.slice(0, 4).join(', ')}, ... ${allowed.at(-1)}` : allowed.join(', ')
  return new Failure(
    'backtest_impossible',
    `${param} is ${holdDays}, but a book turns over in whole returns of ${returnDays} trading days (returnDays). Allowed: ${list || 'leave holdDays out'}.`,
    { param },
  )
}
