import type { BacktestResult } from '../result.ts'
import type { BacktestMetrics } from '../resultMetrics.ts'
import { percent, ratio, signedPercent } from './numberFormat.ts'

export interface MetricEntry {
  readonly metric: Exclude<keyof BacktestMetrics, 'ruined'>
  /** The technical term. */
  readonly name: string
  /** The same in plain words, where the term needs them. */
  readonly plain?: string
  /** One line for a reader who does not know the metric. */
  readonly explanation: string
  readonly format: (value: number | null) => string
}

/** Shown first, in large type. */
export const headlineMetrics: readonly MetricEntry[] = [
  {
    metric: 'cagr',
    name: 'CAGR',
    plain: 'annual return',
    explanation: 'Compound growth per year, net of all costs.',
    format: value => signedPercent(value, 2),
  },
  {
    metric: 'sharpe',
    name: 'Sharpe ratio',
    plain: 'return for risk',
    explanation: 'Mean net return over its standard deviation, annualised.',
    format: value => ratio(value),
  },
  {
    metric: 'max_drawdown',
    name: 'Max drawdown',
    plain: 'deepest fall',
    explanation: 'Largest loss from a peak to the lowest point after it.',
    format: value => signedPercent(value, 1),
  },
  {
    metric: 'oos_sharpe_mean',
    name: 'Out-of-sample Sharpe',
    plain: 'on unseen periods',
    explanation: 'Mean Sharpe ratio of the walk-forward folds below.',
    format: value => ratio(value),
  },
]

const detailMetrics: readonly MetricEntry[] = [
  {
    metric: 'volatility',
    name: 'Volatility',
    plain: 'size of swings',
    explanation: 'Standard deviation of net returns, annualised.',
    format: value => percent(value),
  },
  {
    metric: 'judged_sharpe',
    name: 'Sharpe ratio, judged',
    plain: 'against the benchmark',
    explanation: 'Sharpe ratio of the net return in excess of what the verdict compares it with.',
    format: value => ratio(value),
  },
  {
    metric: 'lo_sharpe',
    name: 'Sharpe ratio, Lo',
    plain: 'for returns that follow each other',
    explanation: 'Sharpe ratio corrected for serial correlation of returns (Lo 2002).',
    format: value => ratio(value),
  },
  {
    metric: 'information_ratio',
    name: 'Information ratio',
    plain: 'against the universe',
    explanation: 'Sharpe ratio of the net return in excess of holding all names at equal weight.',
    format: value => ratio(value),
  },
  {
    metric: 'sortino',
    name: 'Sortino ratio',
    plain: 'return for losses',
    explanation: 'Like the Sharpe ratio, but only downside deviation counts as risk.',
    format: value => ratio(value),
  },
  {
    metric: 'calmar',
    name: 'Calmar ratio',
    plain: 'return for the deepest fall',
    explanation: 'CAGR over the size of the max drawdown.',
    format: value => ratio(value),
  },
  {
    metric: 'hit_rate',
    name: 'Hit rate',
    plain: 'periods with a gain',
    explanation: 'Share of periods with a net gain.',
    format: value => percent(value),
  },
  {
    metric: 'avg_turnover',
    name: 'Turnover',
    plain: 'traded each period',
    explanation: 'Mean share of the equity traded, one way.',
    format: value => percent(value),
  },
]

/** Shown below them, in small type. Against cash, the judged Sharpe ratio equals the Sharpe ratio, so it is
 * omitted. */
export const detailMetricsOf = ({ benchmark }: Pick<BacktestResult, 'benchmark'>): readonly MetricEntry[] =>
  detailMetrics.filter(
    ({ metric }) => metric !== 'judged_sharpe' || benchmark === 'universe' || benchmark === 'series',
  )
