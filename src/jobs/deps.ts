import type { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import type { StorageWatch } from '../postgres/storage.ts'
import type { ProcessIdentity } from './maintainQueries.ts'
import type { OpenJobs } from './openJobs.ts'
import type { JobTask } from './tasks.ts'

/** A task of a job in the log. Only tasks of traces have a line: all others are known from their job. */
export interface TaskLine {
  readonly jobId: string
  /** Of the request that submitted the job. */
  readonly requestId: string
  readonly traceId: string
  readonly parentId: string
  readonly task: string
  readonly attempt: number
  readonly outcome: 'done' | 'failed'
  readonly ms: number
}

/** What a process runs tasks with. */
export interface JobDeps {
  readonly sql: Sql
  /** Those that this process performs; it leaves all others to other processes. */
  readonly tasks: readonly JobTask[]
  readonly openJobs: OpenJobs
  readonly processId: string
  /** null: it says nothing of itself. */
  readonly identity?: ProcessIdentity | null
  /** The foreseen failure behind what a driver threw; null: a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly storage: StorageWatch
  readonly report: (message: string, error: unknown) => void
  /** Logs a task that belongs to a trace. */
  readonly logTask?: (line: TaskLine) => void
}
