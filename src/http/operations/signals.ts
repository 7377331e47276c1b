import { SignalList, SignalsQuery } from '../../model/signal.ts'
import answers from '../examples/answers.json' with { type: 'json' }
import { operation } from './operation.ts'

export const signalsOperation = operation({
  id: 'getSignals',
  tag: 'Signals',
  summary: 'Forecasts and what came of them',
  description:
    'One row per name, day and horizon, with the forecast and the realised return, both fractions (0.025 is +2.5%). Only resolved rows are served. Without the quant plan the view ends 90 days before today. Newest first; `next` (in the other forms the header X-Next-Cursor) continues past `limit`.',
  entry: 'key',
  query: SignalsQuery,
  tried: { horizon: '1d', limit: 5 },
  answer: {
    schema: SignalList,
    description: 'The rows, date descending, then ticker, then horizon.',
    examples: { delayed: { summary: 'The delayed view of the demo key', value: answers.signals } },
    csv: answers.signals_csv,
    sheets: answers.signals_ndjson,
  },
  errors: ['parameter_invalid', 'parameter_repeated', 'compute_busy', 'statement_timeout'],
  data: true,
})
