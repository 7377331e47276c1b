import type { Manifest } from '../../markets/manifest.ts'

/** A note for an ID whose suffix is assumed: in a market with several suffixes (.KS, .KQ) the register may not state the board,
 * and the company then has the same number with each suffix. null: nothing is assumed.
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
  return `${suffix} is assumed: which of ${suffixes.join(' and ')} fits ${number} is not on file yet, and ${twins.join(', ')} names the same company.`
}

/** Adds the market's usual reason for missing figures: in some markets accounts do not state their own filing day. */
export const withReason = (absence: string, manifest: Manifest | undefined): string =>
  manifest?.filed.undated === undefined ? absence : `${absence} ${manifest.filed.undated}`
