import { afterAll, expect, type Mock, spyOn, test } from 'bun:test'
import { makePanel } from '../../../../bench/backtest/makePanel.ts'
import { buildRankedDataset } from '../../../../src/backtest/pipeline/archiveDataset.ts'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../../src/backtest/pool/computePool.ts'
import { type BatchPart, runBatch } from '../../../../src/backtest/pool/runBatch.ts'
import type { BacktestInclude } from '../../../../src/backtest/request.ts'
import { registerFormats } from '../../../../src/dates.ts'
import { Failure } from '../../../../src/errors.ts'
import { batchLines } from '../../../../src/features/backtests/batch/lines.ts'
import { SpoolBudget, spool } from '../../../../src/formats/spool.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { costs } from '../backtestBench.ts'
import { linesOf } from './batchBench.ts'

registerFormats()
const pool = new ComputePool({ threads: 2, queue: 8, timeLimitMs: 20_000 })
afterAll(() => pool.close(), 60_000)
const small = buildRankedDataset(makePanel(100, 250))
const large = buildRankedDataset(makePanel(1_500, 500))

interface Change {
  readonly data?: typeof small
  readonly count?: number
  readonly timeLimitMs?: number
  readonly on?: ComputePool
  readonly include?: BacktestInclude[]
}

function start({ data = small, count = 500, timeLimitMs = 60_000, on = pool, include = [] }: Change = {}) {
  const left = new AbortController()
  const entries = Array.from({ length: count }, (_, index) => ({
    index,
    include,
    source: null,
    config: { quantile: ((index % 50) + 1) / 100, holdDays: 1 + (index % 9), returnDays: 1 },
  }))
  const group = { entries, open: async () => ({ data, dataVersion: null }) }
  const ticket = on.admit(operator)
  const parts = runBatch(on, [group], { costs, signal: left.signal, ticket, timeLimitMs })
  return { parts, leave: () => left.abort(new Error('the client left')) }
}

async function indexesOf(parts: AsyncGenerator<BatchPart, void, undefined>) {
  const found: number[] = []
  for await (const { trials, failures } of parts)
    found.push(...trials.map(({ index }) => index), ...failures.map(({ index }) => index))
  return found.toSorted((a, b) => a - b)
}

const everyIndex = Array.from({ length: 500 }, (_, index) => index)

/** Backtests that were sent to threads so far. */
function sentBy(run: Mock<ComputePool['tasks']['runBatchItems']>): number {
  return run.mock.calls.reduce((sum, [{ entries }]) => sum + entries.length, 0)
}

const nextTask = () => pool.tasks.listAssetNames({ data: small }, { caller: operator })

test('small backtests share tasks, which get smaller towards the end; each runs once', async () => {
  const run = spyOn(pool.tasks, 'runBatchItems')
  expect(await indexesOf(start().parts)).toEqual(everyIndex)
  const sizes = run.mock.calls.map(([{ entries }]) => entries.length)
  expect(sizes.length).toBeLessThan(60)
  expect(sizes[0]).toBeGreaterThan(20)
  expect(sizes.at(-1)).toBeLessThan(10)
  run.mockRestore()
})

test('a task with resamples has fewer backtests, so that other requests wait as little', async () => {
  const run = spyOn(pool.tasks, 'runBatchItems')
  const indexes = await indexesOf(start({ count: 120, include: ['spa', 'interval'] }).parts)
  expect(indexes).toEqual(everyIndex.slice(0, 120))
  for (const [{ entries }] of nonEmpty(run.mock.calls)) expect(entries.length).toBeLessThanOrEqual(8)
  run.mockRestore()
})

test('a client who hangs up stops a batch at once, and no thread is lost', async () => {
  const run = spyOn(pool.tasks, 'runBatchItems')
  for (let round = 0; round < 3; round++) {
    run.mockClear()
    const { parts, leave } = start({ data: large })
    await parts.next()
    const sent = sentBy(run)
    expect(sent).toBeLessThan(100)
    leave()
    // A part that was ready before may still come.
    await expect(indexesOf(parts)).rejects.toThrow('the client left')
    // Both threads are free again, and of the batch only what they had begun was run: most of its 500 were never sent.
    await Promise.all([nextTask(), nextTask()])
    await Bun.sleep(50)
    expect(sentBy(run)).toBeLessThanOrEqual(sent + 10)
  }
  run.mockRestore()
})

test('a reader who stops reading stops the batch, and what waits for them stays bounded', async () => {
  const run = spyOn(pool.tasks, 'runBatchItems')
  const { parts, leave } = start()
  const lines = batchLines(parts, { size: 500, errorOf: neverAnError, stop: leave })
  const reader = spool(lines, leave, new SpoolBudget(0), 60_000).getReader()
  const pieces = [(await reader.read()).value ?? new Uint8Array()]
  // Waits until no further task is sent to the threads.
  for (let before = -1; before < sentBy(run); await Bun.sleep(300)) before = sentBy(run)
  const sent = sentBy(run)
  // 8 KB each: a megabyte waits in the batch, a quarter in the spool, and two tasks of up to 50 had begun.
  expect(sent).toBeLessThan(330)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
  }
  const found = linesOf(Buffer.concat(pieces).toString())
  expect(found.length).toBe(501)
  expect(found.at(-1)).toMatchObject({ object: 'batch_summary', count: 500, failed: 0 })
  run.mockRestore()
})

test('a reader who reads nothing for long loses the batch', async () => {
  const { parts, leave } = start()
  const lines = batchLines(parts, { size: 500, errorOf: neverAnError, stop: leave })
  const reader = spool(lines, leave, new SpoolBudget(0), 200).getReader()
  await Bun.sleep(2_000)
  const readAll = async () => {
    while (!(await reader.read()).done);
  }
  await expect(readAll()).rejects.toThrow('stopped reading')
})

test('backtests past the time limit of the batch end with compute_timeout, and those before it have results', async () => {
  const on = new ComputePool({ threads: 2, queue: 8, timeLimitMs: 20_000 })
  const trials: number[] = []
  const late: number[] = []
  for await (const part of start({ on, data: large, count: 100, timeLimitMs: 20 }).parts) {
    trials.push(...part.trials.map(({ index }) => index))
    for (const { index, failure } of part.failures) {
      expect(failure.code).toBe('compute_timeout')
      expect(failure.message).toContain('0.02 s')
      late.push(index)
    }
  }
  expect(trials.length).toBeGreaterThan(0)
  expect(late.length).toBeGreaterThan(50)
  expect([...trials, ...late].toSorted((a, b) => a - b)).toEqual(everyIndex.slice(0, 100))
  await on.close()
})

test('a backtest that kills its thread fails alone: the others of its task run again', async () => {
  const original = pool.tasks.runBatchItems
  const run = spyOn(pool.tasks, 'runBatchItems')
  run.mockImplementation((input, options) =>
    input.entries.some(({ index }) => index === 7)
      ? Promise.reject(new Failure('compute_lost', 'Its worker stopped.'))
      : original(input, options),
  )
  const failed: [number, string][] = []
  const trials: number[] = []
  for await (const part of start().parts) {
    for (const { index, failure } of part.failures) failed.push([index, failure.code])
    trials.push(...part.trials.map(({ index }) => index))
  }
  expect(failed).toEqual([[7, 'compute_lost']])
  expect(trials.toSorted((a, b) => a - b)).toEqual(everyIndex.filter(index => index !== 7))
  run.mockRestore()
})

test('a pool that closes lets a batch finish, and turns the next one away', async () => {
  const on = new ComputePool({ threads: 2, queue: 8, timeLimitMs: 20_000 })
  const { parts } = start({ on })
  const first = await parts.next()
  const closing = on.close()
  expect(() => on.admit(operator)).toThrow('shutting down')
  const begun = first.value?.trials.map(({ index }) => index) ?? []
  expect([...begun, ...(await indexesOf(parts))].length).toBe(500)
  await closing
})

test('rows that cannot be opened fail their own backtests, and the next rows are opened ahead by one', async () => {
  const opened: number[] = []
  const entry = (index: number) => ({ index, config: {}, include: [], source: null })
  const groups = Array.from({ length: 6 }, (_, g) => ({
    entries: [entry(2 * g), entry(2 * g + 1)],
    open: async () => {
      opened.push(g)
      if (g === 1) throw new Failure('entity_unknown', 'No such panel.')
      return { data: small, dataVersion: null }
    },
  }))
  const signal = new AbortController().signal
  const parts = runBatch(pool, groups, { costs, signal, ticket: pool.admit(operator), timeLimitMs: 60_000 })
  const failed: number[] = []
  const done: number[] = []
  for await (const part of parts) {
    failed.push(...part.failures.map(({ index }) => index))
    done.push(...part.trials.map(({ index }) => index))
    // Two lanes, and one ahead of them.
    expect(opened.length).toBeLessThanOrEqual((done.length + failed.length) / 2 + 4)
  }
  expect(failed).toEqual([2, 3])
  expect(done.length).toBe(10)
  expect(opened).toEqual([0, 1, 2, 3, 4, 5])
})

test('where nothing ends for long, progress is sent, and never to a reader who does not read', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  async function* slowParts(): AsyncGenerator<BatchPart, void, undefined> {
    yield {
      lines: new Uint8Array(),
      trials: [],
      failures: [{ index: 0, failure: new Failure('internal', 'x') }],
    }
    await held
  }
  const options = { size: 2, errorOf: neverAnError, stop: release, silenceMs: 20 }
  const lines = batchLines(slowParts(), options)
  const seen: string[] = []
  for (let i = 0; i < 3; i++) seen.push(String(Buffer.from((await lines.next()).value ?? [])))
  expect(seen[0]).toContain('batch_error')
  const progress = '{"object":"batch_progress","done":1,"batch_size":2}\n'
  expect(seen.slice(1)).toEqual([progress, progress])
  release()
  const rest = await Array.fromAsync(lines)
  expect(String(rest.at(-1))).toContain('batch_summary')
})

function neverAnError({ code, message }: Failure) {
  return { type: 'internal', code, message, param: null, request_id: 'r', doc_url: 'http://localhost' }
}
