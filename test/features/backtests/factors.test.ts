import { afterAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { tearSheet } from '../../../src/backtest/report/tearSheet/page.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { endOfMonth, isoDate, registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { distance, frenchText, noise, referenceOf } from '../../backtest/factors/anyRegression.ts'
import { findPython } from '../../python.ts'
import { openBench } from './backtestBench.ts'
import { runToEnd } from './batch/batchBench.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)
const python = findPython('numpy')

async function run(body: unknown): Promise<BacktestResult & Required<Pick<BacktestResult, 'factors'>>> {
  const result = await bench.run(body)
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  const { factors } = result
  if (factors === undefined) throw new Error('the result has no factors')
  return { ...result, factors }
}

async function failure(body: unknown): Promise<Failure> {
  const error = await bench.run(body).catch((reason: unknown) => reason)
  if (error instanceof Failure) return error
  throw new Error(`expected a Failure, got ${JSON.stringify(error).slice(0, 200)}`)
}

/** The published returns of the months from July 1926 on, as fractions. */
const published = frenchText
  .split('\r\n')
  .filter(line => /^\d{6},/.test(line))
  .map(line => line.split(',').map(Number))
const factorOf = (column: number) => published.map(row => row[column] / 100)
const [market, smb, hml, rf] = [1, 2, 3, 4].map(factorOf)

const monthEnds = published.map((_, i) => isoDate(endOfMonth(1926, 6 + i)))

/** Eight names. The better its score, the more a name follows the market. */
const random = noise(42)
const errors = monthEnds.map(() => Array.from({ length: 8 }, () => 0.02 * random()))
const panel = monthEnds.flatMap((date, t) =>
  Array.from({ length: 8 }, (_, i) => ({
    date,
    asset: `N${i}`,
    score: i + (t % 2) / 4,
    forward_return: rf[t] + (0.5 + i / 8) * market[t] + (i % 3) * 0.2 * smb[t] + 0.001 * i + errors[t][i],
  })),
)
const config = { quantile: 0.5, costBps: 0, borrowBps: 0, returnDays: 21 }
const factors = { file: frenchText }

/** The net return of each period, by a plain loop: the four best less the four worst, at equal weight. */
const netOf = (direction: 'long_short' | 'long_only') =>
  monthEnds.map((_, t) => {
    const returns = panel.slice(8 * t, 8 * t + 8).map(({ forward_return }) => forward_return)
    const leg = (names: number[]) => names.reduce((sum, value) => sum + value, 0) / names.length
    const [worst, best] = [leg(returns.slice(0, 4)), leg(returns.slice(4))]
    return direction === 'long_only' ? best : best / 2 - worst / 2
  })

test.skipIf(python === null)(
  'alpha, betas, t values, R² and what remains are those of a plain reference, for both directions',
  async () => {
    for (const direction of ['long_short', 'long_only'] as const) {
      const { factors: own, periods_per_year: perYear } = await run({
        panel,
        config: { ...config, direction },
        factors,
      })
      const net = netOf(direction)
      const y = direction === 'long_only' ? net.map((value, t) => value - rf[t]) : net
      const given = { y, factors: [market, smb, hml], lags: own.lags, window: 36 }
      const reference = referenceOf(python ?? '', 'reference.py', given)
      expect(own.excess).toBe(direction === 'long_only' ? 'net_minus_rf' : 'net')
      expect(own.n_periods).toBe(42)
      expect(own.unmatched).toEqual([])
      expect(own.first_date).toBe('1926-06-30')
      expect(own.lags).toBe(Math.floor(4 * 0.42 ** (2 / 9)))
      const estimates = [own.alpha.per_period, ...own.betas.map(({ beta }) => beta)]
      expect(distance(estimates, reference.coefficients)).toBeLessThan(1e-10)
      const errorsOf = [own.alpha.standard_error, ...own.betas.map(({ standard_error }) => standard_error)]
      expect(distance(errorsOf, reference.standard_errors)).toBeLessThan(1e-10)
      expect(
        distance(
          [own.r_squared, own.adjusted_r_squared],
          [reference.r_squared, reference.adjusted_r_squared],
        ),
      ).toBeLessThan(1e-10)
      const [alpha, ...betas] = reference.coefficients
      expect(own.alpha.annual).toBeCloseTo(alpha * perYear, 10)
      expect(own.alpha.t).toBeCloseTo(alpha / reference.standard_errors[0], 8)
      const rest = y.map((value, t) => value - betas[0] * market[t] - betas[1] * smb[t] - betas[2] * hml[t])
      const mean = rest.reduce((sum, value) => sum + value, 0) / rest.length
      const sd = Math.sqrt(rest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (rest.length - 1))
      expect(own.residual.sharpe).toBeCloseTo((mean / sd) * Math.sqrt(perYear), 8)
      expect(own.residual.appraisal_ratio).toBeCloseTo(
        (alpha / reference.residual_error) * Math.sqrt(perYear),
        8,
      )
      const contributions = own.betas.reduce((sum, beta) => sum + (beta.contribution_annual ?? 0), 0)
      expect(contributions + (own.alpha.annual ?? 0)).toBeCloseTo(own.excess_mean_annual ?? 0, 10)
      expect(own.rolling?.window).toBe(36)
      reference.rolling.forEach((row, i) => {
        const at = 35 + i
        expect(distance(own.rolling?.betas.map(({ values }) => values[at]) ?? [], row.slice(1))).toBeLessThan(
          1e-10,
        )
      })
      expect(own.rolling?.betas[0].values.slice(0, 35)).toEqual(Array(35).fill(null))
    }
  },
)

test('columns give the same bits as the file, and the request is echoed', async () => {
  const body = { panel, config, factors: { ...factors, lags: 3, window: 12 } }
  const ofFile = await run(body)
  const columns = {
    date: monthEnds.map((_, i) => isoDate(endOfMonth(1926, 7 + i))),
    returns: { 'Mkt-RF': market, SMB: smb, HML: hml },
    rf,
    lags: 3,
    window: 12,
  }
  const ofColumns = await run({ panel, config, factors: columns })
  expect(ofColumns.factors).toEqual(ofFile.factors)
  expect(ofFile.factors.lags).toBe(3)
  expect(ofFile.request?.factors).toEqual(body.factors)
})

test('everything but factors stays as it is without them', async () => {
  const include = ['performance', 'curves', 'interval', 'spa']
  const { factors: _, request: __, ...with_ } = await run({ panel, config, include, factors })
  const { request: ___, ...without } = await bench.run({ panel, config, include })
  expect(with_).toEqual(without)
})

test('a sweep explains its winner, and deflates what remains by what remains of all trials', async () => {
  const sweep = { quantile: [0.25, 0.5], weighting: ['equal', 'rank'] }
  const result = await run({ panel, config, sweep, factors })
  const { factors: own } = result
  expect(own.residual.trials).toBe(4)
  const best = await run({
    panel,
    config: { ...config, ...result.best?.config, neutral: undefined, costBps: 0 },
    factors,
  })
  expect(own.alpha).toEqual(best.factors.alpha)
  expect(own.betas).toEqual(best.factors.betas)
  expect(own.rolling).toEqual(best.factors.rolling)
  expect(own.residual.sharpe).toBe(best.factors.residual.sharpe)
  expect(own.residual.psr).toBe(best.factors.residual.psr)
  expect(own.residual.dsr ?? 1).toBeLessThan(best.factors.residual.dsr ?? 0)
})

test('a record that is nothing but its factors is explained', async () => {
  const copied = panel.map((row, i) => ({
    ...row,
    forward_return:
      ((i % 8) + 1) * 0.1 * market[Math.floor(i / 8)] + 0.0001 * errors[Math.floor(i / 8)][i % 8],
  }))
  const { factors: own } = await run({ panel: copied, config, factors })
  expect(own.r_squared ?? 0).toBeGreaterThan(0.99)
  expect(own.residual.verdict.level).toBe('explained')
  const exact = panel.map((row, i) => ({
    ...row,
    forward_return: ((i % 8) + 1) * 0.1 * market[Math.floor(i / 8)],
  }))
  const same = await run({ panel: exact, config, factors })
  expect(same.factors.residual.appraisal_ratio).toBeNull()
  expect(same.factors.residual.sharpe).toBeNull()
  expect(same.factors.residual.verdict.reasons.map(({ code }) => code)).toEqual(['dsr_undefined'])
})

test('the tear sheet shows what explains the record after the evidence against luck', async () => {
  const page = tearSheet(await run({ panel, config, factors }), 'Test')
  expect(page).toContain('<h2 id="factors-name">What explains it</h2>')
  expect(page.indexOf('id="verdict"')).toBeLessThan(page.indexOf('id="factors"'))
  expect(page).toContain('Mkt-RF')
  expect(page).toContain('Rolling beta to SMB')
})

test('factors that cannot be used are refused with a reason', async () => {
  const daily = panel.map((row, i) => ({ ...row, date: isoDate(20_000 + Math.floor(i / 8)) }))
  const mismatch = await failure({ panel: daily, config: { ...config, returnDays: 1 }, factors })
  expect(mismatch.code).toBe('backtest_impossible')
  expect(mismatch.message).toContain('factors matches 0 of 42 periods exactly')
  expect(mismatch.message).toContain('Monthly factors match periods from one month end to another')
  const date = monthEnds.map((_, i) => isoDate(endOfMonth(1926, 7 + i)).slice(0, 7))
  const returns = { A: market, B: smb, 'A plus B': market.map((value, t) => value + smb[t]) }
  const collinear = await failure({ panel, config, factors: { date, returns } })
  expect(collinear.message).toContain('The factors A, B, A plus B are collinear')
  const longOnly = { ...config, direction: 'long_only' }
  const withoutRf = await failure({ panel, config: longOnly, factors: { date, returns: { A: market } } })
  expect(withoutRf.message).toContain('Send factors.rf')
  const window = await failure({ panel, config, factors: { ...factors, window: 4 } })
  expect(window.details.param).toBe('factors.window')
  const unknown = await failure({ panel, config, factors: { ...factors, model: 'ff3' } })
  expect(unknown.code).toBe('parameter_unknown')
  const empty = await failure({ panel, config, factors: {} })
  expect(empty.message).toContain('factors needs file, or both date and returns')
  const long = await failure({ panel, config, factors: { file: 'x'.repeat(4_000_100) } })
  expect(long.code).toBe('body_invalid')
})

test('periods without a factor return are left out and counted', async () => {
  const rows = frenchText.replace(/192703,[^\r]*/, '192703, -99.99, -99.99, -99.99, 0.30')
  const { factors: own } = await run({ panel, config, factors: { file: rows.replace(/192607,.*\r\n/, '') } })
  expect(own.n_periods).toBe(40)
  expect(own.unmatched).toEqual([
    { reason: 'outside', n_periods: 1, dates: ['1926-06-30'] },
    { reason: 'missing', n_periods: 1, dates: ['1927-02-28'] },
  ])
})

test('each backtest of a batch is explained as by itself, and what remains counts the trials of the batch', async () => {
  const configs = [config, { ...config, quantile: 0.25 }]
  const lines = await runToEnd(bench.deps, { panel, configs, factors })
  for (const [i, own] of configs.entries()) {
    const alone = await run({ panel, config: own, factors })
    const found = lines.find(({ index, object }) => object === 'batch_result' && index === i)?.result?.factors
    const { dsr, dsr_serial, trials, verdict, ...residual } = found?.residual ?? alone.factors.residual
    expect({ ...alone.factors, residual: { ...alone.factors.residual, ...residual } }).toEqual(alone.factors)
    expect(trials).toBe(2)
    expect(dsr ?? 1).toBeLessThan(alone.factors.residual.dsr ?? 0)
    expect(found?.betas).toEqual(alone.factors.betas)
  }
})

test('1, 2 and 4 threads give the same bits', async () => {
  const body = {
    panel,
    config,
    sweep: { quantile: [0.25, 0.5], weighting: ['equal', 'rank', 'score'] },
    factors,
  }
  const texts: string[] = []
  for (const threads of [1, 2, 4]) {
    const pool = new ComputePool({ threads, queue: 9, timeLimitMs: 20_000 })
    const own = { ...bench.deps, pool }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    texts.push(
      new TextDecoder().decode((await runBacktest(own, bytes, undefined, { caller: operator })).bytes),
    )
    await pool.close()
  }
  expect(texts[1]).toBe(texts[0])
  expect(texts[2]).toBe(texts[0])
  expect(texts[0]).toContain('"factors":{"frequency":"monthly"')
})
