import type { Failure } from '../../errors.ts'
import type { Sql } from '../../store/database.ts'
import type { BacktestDeps } from '../backtests/prepareBacktest.ts'
import type { OpenJobs } from './OpenJobs.ts'

/** What the tasks of jobs work with. */
export interface JobWork {
  readonly sql: Sql
  readonly backtests: BacktestDeps
  readonly open: OpenJobs
  readonly processId: string
  /** The foreseen failure behind what a driver threw; null: a defect. */
  readonly explain: (error: unknown) => Failure | null
  readonly report: (message: string, error: unknown) => void
}
