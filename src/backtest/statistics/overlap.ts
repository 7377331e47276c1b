import { type Dataset, nameCount } from '../dataset/dataset.ts'

/** A return that differs from its date's mean by less than this fraction of the mean is considered equal to
 * it. */
const rounding = 1e-13

/** Overlap correlation: the pooled lag-1 autocorrelation of the assets' consecutive returns, each demeaned by
 * its date's mean:
 *
 *   sum x_{i,t} x_{i,t-1} / sqrt(sum x_{i,t}^2 sum x_{i,t-1}^2)
 *
 * over every asset with a known return in two neighbouring periods. Returns that overlap by m of n days give about
 * m / n, returns that do not overlap about 0. Null without a pair that varies. O(rows of the periods).
 *
 * @param periods date indices: the dates that the backtest uses, since only their returns are compounded */
export function overlapCorrelation(data: Dataset, periods: Int32Array): number | null {
  const assets = nameCount(data.assets)
  const last = new Float64Array(assets)
  const lastPeriod = new Int32Array(assets).fill(-2)
  let product = 0
  let squares = 0
  let squaresBefore = 0
  for (let t = 0; t < periods.length; t++) {
    const date = periods[t]
    const start = data.offsets[date]
    const end = data.offsets[date + 1]
    const mean = meanReturn(data.forwardReturn, start, end)
    for (let row = start; row < end; row++) {
      const r = data.forwardReturn[row]
      if (Number.isNaN(r)) continue
      const name = data.asset[row]
      const x = Math.abs(r - mean) > rounding * Math.abs(mean) ? r - mean : 0
      if (lastPeriod[name] === t - 1) {
        const before = last[name]
        product += x * before
        squares += x * x
        squaresBefore += before * before
      }
      last[name] = x
      lastPeriod[name] = t
    }
  }
  const scale = Math.sqrt(squares) * Math.sqrt(squaresBefore)
  return scale > 0 ? product / scale : null
}

/** Not `universeReturn`, whose four running sums round differently. */
function meanReturn(forwardReturn: Float64Array, start: number, end: number): number {
  let sum = 0
  let known = 0
  for (let row = start; row < end; row++) {
    const r = forwardReturn[row]
    if (Number.isNaN(r)) continue
    sum += r
    known++
  }
  return known === 0 ? 0 : sum / known
}
