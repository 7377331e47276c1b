const seam = 1.5

/** PHI(x), the standard normal distribution function, to 1e-14 of its value in both tails (0 below about
 * -38.5). NaN for NaN.
 *
 * Up to one and a half deviations, by the series of `normalArea`. Beyond that, by Laplace's continued
 * fraction of the tail, PHI(-x) = phi(x) / (x + 1 / (x + 2 / (x + 3 / ...))), which has no cancellation.
 * (With the switch at two deviations, .5 minus the series would be accurate only to 2e-14.)
 *
 * Implemented here, because the tables of simple-statistics are wrong by up to 2e-3, and its quantiles by
 * 1e-2.
 *
 * @see Abramowitz, M. and Stegun, I. A. (1964), Handbook of Mathematical Functions, 26.2.14 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return Number.NaN
  if (Math.abs(x) <= seam) return 0.5 + normalArea(x)
  const tail = lowerTail(Math.abs(x))
  return x < 0 ? tail : 1 - tail
}

/** PHI(x) - 1/2 = phi(x) (x + x^3 / 3 + x^5 / (3 5) + x^7 / (3 5 7) + ...). All terms have one sign, so a value near 0
 * is as accurate as a large one. For |x| of a few units.
 *
 * @see Marsaglia, G. (2004), Evaluating the Normal Distribution, Journal of Statistical Software 11(4) */
function normalArea(x: number): number {
  let term = x
  let sum = x
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) {
    term *= (x * x) / k
    sum += term
  }
  return sum * normalDensity(x)
}

/** PHI(-x) for x >= 1.5. The fraction starts at its 200th level: at x = 1.5 double precision needs 160. */
function lowerTail(x: number): number {
  if (x > 40) return 0
  let fraction = x
  for (let level = 200; level >= 1; level--) fraction = x + level / fraction
  return normalDensity(x) / fraction
}

const rootTwoPi = 2.5066282746310002

/** phi(x) = exp(-x^2 / 2) / sqrt(2 PI), the density of the standard normal distribution, to about 1e-15 of
 * its value.
 *
 * x is split at 1/16. The square of the coarse part is exact, so the exponential does not multiply the
 * rounding of x^2 in the tails. Without the split, 40 standard deviations out would be accurate only to
 * 1e-13.
 *
 * @see Cody, W. J. (1969), Rational Chebyshev Approximations for the Error Function, Math. Comp. 23 */
export function normalDensity(x: number): number {
  const coarse = Math.trunc(x * 16) / 16
  return (Math.exp((-coarse * coarse) / 2) * Math.exp((-(x - coarse) * (x + coarse)) / 2)) / rootTwoPi
}

/** PHI^-1(p), the standard normal quantile, to 1e-14 of its value. -Infinity at 0, Infinity at 1, NaN
 * outside.
 *
 * A rational first guess, good to 4.5e-4, and Halley's iteration on PHI, which cubes the error: three steps
 * are one more than needed. Near the middle the iteration uses PHI - 1/2, so that p = .5 + 1e-12 keeps its
 * digits.
 *
 * @see Abramowitz, M. and Stegun, I. A. (1964), Handbook of Mathematical Functions, 26.2.23 (first guess) */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return Number.NaN
  if (p === 0) return Number.NEGATIVE_INFINITY
  if (p > 0.5) return -normalQuantile(1 - p)
  let x = firstGuess(p)
  for (let step = 0; step < 3; step++) {
    const excess = p > 0.025 ? normalArea(x) - (p - 0.5) : normalCdf(x) - p
    const newton = excess / normalDensity(x)
    x -= newton / (1 + (x * newton) / 2)
  }
  return x
}

/** For p <= 1/2. */
function firstGuess(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p))
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328)
  const denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
  return numerator / denominator - t
}
