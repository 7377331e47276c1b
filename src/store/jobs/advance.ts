import type { Job } from '../../model/job.ts'
import type { Sql } from '../database.ts'
import { jobColumns } from './jobRow.ts'
import { tellOfJob } from './news.ts'
import { addTasks, dropTasks, type NewTask } from './tasks.ts'

/** The job, now running, where it is unfinished and still in this round; else null. */
export async function beginRound(sql: Sql, jobId: string, round: number): Promise<Job | null> {
  return sql.begin(async transaction => {
    const [row] = await transaction<Job[]>`
      update backtest_job set state = 'running', started_at = coalesce(started_at, now())
      where job_id = ${jobId} and round = ${round} and finished_at is null
      returning ${jobColumns(transaction)}`
    if (row) await tellOfJob(transaction, jobId, row.state)
    return row ?? null
  })
}

/** The job where it is running and in this round; else null. */
export async function findRound(sql: Sql, jobId: string, round: number): Promise<Job | null> {
  const [row] = await sql<Job[]>`
    select ${jobColumns(sql)} from backtest_job
    where job_id = ${jobId} and round = ${round} and state = 'running'`
  return row ?? null
}

export interface RoundPlan {
  readonly trials: number
  readonly dataVersion: number | null
  readonly fingerprint: string
  readonly shares: readonly NewTask[]
}

/** Notes the plan of a round and puts its shares into the queue. Nothing where that was done before. */
export async function planRound(sql: Sql, jobId: string, round: number, plan: RoundPlan): Promise<void> {
  await sql.begin(async transaction => {
    const planned = await transaction`
      update backtest_job set trials_total = ${plan.trials}, shares_left = ${plan.shares.length},
        data_version = ${plan.dataVersion}, fingerprint = ${plan.fingerprint}
      where job_id = ${jobId} and round = ${round} and state = 'running' and shares_left is null`
    if (planned.count === 0) return
    await addTasks(transaction, jobId, plan.shares)
    await tellOfJob(transaction, jobId, 'running')
  })
}

/** Begins anew: what earlier rounds yielded is forgotten. */
export async function nextRound(sql: Sql, jobId: string, round: number, first: NewTask): Promise<void> {
  await sql.begin(async transaction => {
    const moved = await transaction`
      update backtest_job set round = round + 1, trials_done = 0, trials_total = null, shares_left = null
      where job_id = ${jobId} and round = ${round} and state = 'running'`
    if (moved.count === 0) return
    await transaction`delete from job_share where job_id = ${jobId}`
    await dropTasks(transaction, jobId)
    await addTasks(transaction, jobId, [first])
    await tellOfJob(transaction, jobId, 'running')
  })
}

export interface ShareYield {
  readonly place: number
  readonly configs: readonly number[]
  readonly series: Uint8Array
  readonly processId: string
}

/** Keeps what a share yielded, and with the last one puts `last` into the queue. Nothing where it is kept already. */
export async function keepShare(
  sql: Sql,
  jobId: string,
  round: number,
  share: ShareYield,
  last: NewTask,
): Promise<void> {
  await sql.begin(async transaction => {
    const [job] = await transaction`
      select from backtest_job where job_id = ${jobId} and round = ${round} and state = 'running' for update`
    if (!job) return
    const kept = await transaction`
      insert into job_share (job_id, round, place, configs, series, process_id)
      values (
        ${jobId}, ${round}, ${share.place}, ${[...share.configs]}::int[], ${share.series}, ${share.processId})
      on conflict do nothing`
    if (kept.count === 0) return
    const [{ left }] = await transaction<{ left: number }[]>`
      update backtest_job
      set trials_done = trials_done + ${share.configs.length}, shares_left = shares_left - 1
      where job_id = ${jobId} returning shares_left as left`
    if (left === 0) await addTasks(transaction, jobId, [last])
    await tellOfJob(transaction, jobId, 'running')
  })
}

export interface KeptShare {
  readonly configs: readonly number[]
  readonly series: Float64Array
}

/** What all shares of a round yielded, in order, each in shared memory. */
export async function readShares(sql: Sql, jobId: string, round: number): Promise<KeptShare[]> {
  const shares: KeptShare[] = []
  const rows = sql<{ configs: number[]; series: Buffer }[]>`
    select configs, series from job_share where job_id = ${jobId} and round = ${round} order by place`
  for await (const [{ configs, series }] of rows.cursor(1)) {
    const memory = new SharedArrayBuffer(series.length)
    new Uint8Array(memory).set(series)
    shares.push({ configs, series: new Float64Array(memory) })
  }
  return shares
}
