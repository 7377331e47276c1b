import { Failure } from '../errors.ts'
import type { Call } from './Call.ts'

/** Backtests are the quant plan's. Returns the id of the key, which with that plan there always is. */
export function requireQuant(call: Call): number {
  const { principal } = call.knownCaller
  if (principal.quant && principal.keyId !== null) return principal.keyId
  throw new Failure(
    'quant_required',
    `Backtests need a key with the quant plan; this ${principal.licence} key has none.`,
    { param: 'Authorization' },
  )
}
