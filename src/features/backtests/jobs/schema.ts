import { type Static, Type } from '@sinclair/typebox'
import type { BodyFormat, BodyQuery } from '../../../backtest/request.ts'
import { BacktestResult } from '../../../backtest/result.ts'
import type { ErrorCode } from '../../../errors.ts'
import { ErrorBody, errorStatus } from '../../../http/errors.ts'

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description })

export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** A backtest that is run when there is time, as the verbs know it. */
export interface Job {
  readonly id: string
  readonly keyId: number
  readonly state: JobState
  /** Of the request that submitted it. */
  readonly requestId: string
  readonly bodyFormat: BodyFormat
  readonly bodyQuery: BodyQuery
  readonly bodyBytes: number
  readonly submittedDataVersion: number
  readonly dataVersion: number | null
  /** Of the rows that its sweep was planned for. */
  readonly fingerprint: string | null
  /** Grows where the rows changed and the sweep began anew. */
  readonly round: number
  readonly done: number
  readonly total: number | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly errorParam: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

/** Days that a finished job and its result are kept. */
export const jobKeptDays = 7
/** Unfinished jobs that a key may have. */
export const mostUnfinishedJobs = 16
/** Finished jobs that are kept of a key. */
export const mostFinishedJobs = 500

const summary = {
  object: Type.Literal('backtest', { description: 'Always backtest.' }),
  id: Type.String({ format: 'uuid', description: 'Names the backtest; later ones have greater ids.' }),
  state: Type.Union(
    jobStates.map(state => Type.Literal(state)),
    { description: 'queued, running, and then for good succeeded, failed or cancelled.' },
  ),
  progress: Type.Object(
    {
      done: Type.Integer({ minimum: 0, description: 'Trials that are done.' }),
      total: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'All there are: 1 without a sweep; null until the body has been read.',
      }),
    },
    strict,
  ),
  submitted_data_version: Type.Integer({ description: 'Data version of the archive when it was submitted.' }),
  data_version: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Data version of the archive that it runs on; null for a panel, and until it is known.',
  }),
  created_at: time('When it was submitted.'),
  started_at: timeOrNull('When it was begun.'),
  finished_at: timeOrNull('When it succeeded, failed or was cancelled.'),
  expires_at: timeOrNull('When it is forgotten, with its result; null while it is unfinished.'),
  url: Type.String({ description: 'Where it is, on this server.' }),
  events_url: Type.String({ description: 'Where its progress is told as server-sent events.' }),
  error: Type.Union([ErrorBody.properties.error, Type.Null()], {
    description: 'Why it failed, as a synchronous request would have been told.',
  }),
}

export const BacktestJobSummary = Type.Object(summary, strict)
export type BacktestJobSummary = Static<typeof BacktestJobSummary>

export const BacktestJob = Type.Object(
  {
    ...summary,
    result: Type.Union([BacktestResult, Type.Null()], {
      description: 'To the bit what a synchronous request would have been answered; null until it succeeded.',
    }),
  },
  strict,
)

export const BacktestJobList = Type.Object(
  {
    object: Type.Literal('backtest_list', { description: 'Always backtest_list.' }),
    count: Type.Integer({ minimum: 0, description: 'Backtests in `data`.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` for those before them; null at the end.',
    }),
    data: Type.Array(BacktestJobSummary, { description: 'The newest first, without their results.' }),
  },
  strict,
)

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

export const BacktestJobParams = Type.Object(
  {
    id: Type.String({
      pattern: uuid,
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
          'The form of a result that is there: html is a page to look at. Without it `Accept` decides; by default json.',
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
        description: 'At most this many.',
        examples: [20],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: uuid,
        description: 'The `next` of the answer before.',
        examples: ['019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55'],
      }),
    ),
  },
  strict,
)
export type BacktestJobsQuery = Static<typeof BacktestJobsQuery>

const keptMs = jobKeptDays * 86_400_000

/** A job as it is answered, without its result. */
export function jobSummary(job: Job, baseUrl: string): BacktestJobSummary {
  const { finishedAt } = job
  const url = `/api/v1/backtests/${job.id}`
  return {
    object: 'backtest',
    id: job.id,
    state: job.state,
    progress: { done: job.done, total: job.total },
    submitted_data_version: job.submittedDataVersion,
    data_version: job.dataVersion,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    expires_at: finishedAt === null ? null : new Date(finishedAt.getTime() + keptMs).toISOString(),
    url,
    events_url: `${url}/events`,
    error: jobError(job, baseUrl),
  }
}

function jobError(job: Job, baseUrl: string): BacktestJobSummary['error'] {
  const { errorCode: code, errorMessage, errorParam: param, requestId } = job
  if (code === null) return null
  const docUrl = `${baseUrl}/docs/errors#${code}`
  const { type } = errorStatus(code)
  return { type, code, message: errorMessage ?? '', param, request_id: requestId, doc_url: docUrl }
}

/** The same with the text of its result, which is not read for that: it is the text that a synchronous request would
 * have been answered. */
export function jobText(job: Job, baseUrl: string, result: string | null): string {
  return `${JSON.stringify(jobSummary(job, baseUrl)).slice(0, -1)},"result":${result ?? 'null'}}`
}
