import type { DocumentDecoration } from 'elysia'
import examples from '../../../http/docs/examples/backtests.json' with { type: 'json' }
import { documentedSchema, operation } from '../../../http/docs/operation.ts'
import {
  BacktestJob,
  BacktestJobList,
  BacktestJobParams,
  BacktestJobQuery,
  BacktestJobSummary,
  BacktestJobsQuery,
} from './schema.ts'

const events = `retry: 2000\n\nevent: progress\ndata: ${JSON.stringify(examples.running)}\n\n: it goes on\n\nevent: succeeded\ndata: ${JSON.stringify(examples.list.data[0])}\n`

export const backtestsOperation = operation({
  id: 'listBacktests',
  tag: 'Backtest',
  summary: 'Backtests that were submitted to run by themselves',
  description:
    'Those of this key that were submitted with `Prefer: respond-async`, the newest first, without their results. A finished one is kept for 7 days; of a key at most the last 500 are. `next` continues past `limit`.',
  entry: 'key',
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
  summary: 'How far a submitted backtest is, and its result',
  description:
    'The state, the progress in trials, and in the end the result (to the bit the synchronous answer) or the error. With `Accept: text/event-stream` its progress as events. Where the archive changes while a sweep runs on it, the sweep begins anew on the new rows; `data_version` says which it runs on.',
  entry: 'key',
  path: BacktestJobParams,
  query: BacktestJobQuery,
  answer: {
    schema: BacktestJob,
    description: 'The backtest.',
    html: 'With format=html, or where Accept prefers it: the result, once it is there, as a page that works without network and scripts.',
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
    'Also one that runs: what works at it leaves off. One that has ended stays as it is; the answer says how it ended.',
  entry: 'key',
  path: BacktestJobParams,
  answer: {
    schema: BacktestJobSummary,
    description: 'The backtest, which is over.',
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
    'Server-sent events: `progress` whenever something changed, and at the end one that is called `succeeded`, `failed` or `cancelled`; each holds the backtest without its result. A comment every 10 seconds while nothing happens. A stream ends after 10 minutes: connect again. At most 8 of a key at a time.',
  entry: 'key',
  path: BacktestJobParams,
  answer: {
    schema: BacktestJobSummary,
    description: 'The events, until the backtest is over.',
    examples: { progress: { summary: 'The data of an event', value: examples.running } },
  },
  errors: ['parameter_invalid', 'quant_required', 'entity_unknown', 'compute_busy', 'statement_timeout'],
  data: false,
})

export const backtestEventsOperation: DocumentDecoration = {
  ...eventParts,
  responses: {
    ...eventParts.responses,
    200: {
      description: 'The events, until the backtest is over.',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          examples: { sweep: { summary: 'A sweep to its end', value: events } },
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
export function withSubmission(detail: DocumentDecoration): DocumentDecoration {
  return {
    ...detail,
    parameters: [
      ...(detail.parameters ?? []),
      header(
        'Prefer',
        'respond-async: answer 202 at once, and run the backtest when there is time, whatever becomes of this connection or this server.',
        'respond-async',
      ),
      header(
        'Idempotency-Key',
        'Any text that you make up for this request. Sent again within 24 hours with the same request, nothing is run twice: the answer is the same, or names the same backtest.',
        '5f2b1c9e-sweep-1',
      ),
    ],
    responses: {
      ...detail.responses,
      202: {
        description: 'With Prefer: respond-async: stored, and to be run. Location says where it is.',
        headers: {
          Location: { description: 'Where the backtest is.', schema: { type: 'string' } },
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
}
