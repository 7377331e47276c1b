import { notifyJobChange } from '../../../jobs/jobQueries.ts'
import { addTasks, type NewTask } from '../../../jobs/taskQueries.ts'
import type { Sql } from '../../../postgres/client.ts'

interface RoundPlan {
  readonly trials: number
  readonly dataVersion: number | null
  readonly fingerprint: string
  readonly shards: readonly NewTask[]
}

/** Stores the plan of a round and adds its shards to the queue. Does nothing if the round is already planned. */
export async function storePlan(sql: Sql, jobId: string, round: number, plan: RoundPlan): Promise<void> {
  await sql.begin(async transaction => {
    const planned = await transaction`
      update job set total = ${plan.trials}, shares_left = ${plan.shards.length},
        data_version = ${plan.dataVersion}, fingerprint = ${plan.fingerprint}
      where job_id = ${jobId} and round = ${round} and state = 'running' and shares_left is null`
    if (planned.count === 0) return
    await addTasks(transaction, jobId, plan.shards)
    await notifyJobChange(transaction, jobId, 'running')
  })
}

interface FinishedShard {
  readonly place: number
  readonly configs: readonly number[]
  readonly series: Uint8Array
  readonly processId: string
}

/** Stores the series of a shard, and with the last shard adds `last` to the queue. Does nothing if the shard is already
 * stored: a task that runs twice leaves what one run leaves. */
export async function storeShard(
  sql: Sql,
  jobId: string,
  round: number,
  shard: FinishedShard,
  last: NewTask,
): Promise<void> {
  await sql.begin(async transaction => {
    const [job] = await transaction`
      select from job where job_id = ${jobId} and round = ${round} and state = 'running' for update`
    if (!job) return
    const stored = await transaction`
      insert into job_share (job_id, round, place, configs, series, process_id)
      values (
        ${jobId}, ${round}, ${shard.place}, ${[...shard.configs]}::int[], ${shard.series}, ${shard.processId})
      on conflict do nothing`
    if (stored.count === 0) return
    const [{ left }] = await transaction<{ left: number }[]>`
      update job
      set done = done + ${shard.configs.length}, shares_left = shares_left - 1
      where job_id = ${jobId} returning shares_left as left`
    if (left === 0) await addTasks(transaction, jobId, [last])
    await notifyJobChange(transaction, jobId, 'running')
  })
}

interface StoredShard {
  readonly configs: readonly number[]
  /** In shared memory. */
  readonly series: Float64Array
}

/** The shards of a round, in the order of the plan. */
export async function readShards(sql: Sql, jobId: string, round: number): Promise<StoredShard[]> {
  const shards: StoredShard[] = []
  const rows = sql<{ configs: number[]; series: Buffer }[]>`
    select configs, series from job_share where job_id = ${jobId} and round = ${round} order by place`
  for await (const [{ configs, series }] of rows.cursor(1)) {
    const memory = new SharedArrayBuffer(series.length)
    new Uint8Array(memory).set(series)
    shards.push({ configs, series: new Float64Array(memory) })
  }
  return shards
}
