import { afterAll, expect, test } from 'bun:test'
import { makePanel } from '../../../bench/backtest/makePanel.ts'
import { buildRankedDataset } from '../../../src/backtest/pipeline/archiveDataset.ts'
import type { SweepPlan } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { planArchiveSweep } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { runSweep } from '../../../src/backtest/pool/runSweep.ts'
import { costs } from './backtestBench.ts'

const pool = new ComputePool({ threads: 2, queue: 20, timeLimitMs: 60_000 })
afterAll(() => pool.close(), 60_000)

const request = { config: {}, source: {}, include: [] }

/** A thousand configurations of 600 dates x 500 names. */
async function largePlan(): Promise<SweepPlan> {
  const data = buildRankedDataset(makePanel(600, 500))
  const quantile = Array.from({ length: 20 }, (_, i) => (i + 1) / 50)
  const holdDays = Array.from({ length: 50 }, (_, i) => i + 1)
  const sweep = { quantile, holdDays }
  return planArchiveSweep({ data, dataVersion: 1, request: { ...request, sweep }, costs })
}

test('a sweep of 1,000 does not make another’s backtest wait for more than a slice', async () => {
  const plan = await largePlan()
  expect(plan.configs.length).toBe(1_000)
  const { data } = plan
  const single = () =>
    pool.tasks.runArchiveRequest(
      { data, request, costs, dataVersion: 1, resultFormat: 'json' },
      { caller: operator },
    )
  for (let i = 0; i < 5; i++) await single()
  const controller = new AbortController()
  const finished: number[] = []
  const sweep = runSweep(pool, plan, {
    ticket: pool.admit(operator),
    signal: controller.signal,
    onProgress: () => finished.push(performance.now()),
  })
  sweep.catch(() => {})
  while (finished.length < 4) await Bun.sleep(1)
  const between: number[] = []
  for (let i = 0; i < 11; i++) {
    const sentMs = performance.now()
    await single()
    const answered = performance.now()
    between.push(finished.filter(at => at > sentMs && at < answered).length)
  }
  // One slice of each thread may end before ours starts, and one of each while it runs. The median, because the system may
  // suspend the thread of a single request while the other thread ends any number of slices.
  expect(between.sort((a, b) => a - b)[5]).toBeLessThanOrEqual(4)
  controller.abort(new Error('enough'))
  await expect(sweep).rejects.toThrow('enough')
}, 180_000)

test('a caller who leaves stops a sweep at once, and no thread is lost', async () => {
  const plan = await largePlan()
  const { data } = plan
  const onBothThreads = () =>
    Promise.all(
      [1, 2].map(() =>
        pool.tasks.runArchiveRequest(
          { data, request, costs, dataVersion: 1, resultFormat: 'json' },
          { caller: operator },
        ),
      ),
    )
  const controller = new AbortController()
  let slices = 0
  const sweep = runSweep(pool, plan, {
    ticket: pool.admit(operator),
    signal: controller.signal,
    onProgress: () => slices++,
  })
  sweep.catch(() => {})
  while (slices < 3) await Bun.sleep(1)
  controller.abort(new Error('the client left'))
  await expect(sweep).rejects.toThrow('the client left')
  const left = slices
  // Both threads are free again. Only the slices that had begun are finished, and one that was sent
  // afterwards.
  await onBothThreads()
  await Bun.sleep(100)
  expect(slices).toBeLessThanOrEqual(left + 4)
}, 180_000)
