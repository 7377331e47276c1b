import type { Static } from '@sinclair/typebox'
import { type ErrorBody, errorStatus } from '../http/errors.ts'
import { type Job, jobRetentionDays } from './job.ts'

/** The pattern of a job id. */
export const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const retentionMs = jobRetentionDays * 86_400_000

/** The fields that every kind of job has in responses. */
export function jobFacts(job: Job, baseUrl: string) {
  const { finishedAt } = job
  return {
    id: job.id,
    state: job.state,
    progress: { done: job.done, total: job.total },
    submitted_data_version: job.submittedDataVersion,
    data_version: job.dataVersion,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    expires_at: expiry(job)?.toISOString() ?? null,
    error: jobError(job, baseUrl),
  }
}

function expiry({ finishedAt, sharedUntil }: Job): Date | null {
  if (finishedAt === null) return null
  return new Date(Math.max(finishedAt.getTime() + retentionMs, sharedUntil?.getTime() ?? 0))
}

function jobError(job: Job, baseUrl: string): Static<typeof ErrorBody>['error'] | null {
  const { errorCode: code, errorMessage, errorParam: param, requestId } = job
  if (code === null) return null
  const docUrl = `${baseUrl}/docs/errors#${code}`
  const { type } = errorStatus(code)
  return { type, code, message: errorMessage ?? '', param, request_id: requestId, doc_url: docUrl }
}
