import type { Sql, Statements } from '../database.ts'

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
