import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { storedPage } from '../../../../src/backtest/pipeline/encodeResult.ts'
import { cancelBacktest, pageJobs, readJob } from '../../../../src/features/backtests/submitted/keyJobs.ts'
import { readResult } from '../../../../src/features/backtests/submitted/results.ts'
import { readStored } from '../../../../src/jobs/jobQueries.ts'
import { asPanel, signals } from '../backtestBench.ts'
import { closingRows } from '../closingRows.ts'
import { type JobBench, type JobProcess, jobBench } from './jobBench.ts'

let bench: JobBench
let started: JobProcess

beforeAll(async () => {
  bench = await jobBench()
}, 180_000)
afterAll(() => bench.close(), 30_000)

const panel = asPanel(signals(60))
const sweep = { panel, sweep: { quantile: [0.1, 0.2, 0.3], holdDays: [1, 2, 5] }, include: ['ic'] }

const closes = closingRows().map(({ beta: _, ...row }) => row)
const limits = {
  rebalance: 'weekly:FRI',
  trading: { maxWeight: 0.1, maxTurnover: 0.3, targetVolatility: 0.1 },
}

const days = [...new Set(panel.map(({ date }) => date))]
const factors = {
  date: days,
  returns: { A: days.map((_, i) => Math.sin(3 * i) / 100), B: days.map((_, i) => Math.cos(i * i) / 100) },
  lags: 2,
}

describe('a job', () => {
  beforeAll(async () => {
    started = await bench.process()
  }, 30_000)
  afterAll(() => started.stop(), 30_000)

  for (const [name, body] of Object.entries({
    'one configuration of a panel': { panel, config: { quantile: 0.2 } },
    'one configuration of the archive': { source: { market: 'US' }, config: { holdDays: 2 } },
    'a sweep of a panel': sweep,
    'a sweep of the archive': { sweep: true, include: ['monthly', 'positions'] },
    'one configuration with factors': { panel, factors },
    'a sweep with factors': { ...sweep, factors },
    'closes on a calendar and under limits': { panel: closes, config: limits },
    'several horizons': { panel: closes, config: { horizons: [1, 5] }, trials_already_tried: 3 },
    'a sweep of closes under limits': { panel: closes, config: limits, sweep: { quantile: [0.1, 0.2] } },
    'a sweep with evidence': { ...sweep, include: ['spa', 'interval', 'cpcv', 'track_record'] },
  })) {
    test(`answers ${name} with the bits of a synchronous request`, async () => {
      const submitted = await bench.submit(body)
      expect(submitted).toMatchObject({ state: 'queued', done: 0, total: null, startedAt: null })
      const job = await bench.ended(submitted.id)
      expect(job.errorMessage).toBeNull()
      expect(job.state).toBe('succeeded')
      expect(job.done).toBe(job.total ?? -1)
      expect(await readResult(bench.sql, job.id)).toBe(await bench.answer(body))
      expect(bench.reports).toEqual([])
    })
  }

  test('shows a sweep on the page of a synchronous request, though its answer has no section of it', async () => {
    const body = { panel, sweep: { quantile: [0.1, 0.2], holdDays: [1, 2] } }
    const { id } = await bench.ended((await bench.submit(body)).id)
    const page = storedPage((await readStored(bench.sql, id)) ?? '')
    expect(new TextDecoder().decode(page.bytes)).toBe(await bench.answer(body, 'html'))
    expect(await readResult(bench.sql, id)).toBe(await bench.answer(body))
  })

  test('fails with the message of the synchronous answer where the request is wrong', async () => {
    const job = await bench.ended((await bench.submit({ panel, config: { quantile: 7 } })).id)
    expect(job).toMatchObject({
      state: 'failed',
      errorCode: 'parameter_invalid',
      errorParam: 'config.quantile',
    })
    await expect(bench.answer({ panel, config: { quantile: 7 } })).rejects.toThrow(job.errorMessage ?? '')
  })

  test('leaves nothing but its result: no body, no share, no task', async () => {
    await bench.ended((await bench.submit(sweep)).id)
    await Bun.sleep(100)
    const [left] = await bench.sql`
      select (select count(*)::int from job_body) as bodies, (select count(*)::int from job_share) as shares,
             (select count(*)::int from asfiled_queue.jobs) as tasks`
    expect(left).toEqual({ bodies: 0, shares: 0, tasks: 0 })
  })
})

describe('a job that waits', () => {
  test('is cancelled at once, and stays so when a process comes', async () => {
    const { id } = await bench.submit(sweep)
    expect(await cancelBacktest(bench.sql, bench.keyId, id)).toMatchObject({ id, state: 'cancelled' })
    const late = await bench.process()
    await Bun.sleep(200)
    await late.stop()
    expect((await readJob(bench.sql, bench.keyId, id)).state).toBe('cancelled')
  })

  test('is run by the process that comes after its server is gone', async () => {
    const { id } = await bench.submit(sweep)
    const late = await bench.process()
    expect((await bench.ended(id)).state).toBe('succeeded')
    await late.stop()
  })

  test('is another key’s neither to read nor to cancel nor to list', async () => {
    const stranger = await bench.newKey()
    const { id } = await bench.submit(sweep)
    await expect(readJob(bench.sql, stranger, id)).rejects.toMatchObject({ code: 'entity_unknown' })
    await expect(cancelBacktest(bench.sql, stranger, id)).rejects.toMatchObject({ code: 'entity_unknown' })
    expect((await pageJobs(bench.sql, stranger, {})).jobs).toEqual([])
    expect((await cancelBacktest(bench.sql, bench.keyId, id)).state).toBe('cancelled')
  })
})
