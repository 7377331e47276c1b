import type { Manifest } from '../../markets/manifest.ts'

/** A note for an ID whose suffix is assumed; null if nothing is assumed. In a market with several suffixes (.KS, .KQ), the
 * register may not state the board. The company then has an ID with each suffix.
 *
 * @param others further IDs of the company */
export function assumedSuffix(
  manifest: Manifest | undefined,
  ticker: string,
  others: readonly string[],
): string | null {
  const suffixes = manifest?.id.suffixes ?? []
  const suffix = suffixes.find(ending => ticker.endsWith(ending))
  if (suffixes.length < 2 || suffix === undefined) return null
  const number = ticker.slice(0, -suffix.length)
  const twins = suffixes
    .map(ending => `${number}${ending}`)
    .filter(twin => twin !== ticker && others.includes(twin))
  if (twins.length === 0) return null
  return `The suffix ${suffix} is assumed: it is not on record yet which of ${suffixes.join(' and ')} ${number} has. ${twins.join(', ')} is an ID of the same company.`
}

/** Adds the market's usual reason for missing figures: in some markets accounts do not state their own filing day. */
export const withReason = (absence: string, manifest: Manifest | undefined): string =>
  manifest?.filed.undated === undefined ? absence : `${absence} ${manifest.filed.undated}`
