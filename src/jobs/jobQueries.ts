import type { Sql, SqlClient } from '../postgres/client.ts'
import type { Job } from './job.ts'
import type { JobKind } from './kind.ts'
import { addTasks, type NewTask, removeTasks } from './taskQueries.ts'

export const jobColumns = (sql: SqlClient) => sql`
  job_id as id, kind, key_id as "keyId", state, request_id as "requestId", body_format as "bodyFormat",
  body_query as "bodyQuery", body_bytes::float8 as "bodyBytes", submitted_data_version::float8 as "submittedDataVersion",
  data_version::float8 as "dataVersion", fingerprint, round, done, total,
  error_code as "errorCode", error_message as "errorMessage", error_param as "errorParam",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt",
  (select max(s.expires_at) from shared_report s where s.job_id = job.job_id) as "sharedUntil"`

/** A job of this kind. Jobs of other kinds are not found. */
export async function findJob(sql: Sql, jobId: string, { name }: JobKind): Promise<Job | null> {
  const [row] = await sql<Job[]>`
    select ${jobColumns(sql)} from job where job_id = ${jobId} and kind = ${name}`
  return row ?? null
}

export interface JobOrigin {
  readonly requestId: string
  /** The trace in the format of `storedTrace`; null: the request came without one. */
  readonly trace: string | null
}

/** The request that submitted a job; null: there is no such job. */
export async function readOrigin(sql: Sql, jobId: string): Promise<JobOrigin | null> {
  const [row] = await sql<JobOrigin[]>`
    select request_id as "requestId", trace from job where job_id = ${jobId}`
  return row ?? null
}

/** The jobs of a key that follow `after`, newest first. */
export async function listJobs(
  sql: Sql,
  { name }: JobKind,
  keyId: number,
  limit: number,
  after: string | null,
): Promise<Job[]> {
  const rows = await sql<Job[]>`
    select ${jobColumns(sql)} from job
    where key_id = ${keyId} and kind = ${name} ${after === null ? sql`` : sql`and job_id < ${after}`}
    order by job_id desc limit ${limit}`
  return [...rows]
}

/** The text of a job's stored result; null if it has none. */
export async function readStored(sql: Sql, jobId: string): Promise<string | null> {
  const [row] = await sql<{ bytes: Buffer }[]>`select bytes from job_result where job_id = ${jobId}`
  return row ? new TextDecoder().decode(await Bun.zstdDecompress(row.bytes)) : null
}

/** Sets a job to running if it is unfinished and still in this round; null otherwise. */
export async function startRound(sql: Sql, jobId: string, round: number): Promise<Job | null> {
  return sql.begin(async transaction => {
    const [row] = await transaction<Job[]>`
      update job set state = 'running', started_at = coalesce(started_at, now())
      where job_id = ${jobId} and round = ${round} and finished_at is null
      returning ${jobColumns(transaction)}`
    if (row) await notifyJobChange(transaction, jobId, row.state)
    return row ?? null
  })
}

/** A job that is running and in this round; null otherwise. */
export async function findRunningJob(sql: Sql, jobId: string, round: number): Promise<Job | null> {
  const [row] = await sql<Job[]>`
    select ${jobColumns(sql)} from job
    where job_id = ${jobId} and round = ${round} and state = 'running'`
  return row ?? null
}

/** Restarts a job in the next round and deletes what its shards have stored. Does nothing if the round is
 * already over. */
export async function restartJob(sql: Sql, jobId: string, round: number, first: NewTask): Promise<void> {
  await sql.begin(async transaction => {
    const moved = await transaction`
      update job set round = round + 1, done = 0, total = null, shares_left = null
      where job_id = ${jobId} and round = ${round} and state = 'running'`
    if (moved.count === 0) return
    await transaction`delete from job_share where job_id = ${jobId}`
    await removeTasks(transaction, jobId)
    await addTasks(transaction, jobId, [first])
    await notifyJobChange(transaction, jobId, 'running')
  })
}

export async function findUnfinished(sql: Sql, jobIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select job_id as id from job where job_id = any(${[...jobIds]}::uuid[]) and finished_at is null`
  return new Set(rows.map(row => row.id))
}

const channel = 'asfiled_job'

/** Notifies every process that a job's state or progress changed. The notification is sent when the
 * transaction commits. */
export async function notifyJobChange(client: SqlClient, jobId: string, state: string): Promise<void> {
  await client`select pg_notify(${channel}, ${`${jobId} ${state}`})`
}

/** Calls `onChange` for each job that changes, in any process, and `onLost` when notifications may have been
 * lost. Returns a function that ends the watch. */
export async function watchJobs(
  sql: Sql,
  onChange: (jobId: string, state: string) => void,
  onLost: () => void,
): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen(
    channel,
    payload => {
      const [jobId = '', state = ''] = payload.split(' ')
      onChange(jobId, state)
    },
    onLost,
  )
  return unlisten
}
