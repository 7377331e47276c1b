import { normalCdf, normalQuantile } from '../statistics/normal.ts'

/** Deflated Sharpe ratio: the probability that the true Sharpe ratio of the best of N trials exceeds what the best of
 * N worthless ones would show, PSR(sqrt(V) E(N)). Null where the probabilistic Sharpe ratio is.
 *
 * @param record of the winner
 * @param trialsVariance V, the ddof-1 variance of the trials' own per-period Sharpe ratios
 * @param trials N
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function deflatedSharpe(record: SharpeRecord, trialsVariance: number, trials: number): number | null {
  return probabilisticSharpe(record, sharpeThreshold(trialsVariance, trials))
}

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

/** A record's Sharpe ratio and what its error depends on. Everything is per period, nothing annualised. */
export interface SharpeRecord {
  readonly sharpePerPeriod: number
  /** T. */
  readonly periods: number
  /** g3, population moment. */
  readonly skew: number
  /** g4, population moment; a normal distribution has 3. */
  readonly kurtosisRaw: number
}

/** Probabilistic Sharpe ratio: the probability that the true Sharpe ratio exceeds SR*, given T periods of returns
 * that need not be normal:
 *
 *   PSR(SR*) = PHI((SR - SR*) sqrt(T - 1) / sqrt(1 - g3 SR + (g4 - 1) / 4 SR^2))
 *
 * Null with fewer than two periods, or where the moments leave no error to measure by.
 *
 * @param benchmarkPerPeriod SR*
 * @see Bailey, D. H. and Lopez de Prado, M. (2012), The Sharpe Ratio Efficient Frontier, Journal of Risk 15(2) */
export function probabilisticSharpe(record: SharpeRecord, benchmarkPerPeriod: number): number | null {
  const variance = sharpeErrorVariance(record)
  if (record.periods < 2 || !(variance > 0)) return null
  const distance = record.sharpePerPeriod - benchmarkPerPeriod
  return normalCdf((distance * Math.sqrt(record.periods - 1)) / Math.sqrt(variance))
}

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

/** SR* = sqrt(V) E(N): the per-period Sharpe ratio that the best of N worthless trials is expected to show. 0 for one
 * trial.
 *
 * @param trialsVariance V, the ddof-1 variance of the trials' own per-period Sharpe ratios
 * @param trials N, tried or effective
 * @see Bailey, D. H. and Lopez de Prado, M. (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5) */
export function sharpeThreshold(trialsVariance: number, trials: number): number {
  return Math.sqrt(trialsVariance) * expectedMaximumSharpe(trials)
}

/** Minimum track record length: the periods T that a record with these moments needs before its probabilistic Sharpe
 * ratio against SR* reaches `confidence`:
 *
 *   MinTRL = 1 + (1 - g3 SR + (g4 - 1) / 4 SR^2) (PHI^-1(confidence) / (SR - SR*))^2
 *
 * Not rounded up. Null where SR <= SR*: no length would do.
 *
 * @see Bailey, D. H. and Lopez de Prado, M. (2012), The Sharpe Ratio Efficient Frontier, Journal of Risk 15(2) */
export function minTrackRecordPeriods(
  record: Omit<SharpeRecord, 'periods'>,
  benchmarkPerPeriod: number,
  confidence: number,
): number | null {
  const distance = record.sharpePerPeriod - benchmarkPerPeriod
  if (!(distance > 0)) return null
  return 1 + sharpeErrorVariance(record) * (normalQuantile(confidence) / distance) ** 2
}
