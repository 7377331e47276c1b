import { Failure } from '../../errors.ts'
import type { Dataset } from '../dataset/dataset.ts'
import type { DateSpacing } from '../portfolio/dateSpacing.ts'
import type { TradingRules } from '../portfolio/settings.ts'
import type { Simulation } from '../portfolio/simulate.ts'
import type { BacktestConfig } from '../request.ts'
import { defaultImpactPeriods, defaultMaxLeverage, defaultVolatilityPeriods } from '../requestTrading.ts'
import type { TradingUsed } from '../resultTrading.ts'
import { mean } from '../statistics/moments.ts'

/** The rules of `config.trading` with every default filled in; undefined: none was sent. */
export function tradingRules(
  { trading }: BacktestConfig,
  { returnDays, periodsPerYear }: Pick<TradingRules, 'returnDays' | 'periodsPerYear'>,
  { medianGap }: DateSpacing,
): TradingRules | undefined {
  if (trading === undefined || Object.keys(trading).length === 0) return undefined
  return {
    maxTurnover: trading.maxTurnover ?? null,
    maxWeight: trading.maxWeight ?? null,
    targetVolatility: trading.targetVolatility ?? null,
    volatilityPeriods: trading.volatilityPeriods ?? defaultVolatilityPeriods,
    maxLeverage: trading.maxLeverage ?? defaultMaxLeverage,
    impact: trading.impact ?? null,
    capital: trading.capital ?? 0,
    impactPeriods: trading.impactPeriods ?? defaultImpactPeriods,
    periodsPerYear,
    returnDays,
    medianGap,
  }
}

/** Refuses an impact that lacks its inputs, before anything is computed. */
export function requireImpactInputs({ dollarVolume }: Dataset, { trading = {} }: BacktestConfig): void {
  const { impact, capital } = trading
  if (impact !== undefined && capital === undefined)
    throw new Failure(
      'backtest_impossible',
      'config.trading.impact needs the value of the portfolio to compare trades with volumes. Send config.trading.capital, in the currency of dollar_volume.',
      { param: 'config.trading.capital' },
    )
  if (impact !== undefined && dollarVolume === undefined)
    throw new Failure(
      'backtest_impossible',
      'config.trading.impact needs the dollar volume of names, and no row has one. Send a panel with the column dollar_volume, or omit impact.',
      { param: 'config.trading.impact' },
    )
}

const countOf = (values: Float64Array, holds: (value: number) => boolean) => values.filter(holds).length

/** The section `trading` of a result; nothing if the portfolio was traded without rules. */
export function writeTrading(
  { path, series }: Simulation,
  rules: TradingRules | undefined,
  data: Dataset,
  periodsPerYear: number,
): { trading?: TradingUsed } {
  if (path === undefined) return {}
  const { leverage, tradedFraction, cutNames, inCash, impact } = path
  const maxLeverage = rules?.maxLeverage ?? 1
  return {
    trading: {
      maxTurnover: rules?.maxTurnover ?? null,
      maxWeight: rules?.maxWeight ?? null,
      targetVolatility: rules?.targetVolatility ?? null,
      volatilityPeriods: rules?.volatilityPeriods ?? defaultVolatilityPeriods,
      maxLeverage,
      impact: rules?.impact ?? null,
      capital: rules?.impact === null ? null : (rules?.capital ?? null),
      impactPeriods: rules?.impactPeriods ?? defaultImpactPeriods,
      periods_turnover_capped: countOf(tradedFraction, fraction => fraction < 1),
      mean_traded_fraction: mean(tradedFraction),
      periods_weight_capped: countOf(cutNames, names => names > 0),
      mean_names_capped: mean(cutNames),
      mean_in_cash: mean(inCash),
      leverage_mean: mean(leverage),
      leverage_min: leverage.reduce((least, one) => Math.min(least, one), leverage[0] ?? 1),
      leverage_max: leverage.reduce((most, one) => Math.max(most, one), leverage[0] ?? 1),
      periods_leverage_capped:
        (rules?.targetVolatility ?? null) === null ? 0 : countOf(leverage, one => one === maxLeverage),
      impact_annual: mean(impact) * periodsPerYear,
      trades_without_inputs: path.tradesWithoutInputs,
      borrow_by_name: data.borrowBps !== undefined,
      leverage: Array.from(leverage),
      turnover: Array.from(series.turnover),
      impact_paid: Array.from(impact),
    },
  }
}
