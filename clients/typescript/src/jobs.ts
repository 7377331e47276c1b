import { AsfiledError, statedError } from './errors.ts'
import type { components } from './openapi.ts'
import { sleep } from './retries.ts'

type Schemas = components['schemas']

/** What a path answers when its work is submitted as a job, and what the work results in. */
interface Kinds {
  '/api/v1/backtest': { job: Schemas['BacktestJob']; result: Schemas['BacktestResult'] }
  '/api/v1/as-of': { job: Schemas['AsOfJoinJob']; result: Schemas['AsOfJoin'] }
  '/api/v1/audits': { job: Schemas['AuditJob']; result: Schemas['Audit'] }
}
export type JobPath = keyof Kinds
export type JobSummary<Path extends JobPath> = Kinds[Path]['job']

export interface WaitOptions<Path extends JobPath> {
  /** Ends the waiting. The job goes on: `cancel()` ends that. */
  readonly signal?: AbortSignal
  /** Called with the state of the job after each poll. */
  readonly onProgress?: (summary: JobSummary<Path>) => void
}

/** Work that the server does without a connection. */
export interface Job<Path extends JobPath> {
  readonly id: string
  /** The state when it was last read. */
  readonly summary: JobSummary<Path>
  /** Waits for the end and returns the result. Throws if the job failed or was cancelled. */
  wait(options?: WaitOptions<Path>): Promise<Kinds[Path]['result']>
  cancel(): Promise<void>
}

type Call = (method: 'GET' | 'DELETE') => (path: string, sent?: { signal: AbortSignal }) => Promise<unknown>

const firstPollMs = 200
const longestPollMs = 2_000

export function jobOf<Path extends JobPath>(call: Call, submitted: JobSummary<Path>): Job<Path> {
  let summary = submitted
  async function wait({ signal = new AbortController().signal, onProgress }: WaitOptions<Path> = {}) {
    for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, pollMs * 1.3)) {
      summary = (await call('GET')(summary.url, { signal })) as JobSummary<Path>
      onProgress?.(summary)
      if (summary.finished_at !== null) break
      await sleep(pollMs, signal)
    }
    if (summary.error !== null) throw statedError(summary.error, null)
    if (summary.state !== 'succeeded')
      throw new AsfiledError('job_cancelled', `The job ${summary.id} was cancelled.`)
    const result =
      'result' in summary ? summary.result : await call('GET')(summary.result_url ?? '', { signal })
    return result as Kinds[Path]['result']
  }
  async function cancel() {
    summary = (await call('DELETE')(summary.url)) as JobSummary<Path>
  }
  const { id } = submitted
  return {
    id,
    wait,
    cancel,
    get summary() {
      return summary
    },
  }
}
