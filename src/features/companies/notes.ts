import type { Manifest } from '../../markets/manifest.ts'

/** What an answer says of an ID whose suffix the register leaves open: in a market of several suffixes the entity goes by
 * the same number with another one too. null: nothing is assumed.
 *
 * @param others IDs of the entity */
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

/** Says of an entity without figures what may be the reason: in some markets accounts do not say their own day. */
export const withReason = (absence: string, manifest: Manifest | undefined): string =>
  manifest?.filed.untold === undefined ? absence : `${absence} ${manifest.filed.untold}`
