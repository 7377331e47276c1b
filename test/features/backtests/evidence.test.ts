import { afterAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { universeReturns } from '../../../src/backtest/dataset/rank.ts'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { resolveEvidence } from '../../../src/backtest/pipeline/evidence.ts'
import { planArchiveSweep, type SweepPlan } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { readTrials } from '../../../src/backtest/pipeline/sweepTrials.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { runSlice, runSweep } from '../../../src/backtest/pool/runSweep.ts'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import type { BacktestEvidence } from '../../../src/backtest/requestEvidence.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { sharedPath } from '../../shared.ts'
import { asPanel, costs, openBench, signals } from './backtestBench.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)
const panel = asPanel(signals(130))
const everything = ['spa', 'interval', 'cpcv', 'track_record'] as const

async function run(body: object): Promise<BacktestResult> {
  const result = await bench.run({ panel, ...body })
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  return result
}

async function failure(body: object): Promise<Failure> {
  const error = await bench.run({ panel, ...body }).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${error}`)
}

async function planOf(sweep: true | object, evidence: BacktestEvidence): Promise<SweepPlan> {
  const { data, dataVersion } = await bench.deps.archive.get('1d', null)
  const request = { config: {}, source: {}, include: everything, evidence, sweep }
  return planArchiveSweep({ data, dataVersion, request, costs })
}

const peers = sharedPath('peers/ref_evidence.py')?.replace('/ref_evidence.py', '') ?? null
const python = findPython('numpy')

const reference = `
import sys, json
sys.path.insert(0, sys.argv[1])
import numpy as np
from ref_evidence import *
given = json.loads(open(sys.argv[2]).read())
R, b, L, B, seed = np.array(given["R"]), np.array(given["b"]), given["L"], given["B"], given["seed"]
print(json.dumps([spa(R, b, L, B, seed), sharpe_interval(R[given["winner"]], L, B, seed), cpcv(R, given["groups"], given["k"], given["purge"])]))
`

test.skipIf(python === null || peers === null)(
  'the evidence of a sweep is the reference’s on the returns that its trials are judged by: against cash, the universe, or each by direction',
  async () => {
    const pool = new ComputePool({ threads: 2, queue: 9, timeLimitMs: 60_000 })
    try {
      for (const benchmark of ['universe', 'cash', 'by_direction'] as const) {
        const named = benchmark === 'by_direction' ? {} : { benchmark }
        const sent = { seed: 77, bootstraps: 150, meanBlock: 3.5, ...named, groups: 6, testGroups: 2 }
        const grid = { quantile: [0.1, 0.3], weighting: ['equal', 'rank', 'score'] }
        const direction = ['long_short', 'long_only']
        const plan = await planOf(benchmark === 'by_direction' ? { ...grid, direction } : grid, sent)
        const { evidence, best } = decodeResult(await runSweep(pool, plan, { ticket: pool.admit(operator) }))
        const series = await Promise.all(
          plan.slices.map((_, slice) => runSlice(pool, plan, slice, { caller: operator })),
        )
        const trials = readTrials(plan, series)
        const { universe } = universeReturns(plan.data, rebalanceDates(0, plan.view.endDate, 1))
        const file = `${process.env.TMPDIR ?? '/tmp'}/asfiled-evidence-${process.pid}.json`
        await Bun.write(
          file,
          JSON.stringify({
            R: trials.map(({ net, label }) => {
              const isCash =
                benchmark === 'cash' || (!('benchmark' in named) && label.startsWith('long_short'))
              return Array.from(net, (value, t) => value - (isCash ? 0 : universe[t]))
            }),
            b: new Array(universe.length).fill(0),
            L: 3.5,
            B: 150,
            seed: 77,
            winner: trials.findIndex(({ label }) => label === best?.label),
            groups: 6,
            k: 2,
            purge: 2,
          }),
        )
        const [spa, [low, high], paths] = JSON.parse(
          runPython(python ?? '', peers ?? '.', ['-c', reference, peers ?? '.', file]),
        )
        await Bun.file(file).delete()
        expect(evidence?.spa).toMatchObject({
          ...(spa.statistic === 0
            ? { lower: 1, consistent: 1, upper: 1 }
            : { lower: spa.lower, consistent: spa.consistent, upper: spa.upper }),
          reality_check: spa.reality_check,
        })
        expect(evidence?.spa?.statistic).toBeCloseTo(spa.statistic, 12)
        expect(evidence?.interval?.low_per_period).toBeCloseTo(low, 12)
        expect(evidence?.interval?.high_per_period).toBeCloseTo(high, 12)
        expect(evidence?.interval?.low).toBeCloseTo(low * Math.sqrt(252), 11)
        expect(evidence?.cpcv?.paths_per_period.length).toBe(paths.length)
        nonEmpty<number>(paths).forEach((path, j) => {
          expect(evidence?.cpcv?.paths_per_period[j]).toBeCloseTo(path, 12)
          expect(evidence?.cpcv?.paths[j]).toBeCloseTo(path * Math.sqrt(252), 11)
        })
        expect(evidence).toMatchObject({ seed: 77, bootstraps: 150, mean_block: 3.5, benchmark })
        expect(evidence).toMatchObject({ mean_block_chosen: false, groups: 6, test_groups: 2 })
      }
    } finally {
      await pool.close()
    }
  },
  60_000,
)

test('1, 2 and 4 threads give the same bytes, and another seed gives other ones', async () => {
  const plan = await planOf(true, { bootstraps: 4_000 })
  const answers: unknown[] = []
  for (const threads of [1, 2, 4]) {
    const pool = new ComputePool({ threads, queue: 9, timeLimitMs: 60_000 })
    try {
      answers.push(await runSweep(pool, plan, { ticket: pool.admit(operator) }))
      if (threads > 1) continue
      const [one, other] = [
        await runSweep(pool, plan, { ticket: pool.admit(operator) }),
        await runSweep(pool, await planOf(true, { seed: 2 }), { ticket: pool.admit(operator) }),
      ]
      expect(decodeResult(other).evidence?.interval).not.toEqual(decodeResult(one).evidence?.interval)
    } finally {
      await pool.close()
    }
  }
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
}, 120_000)

test('a verdict without spa in include is the same on any number of threads, and that of the request with it', async () => {
  const { data, dataVersion } = await bench.deps.archive.get('1d', null)
  const sweep = { direction: ['long_short' as const, 'long_only' as const], holdDays: [1, 2, 5] }
  const planWith = (include: ['spa'] | []) =>
    planArchiveSweep({ data, dataVersion, costs, request: { config: {}, source: {}, include, sweep } })
  const runs: BacktestResult[] = []
  for (const threads of [1, 3]) {
    const pool = new ComputePool({ threads, queue: 9, timeLimitMs: 60_000 })
    try {
      for (const include of [[], ['spa']] satisfies (['spa'] | [])[])
        runs.push(decodeResult(await runSweep(pool, planWith(include), { ticket: pool.admit(operator) })))
    } finally {
      await pool.close()
    }
  }
  const [decided, whole, decidedToo, wholeToo] = runs
  expect(decidedToo).toEqual(decided)
  expect(wholeToo).toEqual(whole)
  expect(decided.verdict).toEqual(whole.verdict)
  const p = whole.evidence?.spa?.consistent ?? Number.NaN
  expect(decided.verdict.superior).toBe(p < decided.verdict.spa_level)
}, 120_000)

test('the block length is chosen and stated, and sending the stated one gives the same numbers', async () => {
  const body = { sweep: { holdDays: [1, 2, 5] }, include: everything }
  const { evidence: chosen } = await run(body)
  expect(chosen?.mean_block_chosen).toBe(true)
  const { evidence: sent } = await run({ ...body, evidence: { meanBlock: chosen?.mean_block } })
  expect<object | undefined>(sent).toEqual({ ...chosen, mean_block_chosen: false })
})

test('a single run has an interval around its Sharpe ratio, a track record and the test of one configuration', async () => {
  const { evidence, metrics } = await run({ include: everything })
  const { interval, track_record: record, spa, cpcv } = evidence ?? {}
  expect(interval?.low ?? Number.NaN).toBeLessThan(metrics.sharpe ?? Number.NaN)
  expect(interval?.high ?? Number.NaN).toBeGreaterThan(metrics.sharpe ?? Number.NaN)
  expect(record).toMatchObject({ sharpe: metrics.sharpe, n_periods: 130 })
  expect(record?.psr ?? -1).toBeGreaterThanOrEqual(0)
  expect(spa?.lower ?? Number.NaN).toBeLessThanOrEqual(spa?.consistent ?? Number.NaN)
  expect(spa?.consistent ?? Number.NaN).toBeLessThanOrEqual(spa?.upper ?? Number.NaN)
  expect(cpcv).toBeNull()
  expect(evidence?.notes.map(({ code }) => code)).toEqual(['no_sweep', 'few_periods'])
})

test('a winner’s track record is that of its deflated Sharpe ratio', async () => {
  const { evidence, deflated_sharpe: deflated } = await run({
    sweep: { holdDays: [1, 2, 5] },
    include: ['track_record'],
  })
  expect(evidence?.track_record?.psr).toBe(deflated?.psr ?? null)
  expect(evidence?.track_record?.min_track_record_periods).toBe(deflated?.min_track_record_periods ?? null)
  expect(evidence?.spa).toBeUndefined()
  expect(evidence?.notes.map(({ code }) => code)).toContain('pbo_with_costs')
})

test('a record too short for a test has null and says so', async () => {
  const { evidence } = await run({ panel: asPanel(signals(2)), include: everything })
  expect(evidence).toMatchObject({ spa: null, cpcv: null })
  expect(evidence?.notes.map(({ code }) => code)).toEqual([
    'no_sweep',
    'not_computed',
    'few_periods',
    'few_blocks',
  ])
})

test('settings of evidence that make no sense are refused with what is allowed', async () => {
  const include = ['cpcv', 'spa']
  const cases = [
    [{ evidence: { seed: 1 } }, 'evidence', 'Add spa, interval, cpcv, track_record'],
    [{ include, evidence: { groups: 3, testGroups: 3 } }, 'evidence.testGroups', 'at most 2'],
    [{ include, evidence: { groups: 20, testGroups: 5 } }, 'evidence.testGroups', '15,504 ways'],
    [{ include, evidence: { bootstraps: 1 } }, 'evidence.bootstraps', '100'],
    [{ include, evidence: { meanBlock: 0.5 } }, 'evidence.meanBlock', '1'],
    [{ include, evidence: { benchmark: 'spx' } }, 'evidence.benchmark', 'universe'],
  ] as const
  for (const [body, param, said] of cases) {
    const { code, details, message } = await failure(body)
    expect({ code, param: details.param }).toEqual({ code: 'parameter_invalid', param })
    expect(message).toContain(said)
  }
})

test('a sweep that its caller leaves stops its resamples, and the pool serves the next request', async () => {
  const pool = new ComputePool({ threads: 1, queue: 9, timeLimitMs: 60_000 })
  try {
    const plan = await planOf(true, { bootstraps: 10_000, meanBlock: 1 })
    const leaving = new AbortController()
    let done = 0
    const left = runSweep(pool, plan, {
      ticket: pool.admit(operator),
      signal: leaving.signal,
      onProgress: (finished, total) => {
        done = finished
        // All trials are done: what runs from here on are resamples.
        if (finished === total) setTimeout(() => leaving.abort(new Error('left')), 1)
      },
    })
    await expect(left).rejects.toThrow('left')
    expect(done).toBe(48)
    expect(
      decodeResult(
        await runSweep(pool, await planOf(true, { bootstraps: 100 }), { ticket: pool.admit(operator) }),
      ).evidence?.spa,
    ).toBeDefined()
  } finally {
    await pool.close()
  }
}, 180_000)

test('a sweep past its time limit ends among its resamples with the advice to submit it', async () => {
  const pool = new ComputePool({ threads: 1, queue: 9, timeLimitMs: 60_000 })
  try {
    const plan = await planOf(true, { bootstraps: 10_000, meanBlock: 1 })
    await expect(runSweep(pool, plan, { ticket: pool.admit(operator), timeLimitMs: 60 })).rejects.toThrow(
      'Prefer: respond-async',
    )
  } finally {
    await pool.close()
  }
}, 180_000)

test('defaults are those that the schema states', () => {
  expect(resolveEvidence(['ic']).sections).toEqual([])
  expect(resolveEvidence(['cpcv', 'spa'])).toEqual({
    sections: ['spa', 'cpcv'],
    seed: 1,
    bootstraps: 1_000,
    meanBlock: null,
    groups: 10,
    testGroups: 2,
  })
})
