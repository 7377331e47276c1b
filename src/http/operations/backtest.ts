import { BacktestRequest } from '../../model/backtest.ts'
import { BacktestResult } from '../../model/backtestResult.ts'
import answers from '../examples/answers.json' with { type: 'json' }
import requests from '../examples/requests.json' with { type: 'json' }
import { operation } from './operation.ts'

export const backtestOperation = operation({
  id: 'runBacktest',
  tag: 'Backtest',
  summary: 'Backtest a ranking strategy with its costs',
  description:
    'Buys the best and, with `long_short`, sells the worst names of each date, and charges what trading and borrowing cost. Give `source` for the rows of this service, or `panel` for your own; with neither, the whole archive with defaults. Needs a key with the quant plan. The results are hypothetical and predict nothing.',
  entry: 'key',
  body: {
    schema: BacktestRequest,
    description: 'The strategy and the rows to try it on.',
    examples: {
      panel: { summary: 'Your own rows', value: requests.backtest_panel },
      source: { summary: 'The rows of this service', value: requests.backtest_source },
    },
  },
  answer: {
    schema: BacktestResult,
    description: 'The curve, its statistics, and the walk-forward folds.',
    examples: { panel: { summary: 'Of the panel beside', value: answers.backtest } },
  },
  errors: [
    'malformed_json',
    'parameter_invalid',
    'body_invalid',
    'quant_required',
    'body_too_large',
    'media_type_unsupported',
    'backtest_impossible',
    'compute_busy',
    'compute_timeout',
  ],
  data: false,
})
