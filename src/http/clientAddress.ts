import { BlockList, isIP } from 'node:net'
import { Failure } from '../errors.ts'

export type ClientAddress = (socketAddress: string | null, forwardedFor: string | null) => string

/** Finds the address that rate limits use: the socket's or, behind a trusted proxy, the right-most entry of
 * X-Forwarded-For that is not a trusted proxy. Entries further left are the client's own claim, and trusting
 * them would let a client evade its limits. IPv6 counts by /64, the size of one customer's network. */
export function clientAddressReader(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = proxyMatcher(trustedProxies)
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

/** Whether an address is one of the trusted proxies. */
export function proxyMatcher(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = trustList(trustedProxies)
  return address => {
    const plain = plainAddress(address)
    return plain !== null && trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
}

function trustList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address, bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const maxBits = family === 'ipv6' ? 128 : 32
    const prefix = bits === undefined ? maxBits : Number(bits)
    if (isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > maxBits || bits === '') {
      throw new Failure(
        'parameter_invalid',
        `TRUSTED_PROXIES: '${entry}' is neither an address nor a network. Use entries like 10.0.0.7, 10.0.0.0/8 or fd00::/8.`,
        { param: 'TRUSTED_PROXIES' },
      )
    }
    list.addSubnet(address, prefix, family)
  }
  return list
}

/** An address without port, brackets or zone, with an IPv4-mapped address as IPv4; null: not an address. */
function plainAddress(text: string): string | null {
  let address = text
  if (address.startsWith('[')) address = address.slice(1, address.indexOf(']'))
  else if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(address)) address = address.slice(0, address.indexOf(':'))
  const zone = address.indexOf('%')
  if (zone >= 0) address = address.slice(0, zone)
  const version = isIP(address)
  if (version === 0) return null
  return version === 6 ? (mappedAddress(address) ?? address) : address
}

/** The IPv4 address inside an IPv4-mapped IPv6 address (::ffff:c633:644d, ::ffff:198.51.100.77); null: not a
 * mapped one. */
function mappedAddress(address: string): string | null {
  const groups = groupsOf(address)
  if (groups.slice(0, 5).some(group => group !== 0) || groups[5] !== 0xffff) return null
  return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].join('.')
}

/** A network whose addresses one customer may all hold: /24 of IPv4, /48 of IPv6.
 *
 * @param address as `ClientAddress` returns it */
export function networkOf(address: string): string {
  if (address.includes(':')) {
    const groups = groupsOf(address.slice(0, address.indexOf('/'))).slice(0, 3)
    return `${groups.map(group => group.toString(16)).join(':')}::/48`
  }
  return isIP(address) === 4 ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : address
}

function network(address: string): string {
  const groups = groupsOf(address).slice(0, 4)
  return `${groups.map(group => group.toString(16)).join(':')}::/64`
}

function groupsOf(address: string): number[] {
  const [head, tail] = address.split('::')
  const left = numbersOf(head)
  const right = numbersOf(tail ?? '')
  const gap = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<number>(gap).fill(0), ...right]
}

function numbersOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(part => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a, b, c, d] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
