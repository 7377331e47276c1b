import { answerOnce } from '../domain/jobs/answerOnce.ts'
import { cancelJob } from '../domain/jobs/cancelJob.ts'
import { JobNews } from '../domain/jobs/JobNews.ts'
import { pageJobs } from '../domain/jobs/pageJobs.ts'
import { readJob } from '../domain/jobs/readJob.ts'
import { requestDigest } from '../domain/jobs/requestDigest.ts'
import { submitJob } from '../domain/jobs/submitJob.ts'
import type { JobServices } from '../http/jobServices.ts'
import type { Sql } from '../store/database.ts'
import { readResult } from '../store/jobs/jobRow.ts'

/** The jobs as the routes reach them, and who this process is among those that run them. */
export function makeJobs(sql: Sql, dataVersion: () => number) {
  const processId = crypto.randomUUID()
  const news = new JobNews()
  const submitting = { sql, processId, newId: () => Bun.randomUUIDv7(), dataVersion }
  const services: JobServices = {
    submit: ({ keyId, requestId, body: { bytes, format, query }, idempotencyKey }) =>
      submitJob(submitting, { keyId, requestId, body: bytes, format, query, idempotencyKey }),
    answerOnce: async ({ keyId, idempotencyKey: name, body: { bytes, format, query }, beside }, work) => {
      const digest = await requestDigest([beside, format, query], bytes)
      return answerOnce(sql, { keyId, name, digest, processId }, work)
    },
    read: (keyId, jobId) => readJob(sql, keyId, jobId),
    result: jobId => readResult(sql, jobId),
    cancel: (keyId, jobId) => cancelJob(sql, keyId, jobId),
    page: (keyId, query) => pageJobs(sql, keyId, query),
    watch: (jobId, told) => news.watch(jobId, told),
  }
  return { services, processId, news }
}
