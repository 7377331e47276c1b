/** Variance that the stationary bootstrap gives sqrt(T) times the mean of a series, with q = 1 / L:
 *
 *   w^2 = g_0 + 2 sum_{j=1..T-1} kappa_j g_j,  g_j = 1/T sum_t c_t c_{t+j},
 *   kappa_j = (T - j)/T (1 - q)^j + j/T (1 - q)^(T - j)
 *
 * computed without that double sum. With p = 1 - q, the pairs weighted by p^j are collected by recurrences over t:
 *
 *   a_t = sum_j p^j c_{t-j} = p (a_{t-1} + c_{t-1}),  b_t = sum_j j p^j c_{t-j} = p (b_{t-1} + a_{t-1} + c_{t-1})
 *
 * and those weighted by p^(T-j) from the far end: with e_t = sum_{i<t} p^i c_i and f_t = sum_{i<t} i p^i c_i,
 * the sum over j of j p^(T-j) c_{t-j} is p^(T-t) (t e_t - f_t). O(T).
 *
 * @param demeaned c, per period, in any unit: T values, none of them NaN
 * @param meanBlock L >= 1, in periods
 * @see Politis, D. N. and Romano, J. P. (1994), The Stationary Bootstrap, JASA 89(428) */
export function bootstrapVariance(demeaned: Float64Array, meanBlock: number): number {
  const periods = demeaned.length
  const p = 1 - 1 / meanBlock
  let squares = 0
  let near = 0
  let a = 0
  let b = 0
  for (let t = 0; t < periods; t++) {
    const c = demeaned[t]
    squares += c * c
    near += c * (a - b / periods)
    b = p * (b + a + c)
    a = p * (a + c)
  }
  return (squares + 2 * (near + farPairs(demeaned, p))) / periods
}

/** Sum over pairs of j / T p^(T - j) c_t c_{t-j}. The powers are products, because `**` may differ between
 * compilers. */
function farPairs(demeaned: Float64Array, p: number): number {
  const periods = demeaned.length
  const powers = powersOf(p, periods)
  let e = 0
  let f = 0
  let sum = 0
  for (let t = 0; t < periods; t++) {
    sum += demeaned[t] * powers[periods - t] * (t * e - f)
    const weighted = powers[t] * demeaned[t]
    e += weighted
    f += t * weighted
  }
  return sum / periods
}

let cachedPowers = { base: Number.NaN, powers: new Float64Array(0) }

/** p^0 .. p^count. The result of the last call is reused, since all configurations of a sweep need the same
 * powers. */
function powersOf(base: number, count: number): Float64Array {
  if (cachedPowers.base === base && cachedPowers.powers.length === count + 1) return cachedPowers.powers
  const powers = new Float64Array(count + 1)
  powers[0] = 1
  for (let i = 1; i <= count; i++) powers[i] = powers[i - 1] * base
  cachedPowers = { base, powers }
  return powers
}
