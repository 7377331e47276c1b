import type { DocumentDecoration } from 'elysia'
import examples from '../../../http/docs/examples/backtests.json' with { type: 'json' }
import { documentedSchema, type Operation, operation } from '../../../http/docs/operation.ts'
import {
  BacktestJob,
  BacktestJobList,
  BacktestJobParams,
  BacktestJobQuery,
  BacktestJobSummary,
  BacktestJobsQuery,
} from './schema.ts'

const events = `retry: 2000\n\nevent: progress\ndata: ${JSON.stringify(examples.running)}\n\n: heartbeat\n\nevent: succeeded\ndata: ${JSON.stringify(examples.list.data[0])}\n`

export const backtestsOperation = operation({
  id: 'listBacktests',
  tag: 'Backtest',
  summary: 'Submitted backtests',
  description:
    'The backtests of this key that were submitted with `Prefer: respond-async`, newest first, without their results. A finished backtest is deleted after 7 days, and of one key the last 500 remain. `next` continues past `limit`.',
  access: 'key',
  query: BacktestJobsQuery,
  answer: {
    schema: BacktestJobList,
    description: 'The backtests of this key.',
    examples: { list: { summary: 'One that succeeded', value: examples.list } },
  },
  errors: ['parameter_invalid', 'parameter_repeated', 'quant_required', 'statement_timeout'],
  data: true,
})

export const backtestOperation = operation({
  id: 'getBacktest',
  tag: 'Backtest',
  summary: 'Progress and result of a submitted backtest',
  description:
    'The state, the progress in trials and, at the end, the result or the error. The result equals the synchronous answer to the bit. With `Accept: text/event-stream`, the progress comes as events. If the archive changes during a sweep, the sweep restarts on the new rows; `data_version` states the version it runs on.',
  access: 'key',
  path: BacktestJobParams,
  query: BacktestJobQuery,
  answer: {
    schema: BacktestJob,
    description: 'The backtest.',
    html: 'With format=html, or if Accept prefers HTML: the finished result as a page that needs no network and no scripts.',
    examples: { running: { summary: 'A sweep half-way', value: { ...examples.running, result: null } } },
  },
  errors: [
    'parameter_invalid',
    'parameter_repeated',
    'quant_required',
    'entity_unknown',
    'statement_timeout',
  ],
  data: true,
})

export const cancelOperation = operation({
  id: 'cancelBacktest',
  tag: 'Backtest',
  summary: 'Cancel a submitted backtest',
  description:
    'Cancels a queued or running backtest. One that has ended does not change; the answer states how it ended.',
  access: 'key',
  path: BacktestJobParams,
  answer: {
    schema: BacktestJobSummary,
    description: 'The ended backtest.',
    examples: { cancelled: { summary: 'Cancelled half-way', value: examples.cancelled } },
  },
  errors: ['parameter_invalid', 'quant_required', 'entity_unknown', 'statement_timeout'],
  data: false,
})

const eventParts = operation({
  id: 'watchBacktest',
  tag: 'Backtest',
  summary: 'The progress of a submitted backtest as it happens',
  description:
    'Server-sent events: `progress` at every change, and at the end one named `succeeded`, `failed` or `cancelled`. Each contains the backtest without its result. A comment is sent every 10 seconds without an event. A stream ends after 10 minutes: reconnect then. At most 8 streams of one key are open at a time.',
  access: 'key',
  path: BacktestJobParams,
  answer: {
    schema: BacktestJobSummary,
    description: 'The events, until the backtest ends.',
    examples: { progress: { summary: 'The data of an event', value: examples.running } },
  },
  errors: ['parameter_invalid', 'quant_required', 'entity_unknown', 'compute_busy', 'statement_timeout'],
  data: false,
})

export const backtestEventsOperation: Operation = {
  access: eventParts.access,
  detail: {
    ...eventParts.detail,
    responses: {
      ...eventParts.detail.responses,
      200: {
        description: 'The events, until the backtest ends.',
        content: {
          'text/event-stream': {
            schema: { type: 'string' },
            examples: { sweep: { summary: 'A sweep until its end', value: events } },
          },
        },
      },
    },
  },
}

const header = (name: string, description: string, example: string) => ({
  in: 'header' as const,
  name,
  required: false,
  description,
  schema: { type: 'string' as const, examples: [example] },
})

/** What a submission adds to the documentation of POST /api/v1/backtest. */
export function withSubmission({ access, detail }: Operation): Operation {
  const submitted: DocumentDecoration = {
    ...detail,
    parameters: [
      ...(detail.parameters ?? []),
      header(
        'Prefer',
        'respond-async: answer 202 at once and run the backtest in the background. It runs even if this connection closes or this server stops.',
        'respond-async',
      ),
      header(
        'Idempotency-Key',
        'Any text that you choose for this request. The same request sent again with it within 24 hours does not run twice. It gets the same answer, or the same submitted backtest.',
        '5f2b1c9e-sweep-1',
      ),
    ],
    responses: {
      ...detail.responses,
      202: {
        description: 'With Prefer: respond-async: the stored backtest, which will run. Location is its URL.',
        headers: {
          Location: { description: 'The URL of the backtest.', schema: { type: 'string' } },
          'Preference-Applied': { description: 'Always respond-async.', schema: { type: 'string' } },
        },
        content: {
          'application/json': {
            schema: documentedSchema(BacktestJob),
            examples: { queued: { summary: 'Stored', value: { ...examples.queued, result: null } } },
          },
        },
      },
    },
  }
  return { access, detail: submitted }
}
