import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { allSecrets } from '../ingest/network/replay.ts'
import { storedFacts } from '../ingest/stored.ts'
import { nonEmpty } from '../nonEmpty.ts'
import {
  childrenOf,
  readiness,
  repository,
  type ScheduleBench,
  scheduleBench,
  until,
} from './scheduleBench.ts'

setDefaultTimeout(180_000)

let bench: ScheduleBench
beforeEach(async () => {
  bench = await scheduleBench()
})
afterEach(() => bench.close())

test('two servers on one database fetch once when the time comes, and both say how current the market is', async () => {
  const servers = await Promise.all([bench.startServer(), bench.startServer()])
  const empty = { running: false, last_success: null, age_hours: null, last_failure: null }
  expect((await servers[0].get('/ready')).status).toBe(200)
  await bench.timeComes('US')
  await bench.untilDone()
  await until(async () => (await bench.due()).length === 0)
  const done = await bench.runs()
  expect(done.map(({ market, outcome }) => [market, outcome])).toEqual([['US', 'done']])
  expect(done[0]?.facts).toBeGreaterThan(20)
  expect(bench.requestsFor('companyfacts/CIK0000320193')).toBe(1)
  const second = { market: 'BE', schedule: '0 0 29 2 *', ...empty }
  const ready = await readiness(...servers)
  for (const [place, server] of nonEmpty(servers.entries())) {
    const { syncs } = ready[place]
    const [us, ...others] = syncs.toSorted((a: { market: string }, b: { market: string }) =>
      a.market < b.market ? 1 : -1,
    )
    expect(others).toEqual([second])
    expect(us).toEqual({
      market: 'US',
      schedule: '0 0 29 2 *',
      running: false,
      age_hours: 0,
      last_failure: null,
      last_success: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    const { markets } = await (await server.get('/api/v1/fundamentals')).json()
    expect(markets.find((market: { code: string }) => market.code === 'US').sync).toEqual(us)
    expect(markets.find((market: { code: string }) => market.code === 'JP').sync).toBeNull()
  }
})

test('kill -9 of a server and its run in the middle: another server ends what it began', async () => {
  bench.replay.failNext('companyfacts/CIK0001997711', 'hang')
  const first = await bench.startServer()
  await bench.timeComes('US')
  await until(async () => bench.requestsFor('companyfacts/CIK0001997711') === 1)
  const second = await bench.startServer()
  first.signal('SIGKILL')
  for (const pid of childrenOf(bench.folder)) process.kill(pid, 'SIGKILL')
  await bench.untilDone()
  expect((await bench.runs()).map(({ outcome }) => outcome)).toEqual(['killed', 'done'])
  // Only the request under way was repeated.
  expect(bench.requestsFor('companyfacts/CIK0000320193')).toBe(1)
  expect(bench.requestsFor('companyfacts/CIK0001997711')).toBe(2)
  expect((await storedFacts(bench.db.sql)).length).toBeGreaterThan(20)
  const [{ syncs }] = await readiness(second)
  const us = syncs.find((sync: { market: string }) => sync.market === 'US')
  expect(us.last_failure.reason).toContain('The run ended without a word')
  expect(us.age_hours).toBe(0)
})

test('a register that fails is reported in words without a secret, and tried again later', async () => {
  const server = await bench.startServer({ NBB_KEY: '' })
  expect(server.said()).toContain('SYNC_SCHEDULE fetches BE, but NBB_KEY is not set')
  await bench.timeComes('BE')
  bench.replay.replace('company_tickers', { status: 403, body: 'refused: secret-5120' })
  await bench.timeComes('US')
  await until(async () => (await bench.runs()).filter(({ outcome }) => outcome !== null).length === 2)
  await until(async () => (await bench.due()).every(({ isClaimed }) => !isClaimed))
  for (const run of nonEmpty(await bench.due())) {
    expect(run.attempts).toBe(1)
    expect(run.waitS).toBeGreaterThan(40)
    expect(run.waitS).toBeLessThanOrEqual(60)
  }
  const text = JSON.stringify((await readiness(server))[0].syncs)
  expect(text).toContain('Set NBB_KEY in the environment')
  expect(text).toContain('The register refuses the request (403).')
  for (const secret of [...allSecrets, 'secret-5120', 'http://', '127.0.0.1', 'at run'])
    expect(text).not.toContain(secret)
  const status = Bun.spawnSync(['bun', 'src/cli.ts', 'sync', 'status'], {
    cwd: repository,
    env: {
      ...process.env,
      DATABASE_URL: bench.db.url,
      DATA_DIR: bench.folder,
      SYNC_SCHEDULE: 'us=15 6 * * *',
    },
  })
  const out = status.stdout.toString()
  expect(out).toMatch(/^market +schedule +next +state +last success +age +documents +facts\n/)
  expect(out).toMatch(/\nUS +15 6 \* \* \* +20\d\d-\d\d-\d\dT06:15Z +- +never +- +0 +0\n/)
  expect(out).toMatch(/\nUS last failed at 20\S+Z: The register refuses the request \(403\)/)
  expect(out).toContain('\nBE last failed at ')
})

test('a schedule turned off runs nothing, and says what was', async () => {
  const server = await bench.startServer({ SYNC_SCHEDULE: '' })
  await bench.db.sql`insert into sync_due (market, due_at, try_at) values ('US', now(), now())`
  await bench.db.sql`
    insert into sync_run (market, is_scheduled, is_partial, started_at, ended_at, outcome)
    values ('US', true, false, now() - interval '3 days', now() - interval '71 hours', 'done')`
  const [{ syncs }] = await readiness(server)
  expect(syncs).toEqual([
    {
      market: 'US',
      schedule: null,
      running: false,
      age_hours: 71,
      last_failure: null,
      last_success: expect.any(String),
    },
  ])
  expect(bench.replay.requests).toEqual([])
  expect(await bench.due()).toHaveLength(1)
})

test('a schedule of a market without a register stops the start and the status, in words', async () => {
  for (const [command, code] of [
    [['src/main.ts'], 1],
    [['src/cli.ts', 'sync', 'status'], 2],
  ] as const) {
    const child = Bun.spawn(['bun', ...command], {
      cwd: repository,
      stdout: 'ignore',
      stderr: 'pipe',
      env: {
        ...process.env,
        DATABASE_URL: bench.db.url,
        DATA_DIR: bench.folder,
        PORT: '0',
        SYNC_SCHEDULE: 'xx=0 6 * * *',
      },
    })
    expect(await new Response(child.stderr).text()).toContain(
      'SYNC_SCHEDULE names markets without a register to fetch from: xx. Markets with one: us, ',
    )
    expect([command, await child.exited]).toEqual([command, code])
  }
})
