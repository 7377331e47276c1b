import type { SqlClient } from '../../postgres/client.ts'

/** A backup or a manual import that has ended. */
export interface OperatorRun {
  readonly kind: 'backup' | 'import'
  /** The file of a backup or the market of an import. */
  readonly subject: string
  readonly seconds: number
  readonly outcome: 'done' | 'incomplete' | 'failed' | 'stopped'
  readonly reason: string | null
  readonly bytes: number | null
}

const maxRuns = 1_000

/** Records the end of a run. Deletes the oldest runs beyond a bound, but never the last backup. */
export async function recordRun(sql: SqlClient, run: OperatorRun): Promise<void> {
  const { kind, subject, seconds, outcome, reason, bytes } = run
  await sql`
    insert into operator_run (kind, subject, started_at, outcome, reason, bytes)
    values (${kind}, ${subject}, now() - ${seconds} * interval '1 second', ${outcome}, ${reason}, ${bytes})`
  await sql`
    delete from operator_run where run_id in (
      select run_id from operator_run order by run_id desc offset ${maxRuns})
      and run_id <> (select coalesce(max(run_id), 0) from operator_run where kind = 'backup' and outcome = 'done')`
}
