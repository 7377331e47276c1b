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
    'Buys the best names of each date and, with `long_short`, sells the worst. Trading and borrowing costs are charged. Send `source` for rows of this service, or `panel` for your own; without either, the whole archive runs with the defaults. With `source.score`, a metric of the companies ranks the rows in place of the forecast. On each date it is the latest full fiscal year filed strictly before it. A filing of the same date may come after the close. This needs a licence that opens `as_of` for all companies; for an evaluation key, every ranked company counts as seen. Needs a key with the quant plan. The results are hypothetical and predict nothing.',
  access: 'key',
  query: BodyQuerySchema,
  body: {
    schema: BacktestRequest,
    description:
      'The strategy, and the rows to test it on. Rows can be sent as JSON objects, as JSON columns, as CSV or as NDJSON; all give the same result. In CSV, a header names the columns in any order, and an empty cell is a missing value. With CSV, `config` and the other fields go into the query. In NDJSON, the first line may contain `config` and the other fields. Columns and CSV are the fastest to send and to read. At most 2,000,000 rows.',
    texts: { 'text/csv': requests.backtest_csv, 'application/x-ndjson': requests.backtest_ndjson },
    examples: {
      panel: { summary: 'Your own rows', value: requests.backtest_panel },
      columns: { summary: 'Your own rows, by column', value: requests.backtest_columns },
      stored: { summary: 'A panel that you stored', value: requests.backtest_stored },
      source: { summary: 'The rows of this service', value: requests.backtest_source },
      score: {
        summary: 'The rows of this service, ranked by a metric as it was known on each date',
        value: requests.backtest_score,
      },
    },
  },
  answer: {
    schema: BacktestResult,
    description: 'The equity curve, its statistics, and the walk-forward folds.',
    html: 'With format=html, or if Accept prefers HTML: the result as a page that needs no network and no scripts.',
    examples: { panel: { summary: 'The result of the example `panel`', value: answers.backtest } },
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
