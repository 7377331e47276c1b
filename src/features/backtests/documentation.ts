import { BacktestRequest } from '../../backtest/request.ts'
import { BacktestResult } from '../../backtest/result.ts'
import { bodyMediaTypes } from '../../formats/mediaTypes.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import backtests from '../../http/docs/examples/backtests.json' with { type: 'json' }
import requests from '../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { BodyQuerySchema } from './query.ts'
import { BacktestJob } from './submitted/schema.ts'

export const backtestOperation = operation({
  id: 'runBacktest',
  tag: 'Backtest',
  summary: 'Backtest a ranking strategy with its costs',
  description:
    'Buys the names with the highest scores on each date and, with `long_short`, shorts those with the lowest. Trading and borrowing costs are charged. Send `source` to use the forecasts of this service, or `panel` to use your own rows; without either, the whole archive runs with the defaults. With `source.score`, a company metric ranks the rows instead of the forecast. On each date, it is the latest full fiscal year filed strictly before that date, because a filing of the same date may come after the close. This requires a licence that includes `as_of` for all companies; with an evaluation key, every company of the market in the archive counts as seen, whether it is ranked or not. With `compare`, the result also says what restatements and early dating would have been worth. Requires a key with the quant plan. The results are hypothetical and do not predict future returns.\n\nWith `Prefer: respond-async`, the response is 202 at once, with the stored backtest (the schema `BacktestJob`) and its URL in `Location`. It runs even if this connection closes or this server stops, and may take longer than a synchronous one. Faults of its rows are in its `error`. Follow it with `GET /api/v1/backtests/{id}` or its events.',
  access: 'key',
  query: BodyQuerySchema,
  body: {
    schema: BacktestRequest,
    types: bodyMediaTypes,
    description:
      'The strategy, and the rows to test it on. Rows can be sent as JSON objects, JSON columns, CSV, NDJSON, Parquet (`application/vnd.apache.parquet`) or an Arrow IPC stream (`application/vnd.apache.arrow.stream`), plain or with `Content-Encoding: gzip` or `zstd`; all give the same result. In CSV, a header names the columns in any order, and an empty cell is a missing value. With CSV, Parquet and Arrow, send `config` and the other fields as query parameters. In NDJSON, the first line may contain `config` and the other fields. Parquet is the fastest to send and to read, CSV and JSON columns are next. At most 25,000,000 rows; store larger bodies than the server takes here with POST /api/v1/panels.',
    texts: { 'text/csv': requests.backtest_csv, 'application/x-ndjson': requests.backtest_ndjson },
    examples: {
      panel: { summary: 'Your own rows', value: requests.backtest_panel },
      columns: { summary: 'Your own rows, by column', value: requests.backtest_columns },
      evidence: {
        summary: 'A sweep with the evidence for skill or luck',
        value: requests.backtest_evidence,
      },
      capacity: { summary: 'The capital that your volumes allow', value: requests.backtest_capacity },
      stored: { summary: 'A stored panel', value: requests.backtest_stored },
      source: { summary: 'The rows of this service', value: requests.backtest_source },
      shipped: { summary: 'The archive that the service ships', value: requests.backtest_shipped },
      score: {
        summary: 'The rows of this service, ranked by a metric as known on each date',
        value: requests.backtest_score,
      },
      compare: {
        summary: 'What restatements and early dating would have been worth',
        value: requests.backtest_compare,
      },
    },
  },
  idempotent: true,
  answer: {
    schema: BacktestResult,
    description: 'The equity curve, its statistics, and the walk-forward folds.',
    headers: ['ETag', 'Idempotency-Replayed'],
    html: 'With format=html, or if Accept prefers HTML: the result as an HTML page without scripts or external resources.',
    examples: {
      panel: { summary: 'The result of the example `panel`', value: answers.backtest },
      shipped: {
        summary: 'The result of the example `shipped`, as /backtest shows it to all',
        value: answers.backtest_shipped,
      },
      evidence: { summary: 'The result of the example `evidence`', value: answers.backtest_evidence },
      capacity: { summary: 'The result of the example `capacity`', value: answers.backtest_capacity },
    },
  },
  accepted: {
    schema: BacktestJob,
    description:
      'With `Prefer: respond-async`: the stored backtest, which will run. Location is its URL; Retry-After is absent once it has ended.',
    example: { ...backtests.queued, result: null },
  },
  errors: [
    'quant_required',
    'licence_required',
    'entity_cap_reached',
    'entity_unknown',
    'idempotency_in_flight',
    'idempotency_reused',
    'backtest_impossible',
    'compute_timeout',
  ],
  data: false,
})
