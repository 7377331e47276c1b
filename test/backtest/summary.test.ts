import { expect, test } from 'bun:test'
import { allocateSeries } from '../../src/backtest/statistics/returns.ts'
import { autocorrelations } from '../../src/backtest/statistics/sharpe.ts'
import { summarise } from '../../src/backtest/summary.ts'

// design/backtest.md, section 5: lags L = max(h, floor(4 (T/100)^(2/9))), at most T / 10 and P - 1; Lo (2002), equation 20.
test('lo_sharpe of a portfolio of h tranches uses h lags', () => {
  const series = allocateSeries(200)
  series.net.set(Float64Array.from({ length: 200 }, (_, t) => 0.001 + Math.sin(t * t) / 100))
  const mean = series.net.reduce((a, b) => a + b, 0) / 200
  const deviation = Math.sqrt(series.net.reduce((sum, r) => sum + (r - mean) ** 2, 0) / 199)
  const expected = (lags: number) => {
    const rho = autocorrelations(series.net, mean, lags)
    const weighted = rho.reduce((sum, r, i) => sum + (252 - (i + 1)) * r, 0)
    return ((mean / deviation) * 252) / Math.sqrt(252 + 2 * weighted)
  }
  for (const [tranches, lags] of [
    [1, 4], // 4 * 2^(2/9) = 4.67
    [12, 12],
    [60, 20],
  ]) {
    expect(summarise(series, series.net, [], tranches, 252).loSharpe).toBeCloseTo(expected(lags), 10)
  }
})
