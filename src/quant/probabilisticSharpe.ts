import { normalCdf } from './normalCdf.ts'
import { sharpeErrorVariance } from './sharpeErrorVariance.ts'

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
