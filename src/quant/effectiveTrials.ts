/** Effective number of independent trials: rho + (1 - rho) M, rho the mean correlation between pairs of the M trials.
 * Uncorrelated trials count in full, equal ones as one. Never below 1 nor above M.
 *
 * @see Lopez de Prado, M. and Lewis, M. J. (2019), Detection of False Investment Strategies, Quantitative Finance 19(9) */
export function effectiveTrials(trials: number, meanCorrelation: number): number {
  return Math.min(trials, Math.max(1, meanCorrelation + (1 - meanCorrelation) * trials))
}
