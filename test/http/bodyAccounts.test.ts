import { describe, expect, test } from 'bun:test'
import { type BodyAccount, type BodyOwner, sweepMs } from '../../src/http/bodies/bodyAccount.ts'
import { BodyAccounts } from '../../src/http/bodies/bodyAccounts.ts'
import { ownerOf } from '../../src/http/body.ts'
import { type Licence, licenceLimits } from '../../src/rights/licences.ts'

const kilobyte = 1_024
const megabyte = 1_024 * kilobyte
const largest = 256 * megabyte

let keys = 0
const keyOf = (licence: Licence, address: string, quant = false): BodyOwner =>
  ownerOf({ keyId: ++keys, licence, quant }, address)
const demoAt = (address: string): BodyOwner =>
  ownerOf({ keyId: null, licence: 'demo', quant: false }, address)

/** Accounts whose clock the test moves. */
function bench(size = largest) {
  const accounts = new BodyAccounts(size)
  const cut: string[] = []
  const open = (owner: BodyOwner, announced: number | null = null, name = owner.caller): BodyAccount =>
    accounts.open(owner, announced, owner.maxBytes ?? size, ({ code }) => cut.push(`${name}: ${code}`))
  const pass = (seconds: number, each: (second: number) => void = () => {}) => {
    const perSecond = 1_000 / sweepMs
    for (let i = 0; i < seconds * perSecond; i++) {
      if (i % perSecond === 0) each(i / perSecond)
      accounts.sweep()
    }
  }
  return { accounts, cut, open, pass }
}

const failureOf = (act: () => unknown): string => {
  try {
    act()
    return 'none'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('the speed of a body is that of its last five seconds', () => {
  for (const [what, bytesPerSecond, cutAfter] of [
    ['a byte a second', 1, 6],
    ['just too slow', 16 * kilobyte - 1, 6],
    ['fast enough', 16 * kilobyte, null],
  ] as const)
    test(`${what}: ${cutAfter === null ? 'stays' : `is cut within ${cutAfter} s`}`, () => {
      const { open, pass, cut } = bench()
      const body = open(keyOf('personal', '10.0.0.1'))
      pass(5, () => body.receive(bytesPerSecond))
      expect(cut).toHaveLength(0)
      pass(15, () => {
        if (body.failure === null) body.receive(bytesPerSecond)
      })
      expect(cut).toHaveLength(cutAfter === null ? 0 : 1)
      if (cutAfter !== null) expect(body.failure?.message).toContain('arrived too slowly')
    })

  test('the time in which the server unpacks or stores what it has does not count', () => {
    const { open, pass, cut } = bench()
    const body = open(keyOf('personal', '10.0.0.1'))
    body.receive(100 * kilobyte)
    body.isAwaited = false
    pass(10 * 60)
    expect(cut).toEqual([])
    body.isAwaited = true
    pass(5)
    expect(cut).toEqual([])
    pass(6)
    expect(cut).toHaveLength(1)
    expect(body.failure?.message).toStartWith('The body arrived too slowly: after 102,400 bytes')
  })

  test('what came before earns no credit: 200 MB in the first second, and then nothing', () => {
    const { open, pass, accounts } = bench()
    const body = open(keyOf('personal', '10.0.0.1'), largest)
    pass(1, () => body.receive(200 * megabyte))
    pass(6)
    expect(body.failure?.code).toBe('body_invalid')
    expect([accounts.held, accounts.arriving]).toEqual([0, 0])
  })

  test('a body that has arrived is not judged: its bytes count until it is closed', () => {
    const { open, pass, accounts } = bench()
    const body = open(keyOf('personal', '10.0.0.1'), 1_000)
    body.receive(1_000)
    body.complete()
    pass(3_600)
    expect([body.failure, accounts.held]).toEqual([null, 1_000])
    body.close()
    body.close()
    expect(accounts.held).toBe(0)
  })
})

describe('a body has a deadline by its size', () => {
  for (const [licence, announced, seconds] of [
    ['demo', megabyte, 32],
    ['demo', null, 32],
    ['personal', 5 * megabyte, 110],
    ['evaluation', 64 * megabyte, 1_054],
    ['personal', largest, 4_126],
    ['personal', null, 4_126],
  ] as const)
    test(`${licence}, ${announced ?? 'nothing'} announced: ${seconds} s`, () => {
      const { open, pass } = bench()
      const owner = licence === 'demo' ? demoAt('10.0.0.1') : keyOf(licence, '10.0.0.1')
      const body = open(owner, announced)
      const feed = () => {
        if (body.failure !== null) return
        body.receive(20 * kilobyte)
        body.release(20 * kilobyte)
      }
      pass(seconds, feed)
      expect(body.failure).toBeNull()
      pass(1, feed)
      expect(body.failure?.message).toContain(`within the limit of ${seconds} seconds`)
    })
})

test('5 MB from a phone that sends 64 KB per second arrive', () => {
  const { open, pass } = bench()
  const body = open(keyOf('personal', '10.0.0.1'), 5 * megabyte)
  pass(80, () => body.receive(64 * kilobyte))
  body.complete()
  expect([body.failure, body.held]).toEqual([null, 5 * megabyte])
})

describe('what a caller may have in flight', () => {
  for (const [licence, quant, megabytes] of [
    ['demo', false, 1],
    ['free', false, 1],
    ['free', true, 512],
    ['evaluation', false, 512],
    ['personal', false, 512],
    ['oem', false, 512],
  ] as const)
    test(`${licence}${quant ? ' with the quant plan' : ''}: ${megabytes} MB`, () => {
      const { open } = bench()
      const owner = licence === 'demo' ? demoAt('10.0.0.1') : keyOf(licence, '10.0.0.1', quant)
      const halves = [1, 2].map(() => {
        const body = open(owner)
        body.receive((megabytes / 2) * megabyte)
        body.complete()
        return body
      })
      const further = open(owner)
      expect(failureOf(() => further.receive(1))).toContain(`${megabytes} MB of request bodies in flight`)
      halves[0].close()
      const again = open(owner)
      again.receive(1)
      expect(again.failure).toBeNull()
    })

  test('the table of licences says so', () => {
    expect(licenceLimits('demo', false).bodyBytes).toBe(megabyte)
    expect(licenceLimits('free', false).bodyBytes).toBe(megabyte)
    expect(licenceLimits('free', true).bodyBytes).toBeNull()
  })

  test('bytes that were announced take no room, and those made of others do', () => {
    const { open, accounts } = bench()
    const owner = demoAt('10.0.0.1')
    for (let i = 0; i < 10; i++) open(owner, megabyte)
    expect(accounts.held).toBe(0)
    const body = open(owner, 1_000)
    body.receive(1_000)
    body.hold(megabyte - 1_000)
    expect(failureOf(() => body.hold(1))).toContain('1 MB of request bodies')
  })

  test('an address has three of the largest bodies, whatever keys it uses', () => {
    const { open } = bench()
    for (let i = 0; i < 3; i++) {
      const body = open(keyOf('personal', '10.0.0.1'))
      body.receive(largest)
      body.complete()
    }
    expect(failureOf(() => open(keyOf('personal', '10.0.0.1'), 1))).toContain('Your address may have 768 MB')
    open(keyOf('personal', '10.0.0.2')).receive(largest)
  })

  test('a body that cannot fit is refused before it is sent; one for which others can be cut is not', () => {
    const { open } = bench()
    const done = open(demoAt('10.0.0.1'), megabyte)
    done.receive(megabyte)
    done.complete()
    expect(failureOf(() => open(demoAt('10.0.0.1'), 1))).toContain('1 MB of request bodies in flight')
    const arriving = open(demoAt('10.0.0.2'), megabyte)
    arriving.receive(megabyte)
    expect(failureOf(() => open(demoAt('10.0.0.2'), 1))).toBe('none')
  })
})

describe('who is cut when there is no room', () => {
  test('demo and free callers share a quarter of the room; their largest holder goes first', () => {
    const { open, cut, accounts } = bench(4 * megabyte)
    const small = open(demoAt('10.0.0.1'), null, 'small')
    small.receive(100 * kilobyte)
    for (const [last, size] of [
      [2, 900],
      [3, 1_000],
      [4, 1_024],
      [5, 1_020],
    ])
      open(demoAt(`10.0.0.${last}`), null, `${size}`).receive(size * kilobyte)
    expect(cut).toEqual([])
    open(demoAt('10.0.0.6'), null, 'late').receive(200 * kilobyte)
    expect(cut).toEqual(['1024: compute_busy'])
    expect(accounts.held).toBeLessThanOrEqual(4 * megabyte)
  })

  test('of demo and free the demo callers, although a free key holds more', () => {
    const { open, cut } = bench(2 * megabyte)
    open(keyOf('free', '10.0.0.1'), null, 'free').receive(megabyte)
    open(demoAt('10.0.0.2'), null, 'demo').receive(900 * kilobyte)
    open(keyOf('free', '10.0.0.3'), null, 'late').receive(500 * kilobyte)
    expect(cut).toEqual(['demo: compute_busy'])
  })

  test('a demo caller never cuts a free key, nor one that holds less', () => {
    const { open, cut } = bench(megabyte)
    open(keyOf('free', '10.0.0.1'), null, 'free').receive(megabyte)
    const demo = open(demoAt('10.0.0.2'), null, 'demo')
    expect(failureOf(() => demo.receive(1))).toContain('The server has reached its limit')
    expect(cut).toEqual(['demo: compute_busy'])
  })

  test('a paid upload cuts who does not pay, in the order of the tiers, and never one that has arrived', () => {
    const { open, cut } = bench(2 * megabyte)
    const done = open(demoAt('10.0.0.1'), null, 'done')
    done.receive(megabyte)
    done.complete()
    open(keyOf('evaluation', '10.0.0.2'), null, 'evaluation').receive(4 * megabyte)
    open(keyOf('free', '10.0.0.3'), null, 'free').receive(200 * kilobyte)
    open(demoAt('10.0.0.4'), null, 'demo').receive(100 * kilobyte)
    const paid = open(keyOf('personal', '10.0.0.5'), null, 'paid')
    paid.receive(2 * megabyte)
    expect(cut).toEqual([])
    const upload = open(keyOf('oem', '10.0.0.6'), null, 'upload')
    upload.receive(900 * kilobyte)
    expect(cut).toEqual(['demo: compute_busy', 'free: compute_busy'])
    upload.receive(400 * kilobyte)
    expect(cut.slice(2)).toEqual(['evaluation: compute_busy'])
    expect(done.failure).toBeNull()
  })

  test('within a caller its largest body', () => {
    const { open, cut } = bench()
    const owner = demoAt('10.0.0.1')
    open(owner, null, 'large').receive(900 * kilobyte)
    open(owner, null, 'small').receive(100 * kilobyte)
    open(owner, null, 'late').receive(50 * kilobyte)
    expect(cut).toEqual(['large: compute_busy'])
  })

  test('a body that was cut takes nothing more', () => {
    const { open, accounts } = bench()
    const owner = demoAt('10.0.0.1')
    const large = open(owner, null, 'large')
    large.receive(900 * kilobyte)
    open(owner, null, 'late').receive(500 * kilobyte)
    expect(failureOf(() => large.receive(1))).toContain('1 MB of request bodies')
    expect(accounts.held).toBe(500 * kilobyte)
    large.close()
    expect([accounts.held, accounts.arriving]).toEqual([500 * kilobyte, 1])
  })
})

describe('a crowd of bodies that arrive slowly', () => {
  const arriving = (bodies: readonly BodyAccount[]) => bodies.filter(({ failure }) => failure === null)

  test('of a caller: 128 stay, the fastest', () => {
    const { open, pass } = bench()
    const bodies = Array.from({ length: 138 }, (_, i) => {
      const body = open(demoAt('10.0.0.1'))
      body.receive(1 + i)
      return body
    })
    expect(arriving(bodies)).toHaveLength(138)
    pass(1)
    expect(arriving(bodies)).toEqual(bodies.slice(10))
    expect(bodies[0].failure?.message).toContain(
      'More than 128 request bodies are arriving slowly with one key',
    )
  })

  test('of an address: 256, and those of the lowest tier go first', () => {
    const { open, pass } = bench()
    const free = Array.from({ length: 20 }, () => open(keyOf('free', '10.0.0.1')))
    for (const body of free) body.receive(1_000)
    const paid = Array.from({ length: 250 }, () => open(keyOf('personal', '10.0.0.1')))
    pass(1)
    expect([arriving(free).length, arriving(paid).length]).toEqual([6, 250])
  })

  test('of all: 4,096', () => {
    const { open, pass } = bench()
    const demo = Array.from({ length: 5_000 }, (_, i) => open(demoAt(`10.0.${i >> 8}.${i % 256}`)))
    const paid = open(keyOf('personal', '10.0.0.1'))
    pass(1)
    expect([arriving(demo).length, paid.failure]).toEqual([4_095, null])
  })

  test('a body that arrives within half a second is never one of them', () => {
    const { open, pass } = bench()
    const slow = Array.from({ length: 1_000 }, () => open(demoAt('10.0.0.1')))
    pass(0.5)
    const quick = open(demoAt('10.0.0.1'), 4_000)
    quick.receive(4_000)
    pass(0.5)
    expect([arriving(slow).length, quick.failure]).toEqual([128, null])
  })
})
