import type { Manifest } from '../../model/market.ts'

/** Says of an entity without figures what may be the reason: in some markets accounts do not say their own day. */
export const withReason = (absence: string, manifest: Manifest | undefined): string =>
  manifest?.filed.untold === undefined ? absence : `${absence} ${manifest.filed.untold}`
