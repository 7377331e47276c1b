import type { SqlClient } from '../postgres/client.ts'
import { maxAttempts } from './queue.ts'

export interface NewTask {
  readonly kind: string
  readonly payload: object
  /** Identifies the task within its job: what it does, and its round. */
  readonly name: string
  readonly turn: Turn
}

/** When a task runs relative to the other waiting tasks. The queue takes the lowest number first, and a task
 * keeps the number that it was added with. The front is the lowest number that is waiting. It only grows
 * while tasks wait, so no task is overtaken forever.
 *
 * `finish`: before all others; each sweep has only one. `start`: at the front, but behind tasks of the same
 * key that are waiting to start. `shard`: at the front, or behind the last shard of the same key. Two keys
 * therefore alternate task by task, however many jobs each of them has, and a job of one configuration waits
 * for at most one task of each key. `unpaid`: at the front but behind all other unpaid tasks, and only one
 * runs at a time across all servers, so unpaid tasks never occupy a server completely. */
export type Turn = 'finish' | 'start' | 'shard' | 'unpaid'

const finishPriority = 1
const firstPriority = 10
/** The package stores a smallint. If the queue never empties for this many tasks, later tasks run in the
 * order in which they were added. */
const lastPriority = 30_000
const unpaidQueue = 'unpaid'
/** What the queue calls a shard. Do not rename it: other versions of this program read it. */
export const shardTaskName = 'share'

/** Adds tasks of a job to the queue, all with the same turn. Called in the transaction that makes them
 * necessary, so that neither commits without the other. */
export async function addTasks(client: SqlClient, jobId: string, tasks: readonly NewTask[]): Promise<void> {
  await client`
    with waiting as materialized (
      select priority, queue_name, split_part(key, '/', 1) as job, split_part(key, '/', 2) as what
      from asfiled_queue.jobs
      where locked_at is null and run_at <= now() and priority between ${firstPriority} and ${lastPriority}
    ), own as (
      select * from waiting where job in (
        select job_id::text from job
        where finished_at is null and key_id = (select key_id from job where job_id = ${jobId}))
    ), front as (
      select coalesce(min(priority), ${firstPriority}) as front,
        count(*) filter (where queue_name = ${unpaidQueue}) as unpaid,
        (select count(*) from own where what = 'start' and queue_name is null) as starts,
        (select max(priority) + 1 from own where what = ${shardTaskName}) as behind_shards
      from waiting
    )
    select asfiled_queue.add_job(
      t.kind, t.payload::json, job_key := ${jobId} || '/' || t.name, max_attempts := ${maxAttempts},
      queue_name := case t.turn when 'unpaid' then ${unpaidQueue} end,
      priority := case t.turn when 'finish' then ${finishPriority} else least(${lastPriority}, case t.turn
        when 'start' then front + starts
        when 'unpaid' then front + unpaid
        else greatest(front, behind_shards) + t.place - 1
      end)::int end)
    from front, unnest(
      ${tasks.map(task => task.kind)}::text[], ${tasks.map(task => JSON.stringify(task.payload))}::text[],
      ${tasks.map(task => task.name)}::text[], ${tasks.map(task => task.turn)}::text[]
    ) with ordinality t (kind, payload, name, turn, place)`
}

/** Removes the tasks of a job from the queue, except those in progress. */
export async function removeTasks(client: SqlClient, jobId: string): Promise<void> {
  await client`
    select asfiled_queue.complete_jobs(array(
      select id from asfiled_queue.jobs where starts_with(key, ${`${jobId}/`}) and locked_at is null))`
}
