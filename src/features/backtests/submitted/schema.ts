import { type Static, Type } from '@sinclair/typebox'
import { BacktestResult } from '../../../backtest/result.ts'
import { jobFacts, uuid } from '../../../jobs/facts.ts'
import type { Job } from '../../../jobs/job.ts'
import { jobError, jobFields, jobParams } from '../../../jobs/schema.ts'

const strict = { additionalProperties: false } as const

const summary = {
  object: Type.Literal('backtest', { description: 'Always backtest.' }),
  ...jobFields({
    noun: 'backtest',
    progressId: 'BacktestJobProgress',
    done: 'Number of finished trials.',
    total: 'Number of trials: 1 without a sweep; null until the body has been read.',
    versioned: 'archive',
    dataVersion:
      'Data version of the archive that the backtest runs on; null for a panel, or until it is known.',
  }),
  events_url: Type.String({ description: 'Path of the progress as server-sent events.' }),
  error: jobError,
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

export const BacktestJobParams = jobParams(
  'the id of a backtest',
  'The `id` of a backtest.',
  '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55',
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

/** A job as responses describe it, without its result. */
export function jobSummary(job: Job, baseUrl: string): BacktestJobSummary {
  const { error, ...facts } = jobFacts(job, baseUrl)
  const url = `/api/v1/backtests/${job.id}`
  return { object: 'backtest', ...facts, url, events_url: `${url}/events`, error }
}

/**
 * The job with its result, as JSON text. The result's text is inserted unchanged: parsing and serialising it
 * again would cost time and could change digits.
 */
export function jobText(job: Job, baseUrl: string, result: string | null): string {
  return `${JSON.stringify(jobSummary(job, baseUrl)).slice(0, -1)},"result":${result ?? 'null'}}`
}
