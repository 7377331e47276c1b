import type { Sql, Statements } from '../database.ts'

export interface NewTask {
  readonly kind: string
  readonly payload: object
  /** Names the task among those of its job. */
  readonly name: string
  /** The least is run first. */
  readonly priority: number
}

/** A task that the queue hands out. */
export interface QueueTask {
  readonly kind: string
  readonly payload: unknown
  /** Times it has been begun, this one included. */
  readonly attempt: number
  readonly mostAttempts: number
}

/** Begun more often than this, a task is given up: it may be what kills the processes that run it. */
const mostAttempts = 4

/** Puts tasks of a job into the queue, in the transaction of what makes them needed. */
export async function addTasks(
  statements: Statements,
  jobId: string,
  tasks: readonly NewTask[],
): Promise<void> {
  await statements`
    select asfiled_queue.add_job(
      t.kind, t.payload::json, job_key := ${jobId} || '/' || t.name, max_attempts := ${mostAttempts}, priority := t.priority)
    from unnest(
      ${tasks.map(task => task.kind)}::text[], ${tasks.map(task => JSON.stringify(task.payload))}::text[],
      ${tasks.map(task => task.name)}::text[], ${tasks.map(task => task.priority)}::int[]
    ) t (kind, payload, name, priority)`
}

/** Takes a job's tasks out of the queue, but for those under way. */
export async function dropTasks(statements: Statements, jobId: string): Promise<void> {
  await statements`
    select asfiled_queue.complete_jobs(array(
      select id from asfiled_queue.jobs where starts_with(key, ${`${jobId}/`}) and locked_at is null))`
}

/** Jobs that nobody will ever go on with: a task of theirs was begun too often, or they have none. */
export async function findAbandonedJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ jobId: string }[]>`
    select j.job_id as "jobId" from backtest_job j
    where j.finished_at is null and (
      not exists (select from asfiled_queue.jobs q where starts_with(q.key, j.job_id || '/'))
      or exists (
        select from asfiled_queue.jobs q
        where starts_with(q.key, j.job_id || '/') and q.locked_at is null and q.attempts >= q.max_attempts))`
  return rows.map(row => row.jobId)
}
