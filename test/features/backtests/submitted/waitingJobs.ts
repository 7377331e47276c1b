import type { Sql } from '../../../../src/postgres/client.ts'

/** Jobs of a key that no process runs. Their tasks come with them, and are for later: a job that is seen without any is given up. */
export async function insertWaitingJobs(sql: Sql, key: string, count: number): Promise<string[]> {
  return sql.begin(async transaction => {
    const rows = await transaction<{ id: string }[]>`
      insert into job (job_id, key_id, request_id, body_format, body_query, body_bytes, submitted_data_version)
      select uuidv7(), (select key_id from api_key where prefix = ${key.slice(0, 17)}), 'x', 'json', '{}', 1, 1
      from generate_series(1, ${count})
      returning job_id as id`
    for (const { id } of rows)
      await transaction`
        select asfiled_queue.add_job(
          'later', '{}'::json, job_key := ${`${id}/later`}, run_at := now() + interval '1 hour')`
    return rows.map(({ id }) => id)
  })
}
