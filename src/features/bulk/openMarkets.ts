import type { Manifest } from '../../markets/manifest.ts'

/**
 * The markets whose figures may be redistributed: their terms were checked, or the operator takes
 * responsibility.
 */
export const openMarkets = (
  manifests: readonly Manifest[],
  allowUnverifiedMarkets: readonly string[],
): readonly Manifest[] =>
  manifests.filter(({ code, licence }) => licence.verified || allowUnverifiedMarkets.includes(code))
