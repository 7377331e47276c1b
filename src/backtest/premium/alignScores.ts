import { buildDataset } from '../dataset/build.ts'
import type { Columns, Dataset } from '../dataset/dataset.ts'
import { type ByVariant, type Variant, variants } from './lookAheadPremium.ts'

type Aligned =
  | { readonly dataset: Dataset; readonly scores: ByVariant<Float64Array>; readonly duplicate: null }
  /** As `buildDataset` reports it. */
  | { readonly dataset: null; readonly duplicate: { firstRow: number; secondRow: number } }

/** Builds a dataset from rows in any order, and puts the scores of all variants into its order. The dataset gets the
 * scores as sent. All of it is in shared memory.
 *
 * @param columns their `score` is ignored
 * @param scores of each row, in the order of the columns */
export function alignScores(columns: Omit<Columns, 'score'>, scores: ByVariant<Float64Array>): Aligned {
  // Each row carries its number as its score, so the dataset shows where every row went.
  const numbers = Float64Array.from({ length: columns.count }, (_, row) => row)
  const built = buildDataset({ ...columns, score: numbers })
  if (built.dataset === null) return { dataset: null, duplicate: built.duplicate }
  const rowOf = built.dataset.score
  const aligned: Record<Variant, Float64Array> = { sent: numbers, known: numbers, knownOrAnnounced: numbers }
  for (const variant of variants) {
    const sorted = new Float64Array(new SharedArrayBuffer(8 * rowOf.length))
    for (let i = 0; i < rowOf.length; i++) sorted[i] = scores[variant][rowOf[i]]
    aligned[variant] = sorted
  }
  return { dataset: { ...built.dataset, score: aligned.sent }, scores: aligned, duplicate: null }
}
