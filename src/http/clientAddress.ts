import { BlockList, isIP } from 'node:net'
import { Failure } from '../errors.ts'

export type ClientAddress = (socketAddress: string | null, forwardedFor: string | null) => string

/** How the address of a client is found: the socket's, or, where that one is a trusted proxy, the right-most entry
 * of X-Forwarded-For that is not. Anything further left is the client's own claim. The answer names whom to
 * count: an IPv4 address, or the /64 of an IPv6 address, which is what one customer gets. */
export function clientAddressReader(trustedProxies: readonly string[]): ClientAddress {
  const trusted = trustList(trustedProxies)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (socketAddress, forwardedFor) => {
    if (socketAddress === null) return 'local'
    let address = plainAddress(socketAddress) ?? socketAddress
    if (trustedProxies.length > 0 && forwardedFor !== null) {
      const claims = forwardedFor.split(',')
      while (claims.length > 0 && isIP(address) !== 0 && isTrusted(address)) {
        const claim = plainAddress(claims.pop()?.trim() ?? '')
        if (claim === null) break
        address = claim
      }
    }
    return address.includes(':') ? network(address) : address
  }
}

function trustList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address, bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const most = family === 'ipv6' ? 128 : 32
    const prefix = bits === undefined ? most : Number(bits)
    if (isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most || bits === '') {
      throw new Failure(
        'parameter_invalid',
        `TRUSTED_PROXIES: '${entry}' is no address and no network; ones like 10.0.0.7, 10.0.0.0/8 or fd00::/8 are needed.`,
        { param: 'TRUSTED_PROXIES' },
      )
    }
    list.addSubnet(address, prefix, family)
  }
  return list
}

/** Without port, brackets, zone and the IPv6 coat of an IPv4 address; null: no address. */
function plainAddress(text: string): string | null {
  let address = text
  if (address.startsWith('[')) address = address.slice(1, address.indexOf(']'))
  else if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(address)) address = address.slice(0, address.indexOf(':'))
  const zone = address.indexOf('%')
  if (zone >= 0) address = address.slice(0, zone)
  if (/^::ffff:\d/i.test(address) && address.includes('.')) address = address.slice('::ffff:'.length)
  return isIP(address) === 0 ? null : address
}

/** The first four groups of an IPv6 address. */
function network(address: string): string {
  const [head, tail] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const width = 8 - (address.includes('.') ? 1 : 0)
  const gap = tail === undefined ? 0 : Math.max(0, width - left.length - right.length)
  const groups = [...left, ...Array<string>(gap).fill('0'), ...right].slice(0, 4)
  return `${groups.map(group => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}
