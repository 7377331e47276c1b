import { type Static, Type } from '@sinclair/typebox'
import { maxBatchItems } from './batchRequest.ts'
import { BacktestResult } from './result.ts'
import { count, numberOrNull, strict } from './resultMetrics.ts'
import { BacktestVerdict } from './resultVerdict.ts'

export const BatchDeflation = Type.Object(
  {
    dsr: numberOrNull(
      'Deflated Sharpe ratio: probability that the true Sharpe ratio of this backtest is above sharpe_threshold.',
    ),
    survives: Type.Boolean({ description: 'True if dsr is at least .95.' }),
    trials: count(
      'Backtests in the batch, those that fail included, and `trials_already_tried` beside them.',
    ),
    sharpe_per_period: numberOrNull('Judged Sharpe ratio, not annualised.'),
    sharpe_threshold: Type.Number({
      description:
        'Sharpe ratio per period that the best of as many trials without skill is expected to show.',
    }),
    trials_variance: Type.Number({
      description:
        "In a line of a result 1 / (n_periods - 1): the variance of the Sharpe ratio per period of a trial without skill. In the summary the variance of the batch's own Sharpe ratios per period, if at least two backtests have one.",
    }),
    skew: numberOrNull('Skewness of the judged returns.'),
    kurtosis_raw: numberOrNull('Kurtosis of the judged returns; 3 for a normal distribution.'),
    n_periods: count('Periods of the record.'),
    psr: numberOrNull('Probability that the true Sharpe ratio is above 0, as if this were the only trial.'),
    min_track_record_periods: numberOrNull(
      'Periods that a record of this quality needs for a psr of .95; null if its Sharpe ratio is not above 0.',
    ),
    note: Type.String({
      description: 'Where trials_variance comes from, and why the other dsr of the same backtest differs.',
    }),
  },
  {
    ...strict,
    $id: 'BatchDeflation',
    description: 'A Sharpe ratio, corrected for the number of backtests in the batch.',
  },
)
export type BatchDeflation = Static<typeof BatchDeflation>

const index = Type.Integer({
  minimum: 0,
  maximum: maxBatchItems - 1,
  description: 'Index of the backtest in configs or items, from 0.',
})
const size = Type.Integer({
  minimum: 1,
  maximum: maxBatchItems,
  description: 'Backtests in the batch.',
})

export const BatchResultLine = Type.Object(
  {
    object: Type.Literal('batch_result', { description: 'Always batch_result.' }),
    index,
    batch_size: size,
    deflated_sharpe: BatchDeflation,
    verdict: BacktestVerdict,
    result: BacktestResult,
  },
  {
    ...strict,
    $id: 'BatchResultLine',
    description:
      'A backtest that succeeded. `result` has the bytes of the answer to a single request, except that `result.verdict` is that of the line: it counts the batch.',
  },
)

export const BatchProgressLine = Type.Object(
  {
    object: Type.Literal('batch_progress', { description: 'Always batch_progress.' }),
    done: count('Backtests that have ended.'),
    batch_size: size,
  },
  { ...strict, $id: 'BatchProgressLine', description: 'Sent when there was no line for 10 seconds.' },
)
export type BatchProgressLine = Static<typeof BatchProgressLine>

export const BatchSummaryLine = Type.Object(
  {
    object: Type.Literal('batch_summary', { description: 'Always batch_summary.' }),
    batch_size: size,
    count: count('Backtests that succeeded.'),
    failed: count('Backtests that failed.'),
    best: Type.Union(
      [
        Type.Object(
          {
            index,
            label: Type.String({ description: 'The configuration.' }),
            sharpe: numberOrNull('Annualised Sharpe ratio of net returns.'),
            deflated_sharpe: BatchDeflation,
            verdict: BacktestVerdict,
          },
          { ...strict, $id: 'BatchBest' },
        ),
        Type.Null(),
      ],
      {
        description:
          'The backtest with the highest judged Sharpe ratio; ties go to the lower turnover, then to the label. null if none succeeded, or if their periods are of different lengths: Sharpe ratios per period then have no common variance.',
      },
    ),
  },
  {
    ...strict,
    $id: 'BatchSummaryLine',
    description: 'The last line. Without it the batch was cut off.',
  },
)
export type BatchSummaryLine = Static<typeof BatchSummaryLine>
