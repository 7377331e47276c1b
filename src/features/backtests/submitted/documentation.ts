import examples from '../../../http/docs/examples/backtests.json' with { type: 'json' }
import { operation } from '../../../http/docs/operation.ts'
import type { Media } from '../../../http/docs/responses.ts'
import { documentedSchema } from '../../../http/docs/schemas.ts'
import {
  BacktestJob,
  BacktestJobList,
  BacktestJobParams,
  BacktestJobQuery,
  BacktestJobSummary,
  BacktestJobsQuery,
} from './schema.ts'

const events = `retry: 2000\n\nevent: progress\ndata: ${JSON.stringify(examples.running)}\n\n: heartbeat\n\nevent: succeeded\ndata: ${JSON.stringify(examples.list.data[0])}\n`

const eventMedia: Media = {
  'text/event-stream': {
    // Has no type, because OpenAPI 3.1 does not say whether it would describe the text or an event.
    schema: {
      description:
        'Events named progress, succeeded, failed or cancelled. The data of each is a `BacktestJobSummary`.',
    },
    'x-event': documentedSchema(BacktestJobSummary),
    examples: { sweep: { summary: 'A sweep from start to end', value: events } },
  },
}

export const backtestsOperation = operation({
  id: 'listBacktests',
  tag: 'Backtest',
  summary: 'Submitted backtests',
  description:
    'The submitted backtests of this key, newest first, without their results. A finished backtest is deleted after 7 days; only the last 500 of a key remain. `next` continues after `limit` backtests.',
  access: 'key',
  query: BacktestJobsQuery,
  answer: {
    schema: BacktestJobList,
    description: 'The backtests of this key.',
    examples: { list: { summary: 'A backtest that succeeded', value: examples.list } },
  },
  errors: ['quant_required', 'statement_timeout'],
  data: true,
})

export const backtestOperation = operation({
  id: 'getBacktest',
  tag: 'Backtest',
  summary: 'Progress and result of a submitted backtest',
  description:
    'The state, the progress in trials and, at the end, the result or the error. The result is bit-identical to that of a synchronous request. With `Accept: text/event-stream`, the progress is sent as events. If the archive changes during a sweep, the sweep restarts on the new rows; `data_version` is the version that it runs on.',
  access: 'key',
  path: BacktestJobParams,
  query: BacktestJobQuery,
  answer: {
    schema: BacktestJob,
    description: 'The backtest.',
    media: eventMedia,
    html: 'With format=html, or if Accept prefers HTML: the finished result as an HTML page without scripts or external resources.',
    examples: {
      running: { summary: 'A sweep halfway through', value: { ...examples.running, result: null } },
    },
  },
  errors: ['quant_required', 'entity_unknown', 'compute_busy', 'compute_timeout', 'statement_timeout'],
  data: true,
})

export const cancelOperation = operation({
  id: 'cancelBacktest',
  tag: 'Backtest',
  summary: 'Cancel a submitted backtest',
  description:
    'Cancels a queued or running backtest. One that has already ended does not change; the response states how it ended.',
  access: 'key',
  path: BacktestJobParams,
  answer: {
    schema: BacktestJobSummary,
    description: 'The backtest, which has ended.',
    examples: { cancelled: { summary: 'Cancelled halfway through', value: examples.cancelled } },
  },
  errors: ['quant_required', 'entity_unknown', 'statement_timeout'],
  data: false,
})

export const backtestEventsOperation = operation({
  id: 'watchBacktest',
  tag: 'Backtest',
  summary: 'Live progress of a submitted backtest',
  description:
    'Server-sent events: `progress` at every change, and finally `succeeded`, `failed` or `cancelled`. Each event contains the backtest without its result. If there is no event for 10 seconds, a comment is sent. A stream ends after 10 minutes; reconnect then. A key can have at most 8 streams open at a time.',
  access: 'key',
  path: BacktestJobParams,
  answer: {
    schema: null,
    description: 'The events, until the backtest ends.',
    examples: {},
    media: eventMedia,
  },
  errors: ['quant_required', 'entity_unknown', 'compute_busy', 'statement_timeout'],
  data: false,
})
