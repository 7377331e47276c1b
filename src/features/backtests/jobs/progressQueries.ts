import type { Sql, Statements } from '../../../postgres/client.ts'
import { addTasks, dropTasks, type NewTask } from './queue.ts'
import { jobColumns } from './rowQueries.ts'
import type { Job } from './schema.ts'

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

export interface JobError {
  readonly code: string
  readonly message: string
  readonly param: string | null
}

export type JobEnd =
  | { readonly state: 'succeeded'; readonly result: Uint8Array; readonly dataVersion: number | null }
  | { readonly state: 'failed'; readonly error: JobError }
  | { readonly state: 'cancelled' }

/** Ends a job that is unfinished, once and for all: its body and what its shares yielded go, its result stays.
 *
 * @param keyId where it must be that key's
 * @returns whether this was what ended it */
export async function endJob(
  sql: Sql,
  jobId: string,
  end: JobEnd,
  keyId: number | null = null,
): Promise<boolean> {
  const result = end.state === 'succeeded' ? await Bun.zstdCompress(end.result) : null
  const error = end.state === 'failed' ? end.error : null
  return sql.begin(async transaction => {
    const ended = await transaction`
      update backtest_job set state = ${end.state}, finished_at = now(),
        error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null}, error_param = ${error?.param ?? null}
        ${
          end.state === 'succeeded'
            ? transaction`,
        trials_total = coalesce(trials_total, 1), trials_done = coalesce(trials_total, 1),
        data_version = ${end.dataVersion}, started_at = coalesce(started_at, now())`
            : transaction``
        }
      where job_id = ${jobId} and finished_at is null
        ${keyId === null ? transaction`` : transaction`and key_id = ${keyId}`}`
    if (ended.count === 0) return false
    if (result !== null)
      await transaction`insert into job_result (job_id, bytes) values (${jobId}, ${result})`
    await transaction`delete from job_body where job_id = ${jobId}`
    await transaction`delete from job_share where job_id = ${jobId}`
    await dropTasks(transaction, jobId)
    await tellOfJob(transaction, jobId, end.state)
    return true
  })
}

/** Which of these jobs are unfinished. */
export async function unfinishedOf(sql: Sql, jobIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select job_id as id from backtest_job where job_id = any(${[...jobIds]}::uuid[]) and finished_at is null`
  return new Set(rows.map(row => row.id))
}

const channel = 'asfiled_job'

/** Told to every process when the transaction is over: `state` of a job changed, or how far it is. */
export async function tellOfJob(statements: Statements, jobId: string, state: string): Promise<void> {
  await statements`select pg_notify(${channel}, ${`${jobId} ${state}`})`
}

/** Calls `heard` with each job that changes anywhere, and `lost` when news may have been missed. Returns what ends it. */
export async function watchJobs(
  sql: Sql,
  heard: (jobId: string, state: string) => void,
  lost: () => void,
): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen(
    channel,
    payload => {
      const [jobId = '', state = ''] = payload.split(' ')
      heard(jobId, state)
    },
    lost,
  )
  return unlisten
}
