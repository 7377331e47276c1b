import { afterAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import * as simple from 'simple-statistics'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { asPanel, openBench, signals } from './backtestBench.ts'

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

/** Bailey and Lopez de Prado (2014), written out with another library's normal distribution. */
function plainDsr(net: readonly number[], variance: number, trials: number): number {
  const mean = simple.mean([...net])
  const deviation = simple.sampleStandardDeviation([...net])
  const ratio = mean / deviation
  const population = simple.standardDeviation([...net])
  const moment = (power: number) => simple.mean(net.map(r => ((r - mean) / population) ** power))
  const gamma = 0.5772156649015329
  const threshold =
    Math.sqrt(variance) *
    ((1 - gamma) * simple.probit(1 - 1 / trials) + gamma * simple.probit(1 - 1 / (trials * Math.E)))
  const error = Math.sqrt(1 - moment(3) * ratio + ((moment(4) - 1) / 4) * ratio ** 2)
  const z = ((ratio - threshold) * Math.sqrt(net.length - 1)) / error
  // The quantiles of simple-statistics are exact to about .0005, so the result is exact to two or three digits.
  return 0.5 * (1 - simple.errorFunction(-z / Math.SQRT2))
}

function netOf({ equity_curve: curve }: BacktestResult): number[] {
  return curve.slice(1).map((value, t) => (value ?? 0) / (curve[t] ?? 1) - 1)
}

test('one configuration after N others is deflated for N + 1 trials with the sampling variance 1 / (T - 1)', async () => {
  const alone = await run({ panel })
  const result = await run({ panel, trials_already_tried: 24 })
  expect(result.verdict.trials).toBe(25)
  const { already_tried: before } = result.verdict
  expect(before?.variance_from).toBe('chance')
  expect(before?.trials_variance).toBeCloseTo(1 / 79, 14)
  expect(before?.trials_already_tried).toBe(24)
  expect(before?.trials_of_request).toBe(1)
  expect(result.verdict.dsr ?? Number.NaN).toBeCloseTo(plainDsr(netOf(result), 1 / 79, 25), 3)
  expect(result.verdict.dsr ?? 1).toBeLessThan(alone.verdict.dsr ?? 0)
  expect(result.verdict.spa_level).toBeCloseTo(alone.verdict.spa_level / 25, 14)
  const [reason] = result.verdict.reasons.filter(({ code }) => code.startsWith('dsr'))
  expect(reason.message).toContain('for 25 trials (1 of this request, 24 tried before)')
  expect(result.verdict.reasons.map(({ code }) => code)).not.toContain('one_configuration')
  expect(result.request?.trials_already_tried).toBe(24)
  const { verdict: _, request: __, ...rest } = result
  const { verdict: ___, request: ____, ...same } = alone
  expect(rest).toEqual(same)
})

test('N trials before a sweep are assumed to scatter as its own, and count in full among the effective ones', async () => {
  const sweep = { quantile: [0.1, 0.2, 0.3], weighting: ['equal', 'rank'] }
  const alone = await run({ panel, sweep })
  const result = await run({ panel, sweep, trials_already_tried: 100 })
  const [own, more] = [alone.deflated_sharpe, result.deflated_sharpe]
  expect([own?.trials, more?.trials]).toEqual([6, 106])
  expect(more?.trials_variance).toBe(own?.trials_variance ?? Number.NaN)
  expect(more?.trials_effective).toBeCloseTo((own?.trials_effective ?? 0) + 100, 10)
  expect(more?.trials_distinct).toBe((own?.trials_distinct ?? 0) + 100)
  expect(result.verdict.already_tried?.variance_from).toBe('trials')
  expect(result.verdict.already_tried?.sharpe_threshold).toBe(more?.sharpe_threshold ?? Number.NaN)
  expect(more?.dsr ?? Number.NaN).toBeCloseTo(plainDsr(netOf(result), own?.trials_variance ?? 0, 106), 2)
  expect(result.verdict.spa_level).toBeCloseTo((alone.verdict.spa_level * 6) / 106, 14)
  expect(result.trials).toEqual(alone.trials)
})

test('0 trials before change nothing but the echoed request', async () => {
  const { request, ...result } = await run({ panel, trials_already_tried: 0 })
  const { request: _, ...alone } = await run({ panel })
  expect(result).toEqual(alone)
  expect(request?.trials_already_tried).toBe(0)
})

test('a fraction, a negative number and a text are refused by name', async () => {
  for (const sent of [-1, 1.5, '20', 2_000_000]) {
    const error = await bench.run({ panel, trials_already_tried: sent }).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error instanceof Failure && error.details.param).toBe('trials_already_tried')
  }
})
