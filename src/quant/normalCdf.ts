import { normalDensity } from './normalDensity.ts'

const seam = 1.5

/** PHI(x), the standard normal distribution function, to 1e-14 of its value in both tails (0 below about -38.5).
 *
 * Within one and a half deviations by the series of `normalArea`; beyond by Laplace's continued fraction of the tail,
 * PHI(-x) = phi(x) / (x + 1 / (x + 2 / (x + 3 / ...))), which cancels nothing. (Up to two deviations, .5 less the series
 * would be good to 2e-14 only.)
 *
 * @see Abramowitz, M. and Stegun, I. A. (1964), Handbook of Mathematical Functions, 26.2.14 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return Number.NaN
  if (Math.abs(x) <= seam) return 0.5 + normalArea(x)
  const tail = lowerTail(Math.abs(x))
  return x < 0 ? tail : 1 - tail
}

/** PHI(x) - 1/2 = phi(x) (x + x^3 / 3 + x^5 / (3 5) + x^7 / (3 5 7) + ...): all terms of one sign, so a value near 0
 * is as exact as a large one. For |x| of a few units.
 *
 * @see Marsaglia, G. (2004), Evaluating the Normal Distribution, Journal of Statistical Software 11(4) */
export function normalArea(x: number): number {
  let term = x
  let sum = x
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) {
    term *= (x * x) / k
    sum += term
  }
  return sum * normalDensity(x)
}

/** PHI(-x) for x >= 1.5, the fraction taken from its 200th level up: at x = 1.5 the 160th is past double precision. */
function lowerTail(x: number): number {
  if (x > 40) return 0
  let fraction = x
  for (let level = 200; level >= 1; level--) fraction = x + level / fraction
  return normalDensity(x) / fraction
}
