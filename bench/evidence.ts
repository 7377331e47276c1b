import { resolve } from 'node:path'
import { superiorPredictiveAbility } from '../src/backtest/evidence/superiority.ts'
import { buildRankedDataset } from '../src/backtest/pipeline/archiveDataset.ts'
import { planArchiveSweep, type SliceSeries, type SweepPlan } from '../src/backtest/pipeline/sweepPlan.ts'
import { readTrials } from '../src/backtest/pipeline/sweepTrials.ts'
import { operator } from '../src/backtest/pool/caller.ts'
import { ComputePool } from '../src/backtest/pool/computePool.ts'
import { runSpa } from '../src/backtest/pool/runSpa.ts'
import { runSlice, runSweep } from '../src/backtest/pool/runSweep.ts'
import type { BacktestInclude } from '../src/backtest/request.ts'
import { makePanel } from './backtest/makePanel.ts'
import { peersFolder, runPython } from './backtest/python.ts'
import { grids } from './backtest/sweeps.ts'
import { faster, type Timing, time, timeAsync } from './backtest/timings.ts'
import type { Figure } from './figure.ts'
import { table } from './table.ts'

const dates = 2520
const assets = 1000
const resamples = 1_000
const meanBlock = 10
/** The reference machine of the ratios has two cores. */
const threads = 2

const gather = `
import numpy as np, json, time
r = np.random.default_rng(5); R = .01 * r.standard_normal((200, 2520)); idx = [r.integers(0, 2520, 2520) for _ in range(200)]
def once():
    t = time.perf_counter()
    for i in idx: R[:, i].mean(1)
    return 5000 * (time.perf_counter() - t)
print(json.dumps(sorted(once() for _ in range(5))[2]))
`

const reference = `
import sys, json
import numpy as np
from ref_evidence import *
given = json.loads(open(sys.argv[1]).read())
print(json.dumps(spa(np.array(given["R"]), np.array(given["b"]), given["L"], given["B"], given["seed"])))
`

/** Proves that the pool's test for superior predictive ability gives the same results as the reference, then measures a
 * thousand resamples of 200 configurations on two threads. Compares them with gathering the returns in this process and in
 * NumPy, and compares all evidence of the default sweep with the sweep itself.
 *
 * @param short fewer runs, for CI */
export async function benchEvidence({ short = false } = {}): Promise<Figure[]> {
  const runs = short ? 3 : 9
  const columns = makePanel(dates, assets)
  const data = buildRankedDataset(columns)
  const pool = new ComputePool({ threads, queue: 1_000, timeLimitMs: 300_000 })
  const evidence = { bootstraps: resamples, meanBlock }
  const market = { roundTripBps: 20, source: 'a benchmark', date: '2024-01-01' }
  const costs = { markets: {}, standard: market }
  const planOf = (sweep: object | true, include: BacktestInclude[]) =>
    planArchiveSweep({
      data,
      dataVersion: 1,
      request: { config: {}, source: {}, include, sweep, ...(include.length > 0 ? { evidence } : {}) },
      costs,
    })
  try {
    const wide = planOf(grids.sweep200, ['spa'])
    const series = await Promise.all(
      wide.slices.map((_, slice) => runSlice(pool, wide, slice, { caller: operator })),
    )
    const spaOf = (plan: SweepPlan, slices: readonly SliceSeries[]) => {
      const ticket = pool.admit(operator)
      return runSpa(pool, plan, slices, { ticket }).finally(() => pool.leave(ticket))
    }
    await proveParity(wide, series, await spaOf(wide, series))
    const first = await timeAsync(() => spaOf(wide, series), runs)
    const numpyBefore = timeNumpy()
    const naive = timeGather(wide, series, short)
    const bare = planOf(true, [])
    const full = planOf(true, ['spa', 'interval', 'cpcv', 'track_record'])
    const sweep = await timeAsync(() => runSweep(pool, bare, { ticket: pool.admit(operator) }), runs)
    const both = await timeAsync(() => runSweep(pool, full, { ticket: pool.admit(operator) }), runs)
    const again = await timeAsync(() => runSweep(pool, bare, { ticket: pool.admit(operator) }), runs)
    // The machine may have been busy: measure both sides of the ratio again. The faster result counts, on both.
    const spa = faster(first, await timeAsync(() => spaOf(wide, series), runs))
    const numpy = Math.min(numpyBefore, timeNumpy())
    const sweepMs = Math.min(sweep.medianMs, again.medianMs)
    return [
      figure('evidence.spa_200x2520', spa),
      { name: 'evidence.gather_ratio', value: naive / spa.medianMs, unit: 'times' },
      ...(Number.isNaN(numpy)
        ? []
        : [{ name: 'evidence.numpy_ratio', value: numpy / spa.medianMs, unit: 'times' as const }]),
      figure('evidence.sweep48_with_evidence', both),
      {
        name: 'evidence.sweep48_evidence_in_sweeps',
        value: (both.medianMs - sweepMs) / sweepMs,
        unit: 'times',
      },
    ]
  } finally {
    await pool.close()
  }
}

/** Milliseconds that NumPy takes for the means of a thousand resamples; NaN if NumPy is not installed. */
function timeNumpy(): number {
  return peersFolder ? Number(runPython(peersFolder, ['-c', gather])) : Number.NaN
}

function trialsOf(plan: SweepPlan, series: readonly SliceSeries[]) {
  const rows = readTrials(plan, series).map(({ judged }) => judged)
  return { rows, benchmark: new Float64Array(rows[0].length) }
}

/** Compares the pool with one thread on all resamples and, if NumPy is installed, with NumPy on some of them. Throws if the
 * results differ. */
async function proveParity(
  plan: SweepPlan,
  series: readonly SliceSeries[],
  pooled: Awaited<ReturnType<typeof runSpa>>,
): Promise<void> {
  const { rows, benchmark } = trialsOf(plan, series)
  const alone = superiorPredictiveAbility(rows, benchmark, meanBlock, resamples, 1)
  if (pooled.kind !== 'complete' || JSON.stringify(alone) !== JSON.stringify(pooled.result))
    throw new Error('the pool has other p values')
  if (peersFolder === null) return
  const file = resolve(peersFolder, 'spa.json')
  const few = 50
  const given = { R: rows.map(row => [...row]), b: [...benchmark], L: meanBlock, B: few, seed: 1 }
  await Bun.write(file, JSON.stringify(given))
  const theirs = JSON.parse(runPython(peersFolder, ['-c', reference, file]))
  const ours = superiorPredictiveAbility(rows, benchmark, meanBlock, few, 1)
  if (
    ours === null ||
    Math.abs(ours.statistic - theirs.statistic) > 1e-12 * Math.max(1, theirs.statistic) ||
    [ours.lower, ours.consistent, ours.upper, ours.realityCheck].join() !==
      [theirs.lower, theirs.consistent, theirs.upper, theirs.reality_check].join()
  )
    throw new Error(`p values differ from NumPy's: ${JSON.stringify({ ours, theirs })}`)
}

/** Milliseconds that one thread takes for the means of a thousand resamples if it gathers every return. */
function timeGather(plan: SweepPlan, series: readonly SliceSeries[], short: boolean): number {
  const { rows } = trialsOf(plan, series)
  const once = Int32Array.from({ length: dates }, (_, t) => (t * 1_009) % dates)
  const means = new Float64Array(rows.length)
  const work = () => {
    rows.forEach((row, k) => {
      let sum = 0
      for (const t of once) sum += row[t]
      means[k] = sum / dates
    })
  }
  return resamples * time(work, short ? 20 : 100, 20).medianMs
}

function figure(name: string, { medianMs, minMs, maxMs }: Timing): Figure {
  return { name, value: medianMs, unit: 'ms', spread: `${minMs.toFixed(2)} .. ${maxMs.toFixed(2)}` }
}

if (import.meta.main) {
  const figures = await benchEvidence({ short: process.argv.includes('--short') })
  console.log(table(figures.map(one => ({ ...one, failed: false }))))
}
