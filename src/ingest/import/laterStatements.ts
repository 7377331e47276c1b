import type { ReportedFact } from '../../facts/reportedFact.ts'

/**
 * The figures of an earlier document, except for those to which a later document gives another value for the
 * same filing: the register corrected what it had extracted from the filing. Derivation ignores the order of
 * documents, so it must not see both values.
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
