import { BacktestBatchRequest } from '../../../backtest/batchRequest.ts'
import { bodyMediaTypes } from '../../../formats/mediaTypes.ts'
import answers from '../../../http/docs/examples/answers.json' with { type: 'json' }
import requests from '../../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../../http/docs/operation.ts'
import { documentedSchema } from '../../../http/docs/schemas.ts'
import { BatchLine } from './schema.ts'

const description = `Up to 500 backtests in one request, which counts once against the limits. Send \`configs\` to run many configurations on one \`panel\` or \`source\`, or \`items\` to give each backtest a stored panel or a source of its own. Rows in the body go with \`configs\`; with \`items\`, store them first. An item is one configuration: \`sweep\`, \`scores\` and \`compare\` are requests of their own, because each backtest of a batch counts as one trial. \`config.rankBy\` runs one of several scores, and \`score\` ranks the rows of a panel by a metric.

The body is checked whole before anything runs; an error names the item, like \`items[3].config.quantile\`. What only the rows of an item show is an error of that item.

The answer is NDJSON, uncompressed, in order of completion. Each line names its kind in \`object\`:

* \`batch_result\`: the \`index\` of the backtest, and its \`result\`, which has the bytes of the answer to a single request, apart from \`verdict\` and, with factors, that of \`factors.residual\`: they count the batch, as \`deflated_sharpe\` beside it does.
* \`batch_error\`: the \`index\`, and the error of a single request. The other backtests go on.
* \`batch_progress\`: sent when there was no line for 10 seconds.
* \`batch_summary\`: the last line, with the numbers of results and errors. Without it the batch was cut off.

Who runs many backtests finds a good one by chance. So each result is deflated for the size of its batch: the number of trials is the number of backtests in the batch, those that fail and those that resemble one another included. Trials of other requests are not known here and do not count. In a line of a result, \`trials_variance\` is 1 / (n_periods - 1), the variance of the Sharpe ratio of a trial without skill, because the other results are not known yet. In \`batch_summary\`, the best backtest is deflated as in a sweep, with the variance of the batch's own Sharpe ratios.

A batch has the share of the threads that a sweep has, and its time limit; backtests past it end with \`compute_timeout\`. Close the connection to cancel it. A client that reads more slowly than the backtests run delays them; one that reads nothing for 15 seconds is disconnected. Requires a key with the quant plan. The results are hypothetical and do not predict future returns.`

export const batchOperation = operation({
  id: 'runBacktestBatch',
  tag: 'Backtest',
  summary: 'Many backtests in one request',
  description,
  access: 'key',
  body: {
    schema: BacktestBatchRequest,
    types: { json: bodyMediaTypes.json },
    description: 'The backtests, and the rows to run them on.',
    examples: {
      configs: { summary: 'Configurations on your own rows', value: requests.batch_configs },
      stored: { summary: 'Configurations on a stored panel', value: requests.batch_stored },
      items: { summary: 'Backtests with rows of their own', value: requests.batch_items },
    },
  },
  answer: {
    schema: null,
    description: 'A line for each backtest in order of completion, then the summary.',
    examples: {},
    media: {
      'application/x-ndjson': {
        schema: { type: 'string' },
        examples: { configs: { summary: 'The lines of the example `configs`', value: answers.batch } },
        'x-line': documentedSchema(BatchLine),
      },
    },
  },
  errors: [
    'quant_required',
    'licence_required',
    'entity_cap_reached',
    'entity_unknown',
    'backtest_impossible',
    'compute_timeout',
  ],
  data: false,
})
