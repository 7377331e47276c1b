import { sampleMoments } from '../statistics/moments.ts'

/** Effective number of independent trials: rho + (1 - rho) M, rho being the mean correlation between pairs of
 * the M trials. Uncorrelated trials count in full, equal ones as one. Never below 1 or above M.
 *
 * @param trials M
 * @param meanCorrelation rho, from `meanPairwiseCorrelation`
 * @see Lopez de Prado, M. and Lewis, M. J. (2019), Detection of False Investment Strategies, Quantitative
 *   Finance 19(9) */
export function effectiveTrials(trials: number, meanCorrelation: number): number {
  return Math.min(trials, Math.max(1, meanCorrelation + (1 - meanCorrelation) * trials))
}

/** Mean Pearson correlation over all pairs of M series of T periods. The pairs need not be formed: with z the
 * standardised series, |sum_c z_c|^2 = M + 2 sum_{a < b} rho_ab. Series that do not vary are left out; 0 if
 * fewer than two vary. O(M T).
 *
 * @param series M arrays of length T */
export function meanPairwiseCorrelation(series: readonly Float64Array[]): number {
  const total = new Float64Array(series[0]?.length ?? 0)
  let varying = 0
  for (const values of series) {
    const { mean, standardDeviation } = sampleMoments(values)
    if (standardDeviation === null) continue
    varying++
    const scale = 1 / (standardDeviation * Math.sqrt(values.length - 1))
    for (let t = 0; t < values.length; t++) total[t] += (values[t] - mean) * scale
  }
  if (varying < 2) return 0
  let squares = 0
  for (let t = 0; t < total.length; t++) squares += total[t] * total[t]
  return (squares - varying) / (varying * (varying - 1))
}
