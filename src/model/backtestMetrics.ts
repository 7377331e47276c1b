import { type Static, Type } from '@sinclair/typebox'
import { BacktestConfig } from './backtest.ts'

const strict = { additionalProperties: false } as const
const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

const { properties: asked } = BacktestConfig

export const BacktestMetrics = Type.Object(
  {
    cagr: numberOrNull('Compound annual growth rate of the net curve; -1 after ruin.'),
    sharpe: numberOrNull(
      'Annualised Sharpe ratio of net returns; null with fewer than two periods or no deviation.',
    ),
    lo_sharpe: numberOrNull('Sharpe ratio annualised for serially correlated returns (Lo 2002).'),
    information_ratio: numberOrNull(
      "Annualised Sharpe ratio of net minus the equal-weight universe's return.",
    ),
    max_drawdown: numberOrNull(
      'Largest fall from a running peak, a fraction <= 0; the starting 1 is a peak.',
    ),
    avg_turnover: numberOrNull('Mean of 1/2 sum |dw| per period.'),
    cost_drag_annual: numberOrNull('Trading and borrow costs in a year, a fraction.'),
    oos_sharpe_mean: numberOrNull("Mean of the folds' Sharpe ratios."),
    gross_sharpe: numberOrNull('Annualised Sharpe ratio before costs.'),
    break_even_cost_bps: numberOrNull('Flat round-trip cost at which the mean net return is 0.'),
    volatility: numberOrNull('Annualised standard deviation of net returns.'),
    hit_rate: numberOrNull('Share of periods with a net return above 0.'),
    sortino: numberOrNull('Annualised mean over downside deviation, target 0.'),
    calmar: numberOrNull('cagr over the size of max_drawdown.'),
    ruined: Type.Boolean({ description: 'True where the curve reached 0 or less; it ends there.' }),
  },
  { ...strict, description: 'Net of costs unless named otherwise.' },
)
export type BacktestMetrics = Static<typeof BacktestMetrics>

/** The configuration with every default filled in. */
export const BacktestConfigUsed = Type.Object(
  {
    direction: asked.direction,
    quantile: asked.quantile,
    weighting: asked.weighting,
    holdDays: Type.Number({ description: 'Holding horizon in trading days.' }),
    returnDays: Type.Number({ description: 'Trading days over which a return is earned.' }),
    costBps: numberOrNull("Flat round-trip cost; null: each market's own cost."),
    borrowBps: asked.borrowBps,
    gross: asked.gross,
    neutral: Type.Union([Type.Literal('market'), Type.Null()], { description: 'null: one cross-section.' }),
    drift: asked.drift,
    folds: asked.folds,
  },
  { ...strict, description: 'The configuration with every default filled in.' },
)
