import { describe, expect, test } from 'bun:test'
import { clientAddressReader } from '../../src/http/clientAddress.ts'

describe('without trusted proxies', () => {
  const read = clientAddressReader([])
  test('the socket counts, and what a client claims does not', () => {
    expect(read('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
    expect(read(null, '198.51.100.1')).toBe('local')
  })

  test('an IPv6 customer is a /64, an IPv4 address in IPv6 coat is itself', () => {
    const same = [
      '2001:db8:1:2::1',
      '2001:DB8:1:2:ffff:ffff:ffff:ffff',
      '2001:db8:1:2:0:0:0:9',
      '2001:0db8:0001:0002::',
    ]
    for (const address of same) expect(read(address, null)).toBe('2001:db8:1:2::/64')
    expect(read('2001:db8:1:3::1', null)).toBe('2001:db8:1:3::/64')
    expect(read('2001:db8::1', null)).toBe('2001:db8:0:0::/64')
    expect(read('::1', null)).toBe('0:0:0:0::/64')
    expect(read('fe80::1%eth0', null)).toBe('fe80:0:0:0::/64')
    expect(read('::ffff:203.0.113.9', null)).toBe('203.0.113.9')
  })
})

describe('behind trusted proxies', () => {
  const read = clientAddressReader(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
  test('the right-most entry that is not trusted counts', () => {
    expect(read('10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
    expect(read('10.1.2.3', '6.6.6.6, 198.51.100.1, 10.9.9.9, 192.0.2.7')).toBe('198.51.100.1')
    expect(read('fd12::1', '2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
    expect(read('::ffff:10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
  })

  test('a client that speaks to us directly cannot claim another address', () => {
    expect(read('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
  })

  test('ports and brackets come off; what is no address ends the walk', () => {
    expect(read('10.1.2.3', '198.51.100.1:4711')).toBe('198.51.100.1')
    expect(read('10.1.2.3', '[2001:db8:1:2::9]:443')).toBe('2001:db8:1:2::/64')
    for (const odd of ['', 'unknown', "'; drop table", '999.1.1.1', ',,,', '10.0.0.1:x']) {
      expect(read('10.1.2.3', odd)).toBe('10.1.2.3')
    }
  })

  test('where all are trusted, the left-most counts', () => {
    expect(read('10.1.2.3', '10.0.0.1, 10.0.0.2')).toBe('10.0.0.1')
  })
})

test('a setting that is no address is refused at the start', () => {
  for (const entry of ['proxy.internal', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0']) {
    expect(() => clientAddressReader([entry])).toThrow('TRUSTED_PROXIES')
  }
})
