import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { backtestKind, shardTask } from '../../src/features/backtests/submitted/kind.ts'
import { migrateQueue } from '../../src/jobs/queue.ts'
import { addTasks } from '../../src/jobs/taskQueries.ts'
import { startTask } from '../../src/jobs/tasks.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { sellKey } from '../http/callers.ts'

let database: TestDatabase
const keyIds: Record<string, number> = {}
beforeAll(async () => {
  database = await testDatabase()
  await migrateQueue(database.url)
  for (const name of ['a', 'b', 'c', 'free']) {
    const key = await sellKey(database.sql)
    const [row] = await database.sql`select key_id from api_key where prefix = ${key.slice(0, 17)}`
    keyIds[name] = row.key_id
  }
}, 180_000)
beforeEach(async () => {
  await database.sql`select asfiled_queue.complete_jobs(array(select id from asfiled_queue.jobs))`
  await database.sql`delete from job`
})
afterAll(() => database.close(), 60_000)

async function newJob(key: string): Promise<string> {
  const [{ id }] = await database.sql<{ id: string }[]>`
    insert into job (job_id, key_id, request_id, body_format, body_query, body_bytes, submitted_data_version)
    values (uuidv7(), ${keyIds[key]}, ${key}, 'json', '{}', 1, 1) returning job_id as id`
  return id
}

async function submit(key: string, isUnpaid = false): Promise<void> {
  const jobId = await newJob(key)
  const task = startTask(backtestKind, jobId, 0)
  await addTasks(database.sql, jobId, [isUnpaid ? { ...task, turn: 'unpaid' } : task])
}

async function submitSweep(key: string, shards: number): Promise<void> {
  const jobId = await newJob(key)
  const tasks = Array.from({ length: shards }, (_, place) =>
    shardTask({ jobId, round: 0, place, slices: [] }),
  )
  await addTasks(database.sql, jobId, tasks)
}

/** The keys of the tasks in the order in which the queue hands them out. */
async function order(): Promise<string> {
  const rows = await database.sql<{ key: string }[]>`
    select b.request_id as key from asfiled_queue.jobs j
    join job b on b.job_id::text = split_part(j.key, '/', 1)
    order by j.priority, j.run_at, j.id`
  return rows.map(({ key }) => key).join(' ')
}

/** Performs the next tasks. */
async function perform(count: number): Promise<void> {
  await database.sql`
    select asfiled_queue.complete_jobs(array(select id from asfiled_queue.jobs order by priority, run_at, id limit ${count}))`
}

test('keys alternate, however many jobs one of them has submitted before', async () => {
  for (let i = 0; i < 6; i++) await submit('a')
  await submit('b')
  await submit('b')
  await submit('c')
  expect(await order()).toBe('a b c a b a a a a')
})

test('so do the shards of their sweeps: many sweeps of one key count as one', async () => {
  for (let i = 0; i < 3; i++) await submitSweep('a', 3)
  await submitSweep('b', 4)
  expect(await order()).toBe('a b a b a b a b a a a a a')
})

test('a sweep that began before is not overtaken forever by jobs that come later', async () => {
  await submitSweep('a', 20)
  for (let i = 0; i < 10; i++) {
    await submit('b')
    await perform(2)
  }
  // 20 tasks have run: half for the sweep, half for the jobs that came later.
  expect(await order()).toBe(Array(10).fill('a').join(' '))
})

test('a job of one configuration passes the sweeps of all keys, its own included', async () => {
  await submitSweep('a', 5)
  await submitSweep('b', 5)
  await perform(4)
  await submit('a')
  expect(await order()).toBe('a b a a b a b')
})

test('joins of free keys wait behind one another, run one at a time, and are not starved', async () => {
  for (let i = 0; i < 5; i++) await submit('free', true)
  await submit('a')
  await submit('b')
  expect(await order()).toBe('free a b free free free free')
  const [{ queues }] =
    await database.sql`select count(distinct queue_name)::int as queues from asfiled_queue.jobs where queue_name is not null`
  expect(queues).toBe(1)
  for (let i = 0; i < 4; i++) {
    await submit('a')
    await perform(2)
  }
  expect((await order()).split(' ').filter(key => key === 'free').length).toBeLessThan(4)
})
