import type { Limits } from '../limits/decision.ts'
import { demoPrincipal } from './authenticate.ts'
import { licenceLimits, type Principal } from './licences.ts'

/** Who looks at a page or downloads a file. */
export interface Visitor {
  /** What the visitor may see. */
  readonly principal: Principal
  /** For messages and logs. */
  readonly name: string
  /** The limits of their downloads, which are counted per address. */
  readonly downloads: Limits
}

const freeLimits = licenceLimits('free', false)

/** The limits of pages, whoever looks at them. */
export const pageLimits: Limits = { perMinute: freeLimits.perMinute, perDay: freeLimits.perDay }

const signedOut: Visitor = Object.freeze({
  principal: demoPrincipal,
  name: 'visitor',
  downloads: pageLimits,
})

/** The visitor who sent a request. Signed out one sees what the demo key sees. */
export function visitorOf(_request: Request): Visitor {
  return signedOut
}
