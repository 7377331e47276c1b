import { Failure } from '../../src/errors.ts'
import type { BacktestConfig } from '../../src/model/backtest.ts'
import type { BookSettings } from '../../src/quant/bookSettings.ts'
import { stepFor } from '../../src/quant/stepFor.ts'

/** A configuration with nothing left open, and what follows from it for this dataset. */
export interface ResolvedConfig {
  readonly book: BookSettings
  readonly direction: 'long_short' | 'long_only'
  readonly returnDays: number
  readonly holdDays: number
  readonly costBps: number | null
  readonly borrowBps: number
  readonly folds: number
  readonly spacing: number
  readonly step: number
  readonly periodsPerYear: number
  readonly label: string
}

const tradingDays = 252

/** @param defaultReturnDays the source's horizon, or a panel's spacing in whole days */
export function resolveConfig(
  config: BacktestConfig,
  defaultReturnDays: number,
  spacing: number,
): ResolvedConfig {
  const returnDays = config.returnDays ?? defaultReturnDays
  const holdDays = config.holdDays ?? returnDays
  if (holdDays % returnDays !== 0) throw holdDaysImpossible(holdDays, returnDays)
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

function holdDaysImpossible(holdDays: number, returnDays: number): Failure {
  const allowed: number[] = []
  for (let days = returnDays; days <= tradingDays; days += returnDays) allowed.push(days)
  const list =
    allowed.length > 40 ? `${allowed.slice(0, 4).join(', ')}, ... ${allowed.at(-1)}` : allowed.join(', ')
  return new Failure(
    'backtest_impossible',
    `config.holdDays is ${holdDays}, but a book turns over in whole returns of ${returnDays} trading days (returnDays). Allowed: ${list || 'leave holdDays out'}.`,
    { param: 'config.holdDays' },
  )
}
