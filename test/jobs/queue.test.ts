import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
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
    await untilNoneIsOpen(open)
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
    await untilNoneIsOpen(open)
    await database.close()
  }
}, 180_000)

/** PostgreSQL lists a process until it has ended, which is a moment after its connection was closed. */
async function untilNoneIsOpen(open: () => Promise<number>): Promise<void> {
  for (let attempt = 0; attempt < 100 && (await open()) > 0; attempt++) await Bun.sleep(20)
  expect(await open()).toBe(0)
}

// For two seconds a sleep without anyone waiting for it kept every command alive.
test('a process that migrates the queue ends as soon as it has nothing left to do', async () => {
  const database = await blankDatabase()
  const script = `
    import { migrateQueue } from './src/jobs/queue.ts'
    await migrateQueue(process.env.URL)
    const done = performance.now()
    process.on('exit', () => console.log(Math.round(performance.now() - done)))`
  const child = Bun.spawn(['bun', '-e', script], {
    cwd: resolve(import.meta.dir, '../..'),
    env: { ...process.env, URL: database.url },
    stdout: 'pipe',
  })
  const waitedMs = (await new Response(child.stdout).text()).trim()
  expect(waitedMs).toMatch(/^\d+$/)
  expect(Number(waitedMs)).toBeLessThan(1_900)
  await database.close()
}, 180_000)
