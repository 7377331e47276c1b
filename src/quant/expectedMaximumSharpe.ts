import { normalQuantile } from './normalQuantile.ts'

const eulerMascheroni = 0.5772156649015329

/** Expected maximum of N independent standard normals, the Sharpe ratio that the best of N worthless trials shows,
 * in units of the trials' deviation:
 *
 *   E(N) = (1 - gamma) PHI^-1(1 - 1/N) + gamma PHI^-1(1 - 1/(N e))
 *
 * 0 for one trial or fewer, and nowhere below 0 (for an effective number of trials just above 1 the approximation
 * would be).
 *
 * @param trials N; need not be whole
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function expectedMaximumSharpe(trials: number): number {
  if (trials <= 1) return 0
  const expected =
    (1 - eulerMascheroni) * normalQuantile(1 - 1 / trials) +
    eulerMascheroni * normalQuantile(1 - 1 / (trials * Math.E))
  return Math.max(0, expected)
}
