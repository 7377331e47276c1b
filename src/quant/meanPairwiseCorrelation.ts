import { sampleMoments } from './sampleMoments.ts'

/** Mean Pearson correlation over all pairs of M series of T periods, without looking at pairs one by one: with z the
 * standardised series, |sum_c z_c|^2 = M + 2 sum_{a < b} rho_ab. Series that do not vary are left out; 0 where fewer
 * than two vary. O(M T).
 *
 * @param series M arrays of one length */
export function meanPairwiseCorrelation(series: readonly Float64Array[]): number {
  const total = new Float64Array(series[0]?.length ?? 0)
  let varying = 0
  for (const values of series) {
    const { mean, deviation } = sampleMoments(values)
    if (deviation === null) continue
    varying++
    const scale = 1 / (deviation * Math.sqrt(values.length - 1))
    for (let t = 0; t < values.length; t++) total[t] += (values[t] - mean) * scale
  }
  if (varying < 2) return 0
  let squares = 0
  for (let t = 0; t < total.length; t++) squares += total[t] * total[t]
  return (squares - varying) / (varying * (varying - 1))
}
