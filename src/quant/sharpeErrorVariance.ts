import type { SharpeRecord } from './probabilisticSharpe.ts'

/** T - 1 times the variance of an estimated per-period Sharpe ratio: 1 - g3 SR + (g4 - 1) / 4 SR^2. For normal
 * returns 1 + SR^2 / 2. Never below 0 for moments that a distribution can have, as g4 >= 1 + g3^2.
 *
 * @see Mertens, E. (2002), Comments on Variance of the IID estimator in Lo (2002) */
export function sharpeErrorVariance({
  sharpePerPeriod,
  skew,
  kurtosisRaw,
}: Omit<SharpeRecord, 'periods'>): number {
  return 1 - skew * sharpePerPeriod + ((kurtosisRaw - 1) / 4) * sharpePerPeriod ** 2
}
