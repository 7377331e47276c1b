import type { BacktestMetrics } from '../result.ts'
import { basisPoints, gain, percent, ratio } from './figures.ts'

type Metric = Exclude<keyof BacktestMetrics, 'ruined'>

export interface MetricEntry {
  readonly metric: Metric
  readonly name: string
  /** One line for a reader who has not met the figure before. */
  readonly means: string
  readonly write: (value: number | null) => string
  /** Shown large, first. */
  readonly isHeadline: boolean
}

const headline = { isHeadline: true } as const
const further = { isHeadline: false } as const

/** The metrics of a result, in the order in which people read them. */
export const metricGuide: readonly MetricEntry[] = [
  {
    metric: 'cagr',
    name: 'Return a year',
    means: 'Compound annual growth, all costs taken off.',
    write: value => gain(value, 2),
    ...headline,
  },
  {
    metric: 'sharpe',
    name: 'Sharpe ratio',
    means: 'Mean net return over its ups and downs, annualised.',
    write: value => ratio(value),
    ...headline,
  },
  {
    metric: 'max_drawdown',
    name: 'Deepest fall',
    means: 'The largest loss from a peak to the lowest point after it.',
    write: value => gain(value, 1),
    ...headline,
  },
  {
    metric: 'oos_sharpe_mean',
    name: 'Sharpe, unseen blocks',
    means: 'Mean Sharpe ratio of the walk-forward folds below.',
    write: value => ratio(value),
    ...headline,
  },
  {
    metric: 'volatility',
    name: 'Volatility a year',
    means: 'Standard deviation of net returns, annualised.',
    write: value => percent(value),
    ...further,
  },
  {
    metric: 'lo_sharpe',
    name: 'Sharpe ratio, Lo',
    means: 'The Sharpe ratio where returns that follow each other are allowed for (Lo 2002).',
    write: value => ratio(value),
    ...further,
  },
  {
    metric: 'gross_sharpe',
    name: 'Sharpe ratio before costs',
    means: 'What the ranking earns when trading and borrowing are free.',
    write: value => ratio(value),
    ...further,
  },
  {
    metric: 'information_ratio',
    name: 'Information ratio',
    means: 'The Sharpe ratio of the net return less that of all names held equally.',
    write: value => ratio(value),
    ...further,
  },
  {
    metric: 'sortino',
    name: 'Sortino ratio',
    means: 'As the Sharpe ratio, but only falls count as risk.',
    write: value => ratio(value),
    ...further,
  },
  {
    metric: 'calmar',
    name: 'Calmar ratio',
    means: 'Return a year over the size of the deepest fall.',
    write: value => ratio(value),
    ...further,
  },
  {
    metric: 'hit_rate',
    name: 'Winning periods',
    means: 'Share of periods with a net gain.',
    write: value => percent(value),
    ...further,
  },
  {
    metric: 'avg_turnover',
    name: 'Turnover a period',
    means: 'Mean share of the equity that is traded, one way.',
    write: value => percent(value),
    ...further,
  },
  {
    metric: 'cost_drag_annual',
    name: 'Costs a year',
    means: 'What trading and borrowing take from the return.',
    write: value => percent(value, 2),
    ...further,
  },
  {
    metric: 'break_even_cost_bps',
    name: 'Break-even cost',
    means:
      'The flat round-trip cost at which the mean return is 0. Negative: it loses even when trading is free.',
    write: value => basisPoints(value),
    ...further,
  },
]
