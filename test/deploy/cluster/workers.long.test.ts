import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formattedBodies } from '../../../bench/backtest/bodies.ts'
import { makePanel } from '../../../bench/backtest/makePanel.ts'
import { CpuLimit } from '../../../deploy/cluster/cpuLimit.ts'
import { until } from '../../../deploy/cluster/processes.ts'
import { Workers } from '../../../deploy/cluster/workers.ts'
import { watchJobs } from '../../../src/jobs/jobQueries.ts'
import { type ServerProcess, startServerProcess } from '../../boot/serverProcess.ts'
import { emptyServerDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'

setDefaultTimeout(300_000)

const workerCount = 4
const sweepCount = 14
/** Makes tasks last long enough to be interrupted. */
const coresOfWorker = 0.2
const isLong = process.env.LONG !== undefined
const isPossible = isLong && (await CpuLimit.isAvailable())
if (!isLong) console.log('skipped: four workers are started and killed with LONG=1')
else if (!isPossible) console.log('skipped: this account may not make control groups for processor time')

describe.skipIf(!isPossible)(
  'four workers with a fifth of a core each, on one stored panel (LONG=1, control groups)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'asfiled-workers-'))
    let db: TestDatabase
    let server: ServerProcess
    let workers: Workers
    let key = ''
    let bodies: string[] = []

    beforeAll(async () => {
      db = await emptyServerDatabase()
      key = await sellKey(db.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
      // The server leaves all jobs to the workers.
      const settings = { DATABASE_URL: db.url, COMPUTE_THREADS: '1', JOB_CONCURRENCY: '0' }
      server = await startServerProcess('', settings)
      workers = new Workers({ sql: db.sql, databaseUrl: db.url, folder })
      const csv = formattedBodies(makePanel(252, 200))[2]
      const { id }: { id: string } = JSON.parse(await post('panels', csv.bytes, csv.type))
      bodies = Array.from({ length: sweepCount }, (_, sweep) =>
        JSON.stringify({
          panel: id,
          sweep: { quantile: [0.1 + sweep / 100, 0.3], holdDays: [1, 2, 3, 5, 10, 21] },
        }),
      )
    })
    afterAll(async () => {
      await workers.stop()
      server.signal('SIGTERM')
      await server.exited
      await db.close()
      rmSync(folder, { recursive: true, force: true })
    })

    async function post(
      path: string,
      body: BodyInit,
      type = 'application/json',
      prefer = '',
    ): Promise<string> {
      const answer = await fetch(`${server.address}/api/v1/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, Prefer: prefer },
        body,
      })
      const text = await answer.text()
      expect([path, answer.status < 300 ? '' : text]).toEqual([path, ''])
      return text
    }

    /** Submits every sweep, lets `disturb` do what it does meanwhile, and returns the results. Each job must end once. */
    async function runAll(disturb: () => Promise<void> = async () => {}): Promise<string[]> {
      const ends: string[] = []
      const unwatch = await watchJobs(
        db.sql,
        (jobId, state) => state !== 'queued' && state !== 'running' && ends.push(`${jobId} ${state}`),
        () => {},
      )
      const ids: string[] = []
      for (const body of bodies)
        ids.push(JSON.parse(await post('backtest', body, 'application/json', 'respond-async')).id)
      await disturb()
      await until('every job has ended', async () => ends.length >= sweepCount, 120_000)
      await unwatch()
      expect(ends.toSorted()).toEqual(ids.map(id => `${id} succeeded`).toSorted())
      const stored = await db.sql<{ jobs: number; shares: number; tasks: number }[]>`
        select (select count(*)::int from job_result where job_id = any(${ids}::uuid[])) as jobs,
          (select count(*)::int from job_share) as shares, (select count(*)::int from asfiled_queue.jobs where task_identifier like 'backtest%') as tasks`
      expect(stored[0]).toEqual({ jobs: sweepCount, shares: 0, tasks: 0 })
      const results: string[] = []
      for (const id of ids) {
        const text = await (await server.get(`/api/v1/backtests/${id}`, key)).text()
        results.push(text.slice(text.indexOf('"result":') + 9, -1))
      }
      return results
    }

    const scansOfPanels = async () => {
      const [{ scans }] = await db.sql<{ scans: number }[]>`
        select (seq_scan + coalesce(idx_scan, 0))::int as scans from pg_stat_user_tables where relname = 'panel_part'`
      return scans
    }

    test('every worker reads the panel once, and kill -9 of each loses no job and runs none to two ends', async () => {
      const expected: string[] = []
      for (const body of bodies) expected.push(await post('backtest', body))
      // The database counts what a connection did when it has been idle for ten seconds, at the latest.
      await Bun.sleep(12_000)
      const before = await scansOfPanels()

      await workers.grow(workerCount)
      workers.setCores(coresOfWorker)
      expect(await runAll()).toEqual(expected)
      await Bun.sleep(12_000)
      expect((await scansOfPanels()) - before).toBeWithin(1, workerCount + 1)

      expect(
        await runAll(async () => {
          for (let place = 0; place < workerCount; place++) await workers.killAtWork(place)
        }),
      ).toEqual(expected)
      await workers.untilReady()
      expect(workers.starts).toBe(2 * workerCount)
      expect(await runAll()).toEqual(expected)
      await Bun.sleep(12_000)
      expect((await scansOfPanels()) - before).toBeWithin(workerCount, workers.starts + 1)
    })
  },
)
