import type { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import type { StorageWatch } from '../postgres/storage.ts'
import type { ProcessIdentity } from './maintainQueries.ts'
import type { OpenJobs } from './openJobs.ts'
import type { JobTask } from './tasks.ts'

/** A task of a job in the log. Only tasks in a trace get a line: all others can be found through their
 * job. */
export interface TaskLine {
  readonly jobId: string
  /** The id of the request that submitted the job. */
  readonly requestId: string
  readonly traceId: string
  readonly parentId: string
  readonly task: string
  readonly attempt: number
  readonly outcome: 'done' | 'failed'
  readonly ms: number
}

/** The dependencies that a process needs to run tasks. */
export interface JobDeps {
  readonly sql: Sql
  /** The tasks that this process performs; it leaves all others to other processes. */
  readonly tasks: readonly JobTask[]
  readonly openJobs: OpenJobs
  readonly processId: string
  /** null: its heartbeats contain no role, version, host or pid. */
  readonly identity?: ProcessIdentity | null
  /** Maps a driver's exception to the expected failure behind it; null: it is a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly storage: StorageWatch
  readonly report: (message: string, error: unknown) => void
  /** Logs a task that belongs to a trace. */
  readonly logTask?: (line: TaskLine) => void
}
