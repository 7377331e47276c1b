import type { Licence, Principal } from '../../model/access.ts'
import type { StoredKey } from '../../store/keys/findKey.ts'
import type { Limits } from '../limits/verdict.ts'
import { soldLimits } from './soldLimits.ts'

/** Who sent a request, what the verbs may show them, and how they are counted. */
export interface Caller {
  readonly principal: Principal
  /** For people and logs: the key's prefix, or `demo`. */
  readonly name: string
  /** The counter of the minute and day limits. */
  readonly subject: string
  readonly limits: Limits
}

const demo = soldLimits('demo', false)
const demoPrincipal: Principal = Object.freeze({
  keyId: null,
  licence: 'demo',
  quant: false,
  entityCap: null,
  bulk: false,
})

/** Everybody holds the demo key, so its users are told apart by address. */
export function demoCaller(address: string): Caller {
  return { principal: demoPrincipal, name: 'demo', subject: `demo:${address}`, limits: demo }
}

export function keyCaller(key: StoredKey): Caller {
  const principal: Principal = Object.freeze({
    keyId: key.keyId,
    licence: key.licence as Licence,
    quant: key.quant,
    entityCap: key.entityCap,
    bulk: key.bulk,
  })
  return {
    principal,
    name: key.prefix,
    subject: `key:${key.keyId}`,
    limits: { perMinute: key.perMinute, perDay: key.perDay },
  }
}
