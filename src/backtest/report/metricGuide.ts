import type { BacktestMetrics } from '../resultMetrics.ts'
import { basisPoints, percent, ratio, signedPercent } from './numberFormat.ts'

export interface MetricEntry {
  readonly metric: Exclude<keyof BacktestMetrics, 'ruined'>
  readonly name: string
  /** One line for a reader who does not know the metric. */
  readonly explanation: string
  readonly format: (value: number | null) => string
}

/** Shown large, first. */
export const headlineMetrics: readonly MetricEntry[] = [
  {
    metric: 'cagr',
    name: 'Annual return',
    explanation: 'Compound annual growth rate, net of all costs.',
    format: value => signedPercent(value, 2),
  },
  {
    metric: 'sharpe',
    name: 'Sharpe ratio',
    explanation: 'Mean net return over its standard deviation, annualised.',
    format: value => ratio(value),
  },
  {
    metric: 'max_drawdown',
    name: 'Maximum drawdown',
    explanation: 'Largest loss from a peak to the lowest point after it.',
    format: value => signedPercent(value, 1),
  },
  {
    metric: 'oos_sharpe_mean',
    name: 'Out-of-sample Sharpe',
    explanation: 'Mean Sharpe ratio of the walk-forward folds below.',
    format: value => ratio(value),
  },
]

export const detailMetrics: readonly MetricEntry[] = [
  {
    metric: 'volatility',
    name: 'Volatility',
    explanation: 'Standard deviation of net returns, annualised.',
    format: value => percent(value),
  },
  {
    metric: 'lo_sharpe',
    name: 'Sharpe ratio, Lo',
    explanation: 'Sharpe ratio corrected for serial correlation of returns (Lo 2002).',
    format: value => ratio(value),
  },
  {
    metric: 'gross_sharpe',
    name: 'Gross Sharpe ratio',
    explanation: 'Sharpe ratio before trading and borrowing costs.',
    format: value => ratio(value),
  },
  {
    metric: 'information_ratio',
    name: 'Information ratio',
    explanation: 'Sharpe ratio of the net return in excess of holding all names at equal weight.',
    format: value => ratio(value),
  },
  {
    metric: 'sortino',
    name: 'Sortino ratio',
    explanation: 'Like the Sharpe ratio, but only downside deviation counts as risk.',
    format: value => ratio(value),
  },
  {
    metric: 'calmar',
    name: 'Calmar ratio',
    explanation: 'Annual return over the size of the maximum drawdown.',
    format: value => ratio(value),
  },
  {
    metric: 'hit_rate',
    name: 'Hit rate',
    explanation: 'Share of periods with a net gain.',
    format: value => percent(value),
  },
  {
    metric: 'avg_turnover',
    name: 'Turnover per period',
    explanation: 'Mean share of the equity traded, one way.',
    format: value => percent(value),
  },
  {
    metric: 'cost_drag_annual',
    name: 'Annual cost drag',
    explanation: 'Return lost each year to trading and borrowing costs.',
    format: value => percent(value, 2),
  },
  {
    metric: 'break_even_cost_bps',
    name: 'Break-even cost',
    explanation:
      'Flat round-trip cost at which the mean return is 0. Negative: it loses even when trading is free.',
    format: value => basisPoints(value),
  },
]
