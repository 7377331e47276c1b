import { type Static, Type } from '@sinclair/typebox'
import { jobFacts } from '../../jobs/facts.ts'
import type { Job } from '../../jobs/job.ts'
import { jobError, jobFields, jobParams } from '../../jobs/schema.ts'

const strict = { additionalProperties: false } as const

/** A join that was submitted with `Prefer: respond-async`. */
export const AsOfJoinJob = Type.Object(
  {
    object: Type.Literal('as_of_job', { description: 'Always as_of_job.' }),
    ...jobFields({
      noun: 'join',
      progressId: 'AsOfJoinProgress',
      done: 'Rows that are joined: all of them at the end.',
      total: 'Rows, as many as were sent.',
      versioned: 'store',
      dataVersion: 'Data version of every figure of the result; null until it has succeeded.',
    }),
    result_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the result, in the format of the request; null unless it succeeded.',
    }),
    error: jobError,
  },
  { ...strict, $id: 'AsOfJoinJob' },
)
export type AsOfJoinJob = Static<typeof AsOfJoinJob>

export const AsOfJoinParams = jobParams(
  'the id of a submitted join',
  'The `id` of a submitted join.',
  '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c56',
)

/** A join's job as responses describe it. */
export function joinSummary(job: Job, baseUrl: string): AsOfJoinJob {
  const { error, ...facts } = jobFacts(job, baseUrl)
  const url = `/api/v1/as-of/${job.id}`
  const resultUrl = job.state === 'succeeded' ? `${url}/result` : null
  return { object: 'as_of_job', ...facts, url, result_url: resultUrl, error }
}
