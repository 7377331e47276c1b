import { type BacktestJobSummary, type Job, jobKeptDays } from '../model/job.ts'
import { errorStatus } from './errorStatus.ts'

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
