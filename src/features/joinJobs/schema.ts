import { Type } from '@sinclair/typebox'
import type { AsOfJoinJob } from '../asOfJoins/jobSchema.ts'
import type { Job } from '../backtests/jobs/job.ts'
import { jobFacts, uuid } from '../backtests/jobs/schema.ts'

const strict = { additionalProperties: false } as const

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
