const rootTwoPi = 2.5066282746310002

/** Density of the standard normal distribution, phi(x) = exp(-x^2 / 2) / sqrt(2 PI), to about 1e-15 of its value.
 *
 * x is split at 1/16: the square of the coarse part is exact, so far out the exponential does not multiply the
 * rounding of x^2 (without it 40 standard deviations out would be good to 1e-13 only).
 *
 * @see Cody, W. J. (1969), Rational Chebyshev Approximations for the Error Function, Math. Comp. 23 */
export function normalDensity(x: number): number {
  const coarse = Math.trunc(x * 16) / 16
  return (Math.exp((-coarse * coarse) / 2) * Math.exp((-(x - coarse) * (x + coarse)) / 2)) / rootTwoPi
}
