import { sampleMoments } from './moments.ts'

interface Rolling {
  /** Annualised; null until a window is full, or if it does not vary. */
  readonly sharpe: (number | null)[]
  /** Annualised; null until a window is full. */
  readonly volatility: (number | null)[]
}

/** Sharpe ratio and volatility of the last `window` periods at each period, as defined by `sharpe` and
 * `volatility`. Each window is summed from scratch: differences of running sums would add rounding errors to
 * quiet windows. O(T window).
 *
 * @param returns per period, fractions; T values
 * @param window periods, at least 2
 * @param periodsPerYear P */
export function rollingRatios(returns: Float64Array, window: number, periodsPerYear: number): Rolling {
  const root = Math.sqrt(periodsPerYear)
  const rolling: Rolling = { sharpe: [], volatility: [] }
  for (let t = 0; t < returns.length; t++) {
    if (t + 1 < window) {
      rolling.sharpe.push(null)
      rolling.volatility.push(null)
      continue
    }
    const { mean, standardDeviation } = sampleMoments(returns.subarray(t + 1 - window, t + 1))
    rolling.sharpe.push(standardDeviation === null ? null : (mean / standardDeviation) * root)
    rolling.volatility.push((standardDeviation ?? 0) * root)
  }
  return rolling
}
