import { type ComputeCaller, paidKey } from '../backtest/pool/caller.ts'
import { isUnpaid, type Principal } from '../rights/licences.ts'
import { networkOf } from './clientAddress.ts'

/** For whom the threads work: a key, or an address without one. The tier is that of the rights that were found for the request, so nothing
 * that a client sends can claim another.
 *
 * @param address of the client, as limits count it */
export function computeCaller(
  principal: Pick<Principal, 'keyId' | 'licence' | 'quant'>,
  address: string,
): ComputeCaller {
  const { keyId } = principal
  if (keyId === null) return { tier: 'demo', name: address, network: networkOf(address) }
  return isUnpaid(principal) ? { tier: 'free', name: `key:${keyId}`, network: null } : paidKey(keyId)
}
