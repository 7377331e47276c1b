import { normalQuantile } from './normalQuantile.ts'
import type { SharpeRecord } from './probabilisticSharpe.ts'
import { sharpeErrorVariance } from './sharpeErrorVariance.ts'

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
