import { sampleMoments } from '../statistics/moments.ts'
import { type Design, decompose, influences, solve } from './leastSquares.ts'

/** A regression y = a + sum_k b_k f_k + e by least squares. The constant is the first coefficient. */
export interface Regression {
  readonly coefficients: Float64Array
  /** By Newey and West. */
  readonly standardErrors: Float64Array
  /** e. */
  readonly residuals: Float64Array
  /** 1 - SSR / SST, SST about the mean; null if y does not vary beyond rounding. */
  readonly rSquared: number | null
  /** 1 - (1 - R^2) (n - 1) / (n - K - 1). */
  readonly adjustedRSquared: number | null
  /** SSR. */
  readonly squares: number
  /** Whether the factors explain all of y but rounding. Then the standard errors are 0. */
  readonly isExact: boolean
}

/** SSR below this share of the sum of y_t^2 is rounding. */
const roundingBelow = 1e-24

/** Lags of the standard errors unless a request sends them: Newey and West's (1994) rule of thumb, at least h - 1,
 * since a portfolio of h tranches is correlated that far, and at most n - 1.
 *
 * @param periods n
 * @param tranches h */
export const defaultLags = (periods: number, tranches: number): number =>
  Math.min(periods - 1, Math.max(tranches - 1, Math.floor(4 * (periods / 100) ** (2 / 9))))

/** Least squares with standard errors that allow for heteroscedasticity and autocorrelation:
 *
 *   V = n / (n - K - 1) (X'X)^-1 S (X'X)^-1
 *   S = sum_t e_t^2 x_t x_t' + sum_{l=1..L} (1 - l / (L + 1)) sum_{t>l} e_t e_{t-l} (x_t x_{t-l}' + x_{t-l} x_t')
 *
 * It equals OLS(y, X).fit(cov_type='HAC', cov_kwds={'maxlags': L, 'use_correction': True}) of statsmodels. Only the
 * diagonal is computed, from the series e_t (X'X)^-1 x_t of each coefficient. O(T K L).
 *
 * @param lags L >= 0
 * @see Newey, W. K. and West, K. D. (1987), A Simple, Positive Semi-definite, Heteroskedasticity and Autocorrelation
 *   Consistent Covariance Matrix, Econometrica 55(3) */
export function regress(
  design: Design,
  factors: readonly Float64Array[],
  y: Float64Array,
  lags: number,
): Regression {
  const { rows, width } = design
  const coefficients = solve(design, y)
  const residuals = y.map((value, t) => {
    let fitted = coefficients[0]
    for (let k = 1; k < width; k++) fitted += coefficients[k] * factors[k - 1][t]
    return value - fitted
  })
  const squares = residuals.reduce((sum, e) => sum + e * e, 0)
  const isExact = squares <= roundingBelow * y.reduce((sum, value) => sum + value * value, 0)
  const correction = rows / (rows - width)
  const standardErrors = Float64Array.from(influences(design), influence =>
    isExact ? 0 : Math.sqrt(Math.max(0, correction * longRunSquares(influence, residuals, lags))),
  )
  const { mean, standardDeviation } = sampleMoments(y)
  const total = y.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const rSquared = standardDeviation === null ? null : 1 - squares / total
  return {
    coefficients,
    standardErrors,
    residuals,
    rSquared,
    adjustedRSquared: rSquared === null ? null : 1 - ((1 - rSquared) * (rows - 1)) / (rows - width),
    squares,
    isExact,
  }
}

/** sum_t g_t^2 + 2 sum_l (1 - l / (L + 1)) sum_{t>l} g_t g_{t-l} of g_t = e_t w_t. */
function longRunSquares(influence: Float64Array, residuals: Float64Array, lags: number): number {
  const g = residuals.map((e, t) => e * influence[t])
  let sum = 0
  for (let lag = 0; lag <= Math.min(lags, g.length - 1); lag++) {
    let products = 0
    for (let t = lag; t < g.length; t++) products += g[t] * g[t - lag]
    sum += (lag === 0 ? 1 : 2 * (1 - lag / (lags + 1))) * products
  }
  return sum
}

/** Coefficients of the regression on the last `window` periods at each period; null until the window is full, and
 * where its factors are collinear. Every window is decomposed from scratch. O(T window K^2).
 *
 * @returns one array per coefficient, the constant first */
export function rollingCoefficients(
  factors: readonly Float64Array[],
  y: Float64Array,
  window: number,
): (number | null)[][] {
  const all: (number | null)[][] = Array.from({ length: factors.length + 1 }, () => [])
  for (let t = 0; t < y.length; t++) {
    const from = t + 1 - window
    const design = from < 0 ? 0 : decompose(factors, from, window)
    const solved = typeof design === 'number' ? null : solve(design, y.subarray(from, t + 1))
    all.forEach((values, k) => {
      values.push(solved === null ? null : solved[k])
    })
  }
  return all
}
