import type { ReportedFact } from '../../facts/reportedFact.ts'

/**
 * Returns the figures of an earlier document without those for which a later document states another value in the same
 * filing, because the register has corrected its extraction. Derivation ignores the order of documents, so it must not
 * see both values.
 */
export function notMended(
  earlier: readonly ReportedFact[],
  later: readonly ReportedFact[],
): readonly ReportedFact[] {
  if (earlier.length === 0 || later.length === 0) return earlier
  const filings = new Set(earlier.map(({ filing }) => filing.accession))
  const stated = new Map<string, Set<number>>()
  for (const reported of later) {
    if (!filings.has(reported.filing.accession)) continue
    const key = keyOf(reported)
    const values = stated.get(key)
    if (values === undefined) stated.set(key, new Set([reported.value]))
    else values.add(reported.value)
  }
  if (stated.size === 0) return earlier
  return earlier.filter(reported => stated.get(keyOf(reported))?.has(reported.value) !== false)
}

const keyOf = ({ metric, tag, unit, start, end, rounded, filing }: ReportedFact): string =>
  `${filing.accession} ${metric} ${tag} ${unit} ${start} ${end} ${rounded}`
