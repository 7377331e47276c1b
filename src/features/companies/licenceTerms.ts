import type { Markets } from '../../markets/markets.ts'
import { freeLicenceAddress } from '../../rights/licences.ts'

/** Where the terms for these markets' figures are published. */
export function termsOf(markets: Pick<Markets, 'get'>, codes: readonly string[]) {
  return {
    licenceAddress: freeLicenceAddress,
    registerTerms: codes.flatMap(code => markets.get(code)?.licence.url ?? []),
  }
}
