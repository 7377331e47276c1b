import { expect, test } from 'bun:test'
import { migrateQueue, openQueue } from '../../src/jobs/queue.ts'
import { blankDatabase } from '../database.ts'

test('connections of the queue are closed when it is, so that a server which cuts the rest ends no process', async () => {
  for (let round = 0; round < 4; round++) {
    const database = await blankDatabase()
    const open = async () => {
      const rows = await database.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      return rows.length
    }
    await migrateQueue(database.url)
    expect(await open()).toBe(0)
    const queue = await openQueue({
      url: database.url,
      concurrency: 3,
      kinds: ['none'],
      perform: () => Promise.resolve(),
      onLock: () => {},
      report: () => {},
    })
    expect(await open()).toBeGreaterThan(0)
    await queue.close()
    expect(await open()).toBe(0)
    await database.close()
  }
}, 180_000)
