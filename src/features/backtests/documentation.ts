import { BacktestRequest } from '../../backtest/request.ts'
import { BacktestResult } from '../../backtest/result.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import requests from '../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { BodyQuerySchema } from './query.ts'

export const backtestOperation = operation({
  id: 'runBacktest',
  tag: 'Backtest',
  summary: 'Backtest a ranking strategy with its costs',
  description:
    'Buys the best and, with `long_short`, sells the worst names of each date, and charges what trading and borrowing cost. Give `source` for the rows of this service, or `panel` for your own; with neither, the whole archive with defaults. With `source.score` the rows are ranked by a figure of the companies in place of the forecast: the latest full fiscal year filed strictly before each date, for a filing of the date itself may come after the close. That needs a licence that opens `as_of` for all companies; an evaluation key is counted as having seen every company that is ranked. Needs a key with the quant plan. The results are hypothetical and predict nothing.',
  entry: 'key',
  query: BodyQuerySchema,
  body: {
    schema: BacktestRequest,
    description:
      'The strategy and the rows to try it on. Rows can be sent as JSON objects, as JSON columns, as CSV (a header names the columns in any order; an empty cell is a missing value; `config` and the rest go into the query) or as NDJSON (the first line may hold `config` and the rest). All give the same result; columns and CSV are the quickest to send and to read. At most 2,000,000 rows.',
    texts: { 'text/csv': requests.backtest_csv, 'application/x-ndjson': requests.backtest_ndjson },
    examples: {
      panel: { summary: 'Your own rows', value: requests.backtest_panel },
      columns: { summary: 'Your own rows, by column', value: requests.backtest_columns },
      stored: { summary: 'Rows that you stored', value: requests.backtest_stored },
      source: { summary: 'The rows of this service', value: requests.backtest_source },
      score: { summary: 'The same, ranked by a figure as it was known', value: requests.backtest_score },
    },
  },
  answer: {
    schema: BacktestResult,
    description: 'The curve, its statistics, and the walk-forward folds.',
    html: 'With format=html, or where Accept prefers it: the result as a page that works without network and scripts.',
    examples: { panel: { summary: 'Of the panel beside', value: answers.backtest } },
  },
  errors: [
    'malformed_json',
    'parameter_invalid',
    'body_invalid',
    'quant_required',
    'licence_required',
    'entity_cap_reached',
    'entity_unknown',
    'body_too_large',
    'media_type_unsupported',
    'idempotency_in_flight',
    'idempotency_reused',
    'backtest_impossible',
    'compute_busy',
    'compute_timeout',
    'compute_lost',
  ],
  data: false,
})
