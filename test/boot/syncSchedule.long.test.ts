import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  childrenOf,
  readiness,
  repository,
  type ScheduleBench,
  scheduleBench,
  until,
} from './scheduleBench.ts'

setDefaultTimeout(240_000)

if (process.env.LONG === undefined) console.log('skipped: stops of scheduled runs run with LONG=1')

describe.skipIf(process.env.LONG === undefined)('a scheduled run (LONG=1)', () => {
  let bench: ScheduleBench
  beforeEach(async () => {
    bench = await scheduleBench()
  })
  afterEach(() => bench.close())

  test('a run ends with its server also after kill -9 of the server alone, and is taken over', async () => {
    bench.replay.failNext('companyfacts/CIK0001997711', 'hang')
    const first = await bench.startServer()
    await bench.timeComes('US')
    await until(async () => bench.requestsFor('companyfacts/CIK0001997711') === 1)
    const orphans = childrenOf(bench.folder)
    expect(orphans).toHaveLength(1)
    first.signal('SIGKILL')
    await until(async () => childrenOf(bench.folder).length === 0)
    expect((await bench.runs()).map(({ outcome }) => outcome)).toEqual(['stopped'])
    await bench.startServer()
    await bench.untilDone()
    expect(bench.requestsFor('companyfacts/CIK0000320193')).toBe(1)
  })

  test('SIGTERM ends a run where it loses nothing, and the next server continues it at once', async () => {
    bench.replay.failNext('submissions/CIK0001652044', 'hang')
    const first = await bench.startServer()
    await bench.timeComes('US')
    await until(async () => bench.requestsFor('submissions/CIK0001652044') === 1)
    first.signal('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(childrenOf(bench.folder)).toEqual([])
    expect((await bench.runs()).map(({ outcome }) => outcome)).toEqual(['stopped'])
    expect(await bench.due()).toEqual([
      { market: 'US', attempts: 0, waitS: expect.any(Number), isClaimed: false },
    ])
    await bench.startServer()
    await bench.untilDone()
    expect(bench.requestsFor('companyfacts/CIK0000320193')).toBe(1)
  })

  test('a run by hand and one of the schedule exclude each other, and the later one follows', async () => {
    await bench.startServer()
    bench.replay.failNext('companyfacts/CIK0001997711', 'hang')
    const settings = {
      ...process.env,
      ...bench.replay.settings,
      DATABASE_URL: bench.db.url,
      DATA_DIR: bench.folder,
    }
    const byHand = Bun.spawn(['bun', 'src/cli.ts', 'sync', 'us'], {
      cwd: repository,
      env: settings,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until(async () => bench.requestsFor('companyfacts/CIK0001997711') === 1)
    await bench.timeComes('US')
    await until(async () => (await bench.due()).some(({ waitS, isClaimed }) => waitS > 0 && !isClaimed))
    expect(await bench.runs()).toHaveLength(1)
    byHand.kill('SIGTERM')
    await byHand.exited
    expect((await bench.runs()).map(({ outcome }) => outcome)).toEqual(['stopped'])
    await bench.db.sql`update sync_due set try_at = now()`
    await bench.untilDone()
    expect(await bench.runs()).toHaveLength(2)
  })

  test('a worker runs what is due where servers have no schedule', async () => {
    const server = await bench.startServer({ SYNC_SCHEDULE: '', JOB_CONCURRENCY: '0' })
    const settings = { DATABASE_URL: bench.db.url, DATA_DIR: bench.folder, LOG_LEVEL: 'silent' }
    const worker = Bun.spawn(['bun', 'src/cli.ts', 'worker'], {
      cwd: repository,
      stdout: 'ignore',
      stderr: 'ignore',
      env: { ...process.env, ...bench.replay.settings, ...settings, SYNC_SCHEDULE: 'us=0 0 29 2 *' },
    })
    await bench.timeComes('US')
    await bench.untilDone()
    const [{ syncs }] = await readiness(server)
    expect(syncs).toMatchObject([{ market: 'US', schedule: null, age_hours: 0 }])
    worker.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
  })

  test('at each time of the schedule one of two servers fetches, once', async () => {
    const settings = { SYNC_SCHEDULE: 'us=* * * * *' }
    await Promise.all([bench.startServer(settings), bench.startServer(settings)])
    const starts = () => bench.db.sql<{ minute: string; runs: number }[]>`
      select date_trunc('minute', started_at)::text as minute, count(*)::int as runs from sync_run group by 1 order by 1`
    for (let tries = 0; (await starts()).length < 2; tries++) {
      if (tries > 400) throw new Error('The times of the schedule did not come.')
      await Bun.sleep(500)
    }
    await Bun.sleep(10_000)
    expect((await starts()).map(({ runs }) => runs)).toEqual([1, 1])
    expect((await bench.runs()).map(({ outcome }) => outcome)).toEqual(['done', 'done'])
    expect(bench.requestsFor('companyfacts/CIK0000320193')).toBe(1)
  })
})
