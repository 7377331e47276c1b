import { afterAll, expect, spyOn, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import * as simple from 'simple-statistics'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import type { SweepPlan } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { planArchiveSweep } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { finishSweep, runSlice, runSweep } from '../../../src/backtest/pool/runSweep.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { asPanel, costs, openBench, signals } from './backtestBench.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)
const panel = asPanel(signals(80))

async function run(body: unknown): Promise<BacktestResult> {
  const result = await bench.run(body)
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  return result
}

async function failure(body: unknown): Promise<Failure> {
  const error = await bench.run(body).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${error}`)
}

/** The archive's own dataset, as a plan needs it. */
async function archivePlan(sweep: true | object = true): Promise<SweepPlan> {
  const { data, dataVersion } = await bench.deps.archive.get('1d', null)
  return planArchiveSweep({
    data,
    dataVersion,
    request: { config: {}, source: {}, include: ['spa', 'interval', 'cpcv'], sweep },
    costs,
  })
}

test('sweep: true tries 48 configurations; best, trials and deflated_sharpe come with the winner’s record', async () => {
  const result = await run({ sweep: true, include: ['monthly'] })
  const { best, trials = [], deflated_sharpe: deflated } = result
  expect(trials.length).toBe(48)
  expect(new Set(trials.map(trial => trial.label)).size).toBe(48)
  expect(trials[0].label).toBe('long_short q0.05 equal h1')
  expect(trials[47].label).toBe('long_short q0.3 score h21')
  const highest = Math.max(...trials.map(trial => trial.sharpe ?? Number.NEGATIVE_INFINITY))
  expect(best?.metrics.sharpe).toBe(highest)
  expect(result.config).toEqual(best?.config ?? result.config)
  const sharpes = trials.flatMap(trial => (trial.sharpe === null ? [] : [trial.sharpe / Math.sqrt(252)]))
  expect(deflated?.trials_variance).toBeCloseTo(simple.sampleVariance(sharpes), 12)
  expect(deflated?.trials).toBe(48)
  expect(deflated?.n_periods).toBe(80)
  expect(deflated?.sharpe_per_period).toBeCloseTo(highest / Math.sqrt(252), 12)
  expect(deflated?.survives).toBe((deflated?.dsr ?? 0) >= 0.95)
  expect(result.data_version).toBe(7)
})

test('the winner, and each trial, is its single backtest to the bit; only the folds are the walk-forward’s', async () => {
  const sweep = {
    quantile: [0.1, 0.4],
    weighting: ['rank', 'score'],
    holdDays: [2, 6],
    direction: ['long_only'],
  }
  const include = ['ic', 'quantiles', 'monthly', 'positions']
  const config = { returnDays: 1, gross: 2, drift: true, neutral: 'market', folds: 4 }
  const result = await run({ sweep, panel, config, include })
  const singles = new Map<string, BacktestResult>()
  for (const trial of nonEmpty(result.trials)) {
    const [direction, quantile, weighting, hold] = trial.label.split(' ')
    const own = { direction, quantile: Number(quantile.slice(1)), weighting, holdDays: Number(hold.slice(1)) }
    const single = await run({ panel, include, config: { ...config, ...own } })
    singles.set(trial.label, single)
    const { sharpe, judged_sharpe, cagr, max_drawdown, avg_turnover } = single.metrics
    expect(trial).toEqual({
      label: trial.label,
      sharpe,
      judged_sharpe,
      benchmark: 'universe',
      cagr,
      max_drawdown,
      avg_turnover,
    })
  }
  const winner = singles.get(result.best?.label ?? '')
  if (!winner) throw new Error('the winner is no trial')
  const { best, trials, deflated_sharpe, folds, metrics, sweep: grid, request, verdict, ...record } = result
  expect<object | undefined>(request).toEqual({ config, sweep, include })
  expect<object | undefined>(grid).toEqual(sweep)
  const { folds: ownFolds, metrics: ownMetrics, request: _, verdict: ofOne, ...own } = winner
  expect([verdict.trials, ofOne.trials]).toEqual([8, 1])
  expect(verdict.judged_sharpe).toBe(ofOne.judged_sharpe)
  expect(verdict.dsr).toBe(deflated_sharpe?.dsr ?? null)
  expect(record).toEqual(own)
  expect(best?.metrics).toEqual(ownMetrics)
  expect(metrics).toEqual({ ...ownMetrics, oos_sharpe_mean: metrics.oos_sharpe_mean })
  const tested = folds.flatMap(fold => (fold.sharpe === null ? [] : [fold.sharpe]))
  expect(metrics.oos_sharpe_mean).toBeCloseTo(simple.mean(tested), 12)
  nonEmpty(folds).forEach((fold, f) => {
    const rivals = [...singles.values()].map(
      single => single.folds[f].judged_train_sharpe ?? Number.NEGATIVE_INFINITY,
    )
    expect(fold).toEqual(singles.get(fold.label)?.folds[f] ?? fold)
    expect(fold.judged_train_sharpe ?? Number.NEGATIVE_INFINITY).toBe(Math.max(...rivals))
  })
  expect(ownFolds.length).toBe(folds.length)
  expect(deflated_sharpe?.trials).toBe(trials?.length ?? 0)
})

test('1, 2 and 4 threads and any slices give the same bits, and so do slices that travelled as bytes', async () => {
  const pools = [1, 2, 4].map(threads => new ComputePool({ threads, queue: 9, timeLimitMs: 20_000 }))
  try {
    const plan = await archivePlan()
    const truth = await runSweep(pools[0], plan, { ticket: pools[0].admit(operator) })
    for (const pool of pools) {
      for (const cut of [1, 5, 48]) {
        const places = [...plan.slices.flat()].reverse()
        const slices = Array.from({ length: cut }, (_, s) => places.filter((_, i) => i % cut === s))
        expect(await runSweep(pool, { ...plan, slices }, { ticket: pool.admit(operator) })).toEqual(truth)
      }
    }
    const other = await archivePlan()
    expect(other.slices).toEqual(plan.slices)
    const sent: Uint8Array[] = []
    for (const [s] of other.slices.entries()) {
      const series = await runSlice(pools[s % 3], other, s, { caller: operator })
      sent.push(Uint8Array.from(new Uint8Array(series.buffer)))
    }
    const back = sent.map(bytes => new Float64Array(bytes.buffer))
    const ticket = pools[2].admit(operator)
    expect(await finishSweep(pools[2], plan, back, 'json', { ticket })).toEqual(truth)
    pools[2].leave(ticket)
  } finally {
    await Promise.all(pools.map(pool => pool.close()))
  }
}, 180_000)

test('no order of rows changes a bit of a sweep, and a panel gives what the archive gives', async () => {
  const sweep = { quantile: [0.2, 0.5], holdDays: [1, 3] }
  const whole = await run({ sweep, panel, config: { returnDays: 1 } })
  expect(await run({ sweep, panel: [...panel].reverse(), config: { returnDays: 1 } })).toEqual(whole)
  const { request: _ofRows, ...truth } = whole
  const { data_version: _, source, request: _sent, ...archive } = await run({ sweep, source: {} })
  expect(source?.horizon).toBe('1d')
  expect(archive).toEqual(truth)
})

test('progress counts trials and ends with all of them', async () => {
  const pool = new ComputePool({ threads: 2, queue: 9, timeLimitMs: 20_000 })
  try {
    const plan = await archivePlan()
    const seen: number[] = []
    const slices = plan.configs.map((_, i) => [i])
    await runSweep(
      pool,
      { ...plan, slices },
      { ticket: pool.admit(operator), onProgress: done => seen.push(done) },
    )
    expect(seen).toEqual(plan.configs.map((_, i) => i + 1))
  } finally {
    await pool.close()
  }
})

test('a grid of more than 1,000, or a value that cannot be, is refused by name', async () => {
  const quantile = Array.from({ length: 49 }, (_, i) => (i + 2) / 100)
  const holdDays = Array.from({ length: 21 }, (_, i) => i + 1)
  const large = await failure({ sweep: { quantile, holdDays }, panel })
  expect([large.code, large.details.param]).toEqual(['parameter_invalid', 'sweep'])
  expect(large.message).toContain('1,029 configurations; the limit is 1,000')
  const odd = await failure({ sweep: { holdDays: [3, 6, 8] }, config: { returnDays: 3 }, panel })
  expect([odd.code, odd.details.param]).toEqual(['backtest_impossible', 'sweep.holdDays[2]'])
  expect(odd.message).toStartWith('sweep.holdDays[2] is 8,')
  const wrong = await failure({ sweep: { quantile: [0.1, 0.9] }, panel })
  expect([wrong.code, wrong.details.param]).toEqual(['parameter_invalid', 'sweep.quantile[1]'])
  const unknown = await failure({ sweep: { quantiles: [0.1] }, panel })
  expect([unknown.code, unknown.details.param]).toEqual(['parameter_unknown', 'sweep.quantiles'])
})

test('one configuration has threshold 0, and a panel that trades nothing has nulls for a verdict', async () => {
  const one = await run({ sweep: { quantile: [0.2] }, source: {} })
  expect(one.deflated_sharpe?.sharpe_threshold).toBe(0)
  expect(one.deflated_sharpe?.dsr).toBe(one.deflated_sharpe?.psr ?? -1)
  expect(one.deflated_sharpe?.pbo).toBeNull()
  const row = { date: '2024-01-01', asset: 'A', market: 'US', score: 1, forward_return: 0.1 }
  const empty = await run({ sweep: true, panel: [row, { ...row, date: '2024-01-02' }] })
  expect(empty.deflated_sharpe).toMatchObject({ dsr: null, survives: false, psr: null, trials: 48 })
  expect(empty.warnings.map(w => w.code)).toContain('no_positions')
})

test('the standard grid holds 1, 5, 10 and 21 returns, however long a return is', async () => {
  const { trials = [] } = await run({ sweep: true, panel, config: { returnDays: 3 } })
  expect(trials.slice(0, 4).map(trial => trial.label)).toEqual([
    'long_short q0.05 equal h3',
    'long_short q0.05 equal h15',
    'long_short q0.05 equal h30',
    'long_short q0.05 equal h63',
  ])
})

test('oos_sharpe_mean is that of the folds as they were traded; the winner’s own is in best', async () => {
  // All names gain in the first half of the record and lose more in the second, so that buying alone was best
  // before the folds but not over all.
  const turning = panel.map((row, j) => ({
    ...row,
    forward_return: (j < panel.length / 2 ? 0.01 : -0.02) + (row.score + row.forward_return) / 10,
  }))
  const sweep = { direction: ['long_short', 'long_only'], quantile: [0.1, 0.5], holdDays: [1, 5] }
  const { folds, metrics, best } = await run({
    sweep,
    panel: turning,
    config: { returnDays: 1 },
    benchmark: 'cash',
  })
  expect(folds.every(fold => fold.label === best?.label)).toBe(false)
  const tested = folds.map(fold => fold.sharpe ?? Number.NaN)
  expect(metrics.oos_sharpe_mean).toBeCloseTo(simple.mean(tested), 12)
  expect(Math.abs((best?.metrics.oos_sharpe_mean ?? 0) - simple.mean(tested))).toBeGreaterThan(0.01)
})

test('sweep: false is one backtest', async () => {
  const plain = await run({ sweep: false, source: {} })
  expect(plain).toEqual(await run({ source: {} }))
  expect(plain.trials).toBeUndefined()
})

test('a sweep past its time fails with a message that states it, and its threads are free at once', async () => {
  const pool = new ComputePool({ threads: 2, queue: 4, timeLimitMs: 20_000 })
  try {
    const plan = await archivePlan()
    // Each configuration a slice of its own, so that there is an end between two of them.
    const slices = plan.configs.map((_, place) => [place])
    const late = await runSweep(
      pool,
      { ...plan, slices },
      { ticket: pool.admit(operator), timeLimitMs: 0.001 },
    ).catch((error: unknown) => error)
    expect(late).toBeInstanceOf(Failure)
    expect(late).toMatchObject({ code: 'compute_timeout' })
    expect(String(late)).toContain('respond-async')
    const result = decodeResult(
      await runSweep(pool, { ...plan, slices }, { ticket: pool.admit(operator), timeLimitMs: 20_000 }),
    )
    expect(result.trials?.length).toBe(48)
  } finally {
    await pool.close()
  }
})

test('a sweep is let in once, from its first byte to its result: it cannot be turned away half-way', async () => {
  const pool = new ComputePool({ threads: 1, queue: 0, timeLimitMs: 20_000 })
  try {
    const entered = spyOn(pool, 'admit')
    const left = spyOn(pool, 'leave')
    const body = new TextEncoder().encode(JSON.stringify({ panel, sweep: { quantile: [0.1, 0.2, 0.3] } }))
    const { trials } = decodeResult(
      await runBacktest({ ...bench.deps, pool }, body, undefined, { caller: operator }),
    )
    expect(trials?.length).toBe(3)
    await Bun.sleep(0)
    expect(entered).toHaveBeenCalledTimes(1)
    expect(left).toHaveBeenCalledTimes(1)
  } finally {
    await pool.close()
  }
})
