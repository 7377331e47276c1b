import { type Static, Type } from '@sinclair/typebox'
import { BacktestResult } from '../../../backtest/result.ts'
import { ErrorBody } from '../../../http/errors.ts'
import { jobFacts, uuid } from '../../../jobs/facts.ts'
import { type Job, jobStates } from '../../../jobs/job.ts'

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description })

const summary = {
  object: Type.Literal('backtest', { description: 'Always backtest.' }),
  id: Type.String({ format: 'uuid', description: 'Id of the backtest; later backtests have higher ids.' }),
  state: Type.Union(
    jobStates.map(state => Type.Literal(state)),
    { description: 'queued, then running, and at the end succeeded, failed or cancelled.' },
  ),
  progress: Type.Object(
    {
      done: Type.Integer({ minimum: 0, description: 'Number of finished trials.' }),
      total: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'Number of trials: 1 without a sweep; null until the body has been read.',
      }),
    },
    { ...strict, $id: 'BacktestJobProgress' },
  ),
  submitted_data_version: Type.Integer({ description: 'Data version of the archive at submission.' }),
  data_version: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Data version of the archive that the backtest runs on; null for a panel, or until it is known.',
  }),
  created_at: time('When it was submitted.'),
  started_at: timeOrNull('When it started.'),
  finished_at: timeOrNull('When it succeeded, failed or was cancelled.'),
  expires_at: timeOrNull('When it is deleted together with its result; null until it has ended.'),
  url: Type.String({ description: 'Path of the backtest on this server.' }),
  events_url: Type.String({ description: 'Path of the progress as server-sent events.' }),
  error: Type.Union([ErrorBody.properties.error, Type.Null()], {
    description: 'Why it failed: the same error as for a synchronous request.',
  }),
}

export const BacktestJobSummary = Type.Object(summary, { ...strict, $id: 'BacktestJobSummary' })
export type BacktestJobSummary = Static<typeof BacktestJobSummary>

export const BacktestJob = Type.Object(
  {
    ...summary,
    result: Type.Union([BacktestResult, Type.Null()], {
      description:
        'Bit-identical to the result of a synchronous request; null unless the backtest succeeded.',
    }),
  },
  { ...strict, $id: 'BacktestJob' },
)

export const BacktestJobList = Type.Object(
  {
    object: Type.Literal('backtest_list', { description: 'Always backtest_list.' }),
    count: Type.Integer({ minimum: 0, description: 'Backtests in `data`.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get older backtests; null on the last page.',
    }),
    data: Type.Array(BacktestJobSummary, { description: 'Newest first, without their results.' }),
  },
  { ...strict, $id: 'BacktestJobList' },
)

export const BacktestJobParams = Type.Object(
  {
    id: Type.String({
      pattern: uuid,
      allowed: 'the id of a backtest',
      description: 'The `id` of a backtest.',
      examples: ['019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55'],
    }),
  },
  strict,
)

export const BacktestJobQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Union([Type.Literal('json'), Type.Literal('html')], {
        description:
          'Format of a finished result; html is a page for people. Omit it to let the `Accept` header decide; the default is json.',
      }),
    ),
  },
  strict,
)

export const BacktestJobsQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 20,
        description: 'Maximum number of backtests on a page.',
        examples: [20],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: uuid,
        allowed: 'the `next` of the previous page',
        description: 'The `next` of the previous page.',
        examples: ['019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55'],
      }),
    ),
  },
  strict,
)
export type BacktestJobsQuery = Static<typeof BacktestJobsQuery>

/** A job as answers have it, without its result. */
export function jobSummary(job: Job, baseUrl: string): BacktestJobSummary {
  const { error, ...facts } = jobFacts(job, baseUrl)
  const url = `/api/v1/backtests/${job.id}`
  return { object: 'backtest', ...facts, url, events_url: `${url}/events`, error }
}

/** The job with its result, as JSON text. The text of the result is inserted as it is: parsing and writing it again would cost
 * time, and must not change a digit. */
export function jobText(job: Job, baseUrl: string, result: string | null): string {
  return `${JSON.stringify(jobSummary(job, baseUrl)).slice(0, -1)},"result":${result ?? 'null'}}`
}
