import { type Static, Type } from '@sinclair/typebox'
import { count, numberOrNull, strict } from './resultMetrics.ts'

const curve = (description: string) => Type.Array(numberOrNull('Value of an initial 1.'), { description })
const dates = (description: string) => Type.Array(Type.String({ format: 'date' }), { description })

const Unseen = Type.Object(
  {
    dates: dates('Day of each point, as in equity_dates.'),
    curve: curve(
      'Net value of an initial 1 over the test blocks of folds, one after the other. It ends where it reaches 0 or less.',
    ),
    n_periods: count('Periods of all test blocks.'),
    sharpe: numberOrNull('Annualised Sharpe ratio of all these periods together.'),
    volatility: numberOrNull('Annualised standard deviation of their net returns.'),
    cagr: numberOrNull('Compound annual growth rate.'),
    max_drawdown: numberOrNull('Largest decline from a running peak.'),
  },
  {
    ...strict,
    $id: 'UnseenPeriods',
    description:
      'The test blocks of folds, joined into one record. In a sweep, each block is that of the configuration chosen before it, with its own costs; moving from one configuration to the next is not charged.',
  },
)

export const BacktestCurves = Type.Object(
  {
    dates: dates(
      'Day of each point: the day on which a period begins, and at last the day on which the last return ends.',
    ),
    gross: curve('The portfolio before trading and borrowing costs. It ends where it reaches 0 or less.'),
    universe: curve('The universe, rebalanced to equal weights each period, without costs.'),
    unseen: Type.Union([Unseen, Type.Null()], { description: 'null: too few periods for a fold.' }),
  },
  {
    ...strict,
    $id: 'BacktestCurves',
    description: 'With include curves: the curves that the page of a result shows next to equity_curve.',
  },
)
export type BacktestCurves = Static<typeof BacktestCurves>
