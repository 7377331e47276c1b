import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestDatabase, testDatabase } from '../database.ts'
import { sellKey } from '../http/callers.ts'

/** During a rolling upgrade, servers of the version before still use the table's old name. These are their statements. */
let database: TestDatabase
let keyId = 0
beforeAll(async () => {
  database = await testDatabase()
  const key = await sellKey(database.sql)
  const [row] = await database.sql`select key_id from api_key where prefix = ${key.slice(0, 17)}`
  keyId = row.key_id
}, 180_000)
afterAll(() => database.close(), 60_000)

const insert = async () => {
  const [row] = await database.sql`
    insert into backtest_job
      (job_id, kind, key_id, request_id, body_format, body_query, body_bytes, submitted_data_version, trials_total, trace)
    values (uuidv7(), 'backtest', ${keyId}, 'older', 'json', '{}', 1, 1, null, null)
    returning job_id as id, state, round, trials_done as done, trials_total as total, finished_at as "finishedAt"`
  return row
}

test('a job that an older server stores has the defaults of the table, and newer servers see it', async () => {
  const job = await insert()
  expect(job).toMatchObject({ state: 'queued', round: 0, done: 0, total: null, finishedAt: null })
  const [seen] = await database.sql`select state, kind, done, total from job where job_id = ${job.id}`
  expect({ ...seen }).toEqual({ state: 'queued', kind: 'backtest', done: 0, total: null })
})

test('an older server locks, counts, ends and deletes jobs under the old name', async () => {
  const { id } = await insert()
  await database.sql`insert into job_body (job_id, part, bytes) values (${id}, 0, '\\x00')`
  await database.sql.begin(async transaction => {
    await transaction`
      update backtest_job set state = 'running', started_at = coalesce(started_at, now())
      where job_id = ${id} and round = 0 and finished_at is null`
    const locked = await transaction`
      select from backtest_job where job_id = ${id} and round = 0 and state = 'running' for update`
    expect(locked).toHaveLength(1)
    await transaction`update backtest_job set trials_total = 9, shares_left = 3 where job_id = ${id}`
    const [{ left }] = await transaction`
      update backtest_job set trials_done = trials_done + 3, shares_left = shares_left - 1
      where job_id = ${id} returning shares_left as left`
    expect(left).toBe(2)
  })
  const [running] = await database.sql`select state, done, total from job where job_id = ${id}`
  expect({ ...running }).toEqual({ state: 'running', done: 3, total: 9 })
  const unnamed = database.sql`update backtest_job set state = 'failed', finished_at = now() where job_id = ${id}`
  await expect(unnamed).rejects.toThrow('violates check constraint')
  await database.sql`update backtest_job set state = 'cancelled', finished_at = now() - interval '8 days' where job_id = ${id}`
  await database.sql`delete from backtest_job where finished_at < now() - 7 * interval '1 day'`
  const [{ jobs, bodies }] = await database.sql`
    select (select count(*)::int from job where job_id = ${id}) as jobs,
      (select count(*)::int from job_body where job_id = ${id}) as bodies`
  expect([jobs, bodies]).toEqual([0, 0])
})
