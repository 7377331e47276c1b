import { type ComputeCaller, paidKey } from '../backtest/pool/caller.ts'
import { isUnpaid, type Principal } from '../rights/licences.ts'
import { networkOf } from './clientAddress.ts'

/** The caller whom compute threads are charged to: a key, or an address without one. The tier comes from the
 * rights found for the request, so a client cannot claim another one.
 *
 * @param address of the client, as rate limits count it */
export function computeCaller(
  principal: Pick<Principal, 'keyId' | 'licence' | 'quant'>,
  address: string,
): ComputeCaller {
  const { keyId } = principal
  if (keyId === null) return { tier: 'demo', name: address, network: networkOf(address) }
  return isUnpaid(principal) ? { tier: 'free', name: `key:${keyId}`, network: null } : paidKey(keyId)
}
