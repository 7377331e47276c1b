import type { Principal } from '../../access/licences.ts'
import { Failure } from '../../errors.ts'
import type { Manifest } from '../../markets/manifest.ts'

/** Refuses keys that may not take the whole data.
 *
 * @param what as the beginning of a sentence */
export function requireBulk(principal: Principal, what: string): void {
  if (principal.bulk) return
  const mend =
    principal.licence === 'oem'
      ? 'an OEM licence includes them where its order form says so, and this one does not'
      : `this ${principal.licence} key does not include them`
  throw new Failure(
    'licence_required',
    `${what} need the redistribution licence; ${mend}. The operator creates such a key with \`./asfiled keys create --email <address> --licence redistribution\`.`,
    { param: 'Authorization' },
  )
}

/** The markets whose figures may be passed on: their terms are read, or the operator answers for them. */
export const openMarkets = (
  manifests: readonly Manifest[],
  allowUnverifiedMarkets: readonly string[],
): readonly Manifest[] =>
  manifests.filter(({ code, licence }) => licence.verified || allowUnverifiedMarkets.includes(code))
