import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { deflatedSharpe, expectedMaxOfNormals } from '../../../../src/backtest/overfitting/deflatedSharpe.ts'
import { decodeResult } from '../../../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../../src/backtest/pool/computePool.ts'
import type { BacktestConfig } from '../../../../src/backtest/request.ts'
import type { BacktestResult } from '../../../../src/backtest/result.ts'
import { registerFormats } from '../../../../src/dates.ts'
import { Failure } from '../../../../src/errors.ts'
import { runBacktest } from '../../../../src/features/backtests/run.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { asPanel, openBench, signals } from '../backtestBench.ts'
import { type Line, openBatch, resultText, runToEnd } from './batchBench.ts'

registerFormats()
const bench = openBench()
afterAll(bench.close, 60_000)
const panel = asPanel(signals(80))

const single = async (body: object) =>
  new TextDecoder().decode(
    (
      await runBacktest(bench.deps, new TextEncoder().encode(JSON.stringify(body)), undefined, {
        caller: operator,
      })
    ).bytes,
  )

/** Byte for byte, apart from the verdict, which counts the batch. */
function expectSame(line: Line, alone: string): void {
  const found: BacktestResult = JSON.parse(resultText(line))
  const { verdict, ...expected }: BacktestResult = JSON.parse(alone)
  const { verdict: ofBatch, ...rest } = found
  expect(resultText(line).replace(JSON.stringify(ofBatch), JSON.stringify(verdict))).toBe(alone)
  expect(JSON.stringify(rest)).toBe(JSON.stringify(expected))
  expect(ofBatch.trials).toBe(line.batch_size ?? 0)
  expect(line.verdict).toEqual(ofBatch)
}

async function failure(body: unknown): Promise<Failure> {
  const error = await openBatch(bench.deps, body).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${error}`)
}

const config = fc.record<BacktestConfig>(
  {
    direction: fc.constantFrom('long_short', 'long_only'),
    quantile: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
    weighting: fc.constantFrom('equal', 'rank', 'score'),
    holdDays: fc.integer({ min: 1, max: 15 }),
    costBps: fc.integer({ min: 0, max: 50 }),
    borrowBps: fc.integer({ min: 0, max: 200 }),
    gross: fc.double({ min: 0.1, max: 3, noNaN: true }),
    neutral: fc.constant('market'),
    drift: fc.boolean(),
    folds: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: [] },
)
const include = fc.subarray(['ic', 'quantiles', 'monthly', 'positions'])

describe('a batch', () => {
  test('gives the bytes of single requests, over random configurations of a panel in its body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(config, { minLength: 1, maxLength: 12 }),
        include,
        async (configs, include) => {
          const lines = await runToEnd(bench.deps, { panel, configs, include })
          const results = lines.slice(0, -1)
          expect(results.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...configs.keys()])
          for (const line of results)
            expectSame(line, await single({ panel, config: configs[line.index], include }))
        },
      ),
      { numRuns: 8 },
    )
  }, 180_000)

  test('gives the bytes of single requests, over random backtests of the archive', async () => {
    const source = fc.record(
      {
        market: fc.constantFrom('US', 'TW'),
        horizon: fc.constantFrom('1d', '3d'),
        from: fc.constantFrom('2024-01-10', '2024-02-01'),
        limit: fc.integer({ min: 300, max: 900 }),
      },
      { requiredKeys: [] },
    )
    const item = fc
      .record({ source, config, include }, { requiredKeys: ['source'] })
      // Whether it is a multiple depends on the horizon; the next test is about that.
      .map(({ config: { holdDays: _, ...rest } = {}, ...others }) => ({ ...others, config: rest }))
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 12 }), async items => {
        const lines = await runToEnd(bench.deps, { items })
        expect(lines.at(-1)).toMatchObject({ object: 'batch_summary', count: items.length, failed: 0 })
        for (const line of nonEmpty(lines.slice(0, -1))) expectSame(line, await single(items[line.index]))
      }),
      { numRuns: 8 },
    )
  }, 180_000)

  test('gives the same bits on one thread and on four', async () => {
    const configs = Array.from({ length: 40 }, (_, i) => ({ quantile: (i + 1) / 100, holdDays: 1 + (i % 4) }))
    const sorted = (lines: Line[]) => lines.map(({ text }) => text).sort()
    const truth = sorted(await runToEnd(bench.deps, { panel, configs }))
    for (const threads of [1, 4]) {
      const pool = new ComputePool({ threads, queue: 4, timeLimitMs: 20_000 })
      expect(sorted(await runToEnd(bench.deps, { panel, configs }, { pool }))).toEqual(truth)
      await pool.close()
    }
  }, 180_000)

  test('answers an item that fails with the error of its single request, and the others go on', async () => {
    const items = [
      { source: { market: 'US' } },
      { source: { from: '2031-01-01' } },
      { source: { market: 'JP' } },
      { source: { market: 'US' }, config: { quantile: 0.3 } },
    ]
    const lines = await runToEnd(bench.deps, { items })
    for (const index of [1, 2]) {
      const { error } = lines.find(line => line.index === index) ?? {}
      const alone = await single(items[index]).catch((reason: unknown) => reason)
      if (!(alone instanceof Failure)) throw new Error('the single request succeeds')
      expect(error).toMatchObject({
        code: alone.code,
        message: alone.message,
        param: alone.details.param ?? null,
      })
    }
    expect(lines.filter(({ object }) => object === 'batch_result').length).toBe(2)
    expect(lines.at(-1)).toMatchObject({ object: 'batch_summary', batch_size: 4, count: 2, failed: 2 })
  })

  const refused: [string, unknown, string, string | null, string][] = [
    ['neither list', { panel }, 'parameter_invalid', 'configs', 'Neither configs nor items'],
    ['both lists', { configs: [{}], items: [{}] }, 'parameter_invalid', 'items', 'both given'],
    ['an empty list', { configs: [] }, 'parameter_invalid', 'configs', 'is empty'],
    ['501 items', { items: Array(501).fill({}) }, 'parameter_invalid', 'items', '1 to 500'],
    ['no list', { items: {} }, 'parameter_invalid', 'items', 'is not an array'],
    [
      'a bad value',
      { configs: [{}, { quantile: 2 }] },
      'parameter_invalid',
      'configs[1].quantile',
      'from 0.01',
    ],
    [
      'a bad item',
      { items: [{}, { config: { folds: 0 } }] },
      'parameter_invalid',
      'items[1].config.folds',
      'from 1',
    ],
    [
      'an unknown field',
      { items: [{}, {}, { evidence: {} }] },
      'parameter_unknown',
      'items[2].evidence',
      'panel, source',
    ],
    [
      'several scores',
      { configs: [{}], panel, scores: ['value', 'quality'] },
      'parameter_unknown',
      'scores',
      'Send a configuration for each column with config.rankBy',
    ],
    [
      'several scores of an item',
      { items: [{}, { scores: ['value', 'quality'] }] },
      'parameter_unknown',
      'items[1].scores',
      'count every configuration as one trial',
    ],
    [
      'a comparison of vintages',
      { configs: [{}], compare: ['as_known', 'final'] },
      'parameter_unknown',
      'compare',
      'by itself',
    ],
    [
      'a grid',
      { configs: [{}], sweep: true },
      'parameter_unknown',
      'sweep',
      'Send each configuration of the grid by itself',
    ],
    ['an unknown name', { configs: [{ quantle: 1 }] }, 'parameter_unknown', 'configs[0].quantle', 'quantile'],
    ['rows in an item', { items: [{ panel: [] }] }, 'parameter_invalid', 'items[0].panel', 'stored panel'],
    [
      'a shared panel with items',
      { items: [{}], panel },
      'parameter_invalid',
      'panel',
      'Put panel into each item',
    ],
    [
      'a shared source with items',
      { items: [{}], source: {} },
      'parameter_invalid',
      'source',
      'into each item',
    ],
    ['panel and source', { configs: [{}], panel, source: {} }, 'backtest_impossible', 'panel', 'both given'],
    [
      'days in the wrong order',
      { items: [{}, { source: { from: '2024-02-01', to: '2024-01-01' } }] },
      'parameter_invalid',
      'items[1].source.from',
      'items[1]: source.from (2024-02-01) is after',
    ],
    [
      'holdDays that cannot be',
      { items: [{}, { source: { horizon: '3d' }, config: { holdDays: 4 } }] },
      'backtest_impossible',
      'items[1].config.holdDays',
      'items[1].config.holdDays is 4, but it must be a multiple of returnDays (3',
    ],
    [
      'holdDays that the rows in the body refuse',
      { panel, configs: [{ holdDays: 2 }, { returnDays: 2, holdDays: 3 }] },
      'backtest_impossible',
      'configs[1].holdDays',
      'configs[1].holdDays is 3',
    ],
    [
      'two rows of one cell',
      { configs: [{}], panel: [panel[0], panel[0]] },
      'body_invalid',
      'panel[1]',
      'same date',
    ],
    ['half a body', '{"configs":[{}', 'malformed_json', 'configs', 'expected ]'],
    ['nothing', '', 'malformed_json', null, 'empty'],
  ]
  for (const [what, body, code, param, message] of refused) {
    test(`with ${what} is refused whole, and nothing runs`, async () => {
      const { tasks } = bench.deps.pool
      const [open, run] = [spyOn(tasks, 'openBatch'), spyOn(tasks, 'runBatchItems')]
      const fault = await failure(body)
      expect<(string | null)[]>([fault.code, fault.details.param ?? null]).toEqual([code, param])
      expect(fault.message).toContain(message)
      expect(open).toHaveBeenCalledTimes(1)
      expect(run).not.toHaveBeenCalled()
      for (const spy of [open, run]) spy.mockRestore()
    })
  }
})

describe('the verdict', () => {
  test('of each result is deflated for the size of the batch, failures included, with the variance of chance', async () => {
    const configs: BacktestConfig[] = [{}, { quantile: 0.3 }, { holdDays: 2, weighting: 'rank' }]
    const items = [...configs.map(config => ({ config, source: {} })), { source: { from: '2031-01-01' } }]
    const lines = await runToEnd(bench.deps, { items })
    for (const { result, deflated_sharpe: found, batch_size } of nonEmpty(
      lines.slice(0, -1).filter(line => line.result),
    )) {
      if (!found || !result) throw new Error('a result without a verdict')
      const { equity_curve: curve } = result
      const net = curve.slice(1).map((value, t) => (value ?? 0) / (curve[t] ?? 0) - 1)
      expect([batch_size, found.trials, found.n_periods]).toEqual([4, 4, 80])
      expect(found.trials_variance).toBe(1 / 79)
      expect(found.sharpe_per_period).toBeCloseTo(simple.mean(net) / simple.sampleStandardDeviation(net), 10)
      expect(found.sharpe_threshold).toBeCloseTo(Math.sqrt(1 / 79) * expectedMaxOfNormals(4), 14)
      const record = {
        sharpePerPeriod: found.sharpe_per_period ?? Number.NaN,
        periods: 80,
        skew: found.skew ?? Number.NaN,
        kurtosisRaw: found.kurtosis_raw ?? Number.NaN,
      }
      expect(found.dsr).toBe(deflatedSharpe(record, 1 / 79, 4))
      expect(found.psr).toBe(deflatedSharpe(record, 1 / 79, 1))
      expect(found.survives).toBe((found.dsr ?? 0) >= 0.95)
      // One backtest of a batch of four: testing it alone would ignore the other trials.
      expect(result.verdict).toMatchObject({ trials: 4, dsr: found.dsr, superior: null })
      expect(result.verdict.reasons.at(-1)?.message).toContain('would ignore the other 3 of its batch')
    }
  })

  test('of the best is that of a sweep of the same configurations, to the bit', async () => {
    const sweep = decodeResult(
      await runBacktest(
        bench.deps,
        new TextEncoder().encode(JSON.stringify({ panel, sweep: true })),
        undefined,
        { caller: operator },
      ),
    )
    const configs = (sweep.trials ?? []).map(({ label }) => {
      const [direction, quantile, weighting, hold] = label.split(' ')
      return { direction, quantile: Number(quantile.slice(1)), weighting, holdDays: Number(hold.slice(1)) }
    })
    expect(configs.length).toBe(48)
    const { best } = (await runToEnd(bench.deps, { panel, configs })).at(-1) ?? {}
    const {
      trials_effective: _,
      dsr_effective: __,
      pbo: ___,
      trials_distinct: ____,
      ...verdict
    } = sweep.deflated_sharpe ?? {}
    expect(best?.label).toBe(sweep.best?.label ?? '')
    expect(best?.sharpe).toBe(sweep.best?.metrics.sharpe ?? 0)
    expect<object | undefined>(best?.deflated_sharpe).toEqual({ ...verdict, note: expect.any(String) })
    expect(best?.verdict).toMatchObject({
      trials: 48,
      dsr: sweep.deflated_sharpe?.dsr,
      superior: null,
      benchmark: 'cash',
    })
  })

  test('of a line and of the summary say why they differ', async () => {
    const configs = [{ quantile: 0.1 }, { quantile: 0.3 }, { quantile: 0.3, holdDays: 5 }]
    const lines = await runToEnd(bench.deps, { panel, configs })
    const best = lines.at(-1)?.best
    const own = lines.find(line => line.result && line.index === best?.index)?.deflated_sharpe
    expect(own?.dsr).not.toBe(best?.deflated_sharpe.dsr ?? null)
    expect(own?.note).toContain('chance alone')
    expect(best?.deflated_sharpe.note).toContain('The line of this backtest has another dsr')
  })

  test('of the only result of many backtests is deflated by chance, not by a variance of 0', async () => {
    const failing = Array.from({ length: 19 }, () => ({ source: { from: '2031-01-01' } }))
    const lines = await runToEnd(bench.deps, { items: [{}, ...failing] })
    const { best, failed } = lines.at(-1) ?? {}
    expect(failed).toBe(19)
    expect(best?.deflated_sharpe.sharpe_threshold).toBeCloseTo(
      Math.sqrt(1 / 79) * expectedMaxOfNormals(20),
      14,
    )
    expect<object | undefined>(best?.deflated_sharpe).toEqual(
      lines.find(line => line.result)?.deflated_sharpe,
    )
  })

  test('of the best is null where periods differ in length, and where nothing succeeded', async () => {
    const mixed = await runToEnd(bench.deps, { items: [{}, { source: { horizon: '3d' } }] })
    expect(mixed.at(-1)).toMatchObject({ count: 2, best: null })
    const none = await runToEnd(bench.deps, { items: [{ source: { from: '2031-01-01' } }] })
    expect(none.at(-1)).toMatchObject({ count: 0, failed: 1, best: null })
  })
})
