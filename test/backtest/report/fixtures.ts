import type { BacktestResult } from '../../../src/backtest/result.ts'
import type { SweepFields } from '../../../src/backtest/resultMetrics.ts'
import { isoDate } from '../../../src/dates.ts'

const madeVerdict: BacktestResult['verdict'] = {
  level: 'none',
  benchmark: 'cash',
  judged_sharpe: 1.5,
  trials: 1,
  dsr: 0.8,
  dsr_serial: 0.8,
  superior: false,
  spa_level: 0.03,
  reasons: [
    { code: 'dsr_fails', message: 'The Deflated Sharpe ratio is 0.800, below the required 0.95.' },
    { code: 'spa_fails', message: 'The test for superior predictive ability fails (p of at least .03).' },
  ],
}

/** A made-up result of the model's shape: `net` are its periods, one a business day from 2024-01-01. */
export function madeResult(net: readonly number[], change: Partial<BacktestResult> = {}): BacktestResult {
  const curve = [1]
  for (const earned of net) curve.push(curve[curve.length - 1] * (1 + earned))
  return {
    object: 'backtest_result',
    n_rows: 20 * net.length,
    n_dates: net.length,
    n_periods: net.length,
    n_empty_periods: 0,
    periods_per_year: 252,
    spacing: 1,
    step: 1,
    config: {
      direction: 'long_short',
      quantile: 0.1,
      weighting: 'equal',
      holdDays: 5,
      returnDays: 1,
      costBps: null,
      borrowBps: 50,
      gross: 1,
      neutral: null,
      drift: false,
      folds: 5,
    },
    benchmark: 'cash',
    verdict: madeVerdict,
    metrics: {
      cagr: 0.1234,
      sharpe: 1.5,
      judged_sharpe: 1.5,
      lo_sharpe: null,
      information_ratio: -0.25,
      max_drawdown: -0.0815,
      avg_turnover: 0.4,
      cost_drag_annual: 0.021,
      oos_sharpe_mean: 1.1,
      gross_sharpe: 1.9,
      break_even_cost_bps: 31.25,
      volatility: 0.08,
      hit_rate: 0.53,
      sortino: 2.2,
      calmar: 1.51,
      ruined: false,
    },
    equity_curve: curve,
    equity_dates: curve.map((_, i) => businessDay(i)),
    folds: [
      {
        fold: 1,
        train_start: null,
        train_end: null,
        test_start: '2024-01-10',
        test_end: '2024-01-18',
        n_periods: 7,
        label: 'long_short q0.1 equal h5',
        train_sharpe: null,
        judged_train_sharpe: null,
        sharpe: 1.1,
        judged_sharpe: 1.1,
        cagr: 0.2,
        max_drawdown: -0.01,
      },
    ],
    dropped: {
      rows_over_limit: 0,
      rows_off_step: 0,
      rows_without_score: 1200,
      rows_without_return: 0,
      held_without_return: 1,
    },
    universe: { definition: 'All rows of a date.', names_per_period: 20 },
    costs: {
      flat_bps: null,
      borrow_bps: 50,
      markets: [
        {
          market: 'US',
          round_trip_bps: 5.2,
          is_default: false,
          source: 'Securities Exchange Act of 1934, section 31',
          date: '2024-05-22',
        },
      ],
    },
    warnings: [],
    ...change,
  }
}

/** 2024-01-01 was a Monday. */
function businessDay(i: number): string {
  return isoDate(Date.UTC(2024, 0, 1) / 86_400_000 + Math.floor(i / 5) * 7 + (i % 5))
}

/** The example of Bailey & Lopez de Prado (2014): SR 2.5 a year over 1,250 days, V = .5/250, skew -3, kurtosis 10.
 * The paper prints a DSR of .9004 for 100 trials and of .9505 for 46. */
export function paperExample(trials: 100 | 46): SweepFields['deflated_sharpe'] {
  const expectedMaximum = trials === 100 ? 2.530603 : 2.244171
  return {
    dsr: trials === 100 ? 0.900397 : 0.950502,
    survives: trials === 46,
    trials,
    sharpe_per_period: 2.5 / Math.sqrt(250),
    sharpe_threshold: Math.sqrt(0.5 / 250) * expectedMaximum,
    trials_variance: 0.5 / 250,
    skew: -3,
    kurtosis_raw: 10,
    n_periods: 1250,
    trials_distinct: trials,
    trials_effective: 10.4,
    dsr_effective: 0.97,
    psr: 0.99999,
    min_track_record_periods: 154.2,
    pbo: 0.34,
  }
}

/** The default grid's labels, with Sharpe ratios that fall from the first to the last. */
export function madeTrials(): SweepFields['trials'] {
  const trials: SweepFields['trials'] = []
  for (const quantile of [0.05, 0.1, 0.2, 0.3]) {
    for (const weighting of ['equal', 'rank', 'score']) {
      for (const hold of [1, 5, 10, 21]) {
        trials.push({
          label: `long_short q${quantile} ${weighting} h${hold}`,
          sharpe: 2.5 - 0.08 * trials.length,
          judged_sharpe: 2.5 - 0.08 * trials.length,
          benchmark: 'cash',
          cagr: 0.1,
          max_drawdown: -0.1,
          avg_turnover: 0.2,
        })
      }
    }
  }
  return trials
}

export function madeSweep(net: readonly number[], change: Partial<BacktestResult> = {}): BacktestResult {
  const plain = madeResult(net)
  const trials = madeTrials()
  return {
    ...plain,
    best: { label: trials[0].label, config: { ...plain.config, quantile: 0.05 }, metrics: plain.metrics },
    trials,
    deflated_sharpe: paperExample(100),
    ...change,
  }
}
