import type { Manifest } from '../../markets/manifest.ts'

/** The markets whose figures may be passed on: their terms are read, or the operator answers for them. */
export const openMarkets = (
  manifests: readonly Manifest[],
  allowUnverifiedMarkets: readonly string[],
): readonly Manifest[] =>
  manifests.filter(({ code, licence }) => licence.verified || allowUnverifiedMarkets.includes(code))
