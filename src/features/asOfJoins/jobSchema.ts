import { type Static, Type } from '@sinclair/typebox'
import { ErrorBody } from '../../http/errors.ts'
import { jobFacts, uuid } from '../../jobs/facts.ts'
import { type Job, jobStates } from '../../jobs/job.ts'

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description })

/** A join that was submitted with `Prefer: respond-async`. */
export const AsOfJoinJob = Type.Object(
  {
    object: Type.Literal('as_of_job', { description: 'Always as_of_job.' }),
    id: Type.String({ format: 'uuid', description: 'Id of the join; later joins have higher ids.' }),
    state: Type.Union(
      jobStates.map(state => Type.Literal(state)),
      { description: 'queued, then running, and at the end succeeded, failed or cancelled.' },
    ),
    progress: Type.Object(
      {
        done: Type.Integer({ minimum: 0, description: 'Rows that are joined: all of them at the end.' }),
        total: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
          description: 'Rows, as many as were sent.',
        }),
      },
      { ...strict, $id: 'AsOfJoinProgress' },
    ),
    submitted_data_version: Type.Integer({ description: 'Data version of the store at submission.' }),
    data_version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Data version of every figure of the result; null until it has succeeded.',
    }),
    created_at: time('When it was submitted.'),
    started_at: timeOrNull('When it started.'),
    finished_at: timeOrNull('When it succeeded, failed or was cancelled.'),
    expires_at: timeOrNull('When it is deleted together with its result; null until it has ended.'),
    url: Type.String({ description: 'Path of the join on this server.' }),
    result_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the result, in the format of the request; null unless it succeeded.',
    }),
    error: Type.Union([ErrorBody.properties.error, Type.Null()], {
      description: 'Why it failed: the same error as for a synchronous request.',
    }),
  },
  { ...strict, $id: 'AsOfJoinJob' },
)
export type AsOfJoinJob = Static<typeof AsOfJoinJob>

export const AsOfJoinParams = Type.Object(
  {
    id: Type.String({
      pattern: uuid,
      allowed: 'the id of a submitted join',
      description: 'The `id` of a submitted join.',
      examples: ['019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c56'],
    }),
  },
  strict,
)

/** A job of a join as answers have it. */
export function joinSummary(job: Job, baseUrl: string): AsOfJoinJob {
  const { error, ...facts } = jobFacts(job, baseUrl)
  const url = `/api/v1/as-of/${job.id}`
  const resultUrl = job.state === 'succeeded' ? `${url}/result` : null
  return { object: 'as_of_job', ...facts, url, result_url: resultUrl, error }
}
