import { afterAll, describe, expect, test } from 'bun:test'
import { parseMailbox, registrableDomain } from '../../../src/access/emailAddress.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { codeFor, TestBrowser } from './browser.ts'

const database = await testDatabase()
const { sql } = database
const servers = [await testServer(sql), await testServer(sql)]
afterAll(async () => {
  for (const server of servers) await server.stop()
  await database.close()
}, 180_000)

/** Sends `count` forms at once, half to each server. Returns how many were accepted. */
async function sendMany(count: number, one: (place: number) => { email: string; network?: string }) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, place) => {
      const { email, network } = one(place)
      return new TestBrowser(servers[place % 2].url, network).post('/sign-in', { email })
    }),
  )
  const refused = answers.filter(({ status }) => status === 429)
  for (const answer of refused) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.length + answers.filter(({ status }) => status === 303).length).toBe(count)
  return { accepted: count - refused.length, page: (await refused[0]?.text()) ?? '' }
}

describe('codes are sent a limited number of times, on two servers together', () => {
  test('to an address, from however many networks', async () => {
    const { accepted, page } = await sendMany(20, () => ({ email: 'victim@victim.example' }))
    expect(accepted).toBe(3)
    expect(page).toContain('Too many codes were sent to this address')
  })

  test('to an inbox, under however many names it has', async () => {
    const names = (place: number) => ({ email: `vic.tim+${place}@inbox.example` })
    expect((await sendMany(10, names)).accepted).toBe(3)
    const dotted = ['v.ictim', 'vi.ctim', 'vic.tim', 'vict.im', 'victi.m', 'victim+a']
    expect((await sendMany(6, place => ({ email: `${dotted[place]}@gmail.com` }))).accepted).toBe(3)
    // At other providers a dot makes another mailbox, and a plus sign at the start is no tag.
    expect((await sendMany(6, place => ({ email: `${dotted[place]}@inbox2.example` }))).accepted).toBe(6)
    expect((await sendMany(4, place => ({ email: `+${place}@inbox3.example` }))).accepted).toBe(4)
  })

  test('to a registrable domain: its subdomains count together, and another domain is not concerned', async () => {
    const { accepted, page } = await sendMany(40, place => ({
      email: `p${place}@mail${place % 3}.fund.co.uk`,
      network: `10.90.0.${place}`,
    }))
    // The last two are from the reserve.
    expect(accepted).toBe(20 + 2)
    expect(page).toContain('to fund.co.uk')
    expect((await sendMany(1, () => ({ email: 'a@other.co.uk' }))).accepted).toBe(1)
  })

  test('to a registrable domain: what is open to all, and then two from the reserve to each neighbourhood', async () => {
    const from = (neighbourhood: string) => (place: number) => ({
      email: `${neighbourhood}${place}@house.co.uk`,
      network: `10.${neighbourhood}.${place}`,
    })
    expect((await sendMany(40, from('91.1'))).accepted).toBe(20 + 2)
    expect((await sendMany(40, from('91.2'))).accepted).toBe(2)
    const sixth = (place: number) => ({ email: `six${place}@house.co.uk`, network: `2001:db8:1:${place}::1` })
    expect((await sendMany(40, sixth)).accepted).toBe(2)
  })

  test('from a network, and one that is used up takes nothing from an address', async () => {
    const { accepted, page } = await sendMany(30, place => ({
      email: `q${place}@q${place}.example`,
      network: '10.99.0.1',
    }))
    expect(accepted).toBe(6)
    expect(page).toContain('from your network')
    await sendMany(10, () => ({ email: 'free@free.example', network: '10.99.0.1' }))
    expect((await sendMany(3, () => ({ email: 'free@free.example' }))).accepted).toBe(3)
  })

  test('to those that were sent: refused requests leave the domain, and the networks that sent them, as they were', async () => {
    const nobody = (place: number) => ({ email: 'nobody@refused.example', network: `10.92.${place}.1` })
    expect((await sendMany(200, nobody)).accepted).toBe(3)
    const [{ sent }] = await sql`
      select used_today as sent from limit_counter where subject = 'code-domain:refused.example'`
    expect(sent).toBe(3)
    expect((await sendMany(6, place => ({ email: `p${place}@refused.example` }))).accepted).toBe(6)
    // 197 of the 200 networks were refused.
    const spent = await sql`
      select from limit_counter where subject like 'code-network:10.92.%' and used_today > 0`
    expect(spent).toHaveLength(3)
  })

  test('to a provider of free mail more often, since its addresses have nothing to do with each other', async () => {
    const { accepted } = await sendMany(60, place => ({ email: `someone${place}@gmail.com` }))
    expect(accepted).toBe(60)
  })
})

test('guesses from one network and against one address are limited across servers and codes', async () => {
  const email = 'guessed@guess.example'
  const guess = async (browser: TestBrowser, place: number) => {
    const other = new TestBrowser(servers[place % 2].url, browser.network)
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    return (await other.post('/sign-in/code', { code: '000000' })).status
  }
  const network = new TestBrowser(servers[0].url)
  network.cookies.set('asfiled_signin', 'A'.repeat(43))
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, place) => guess(network, place)))
  expect(statuses.filter(status => status === 429).length).toBeGreaterThanOrEqual(10)
  const browsers = [0, 1, 2].map(place => new TestBrowser(servers[place % 2].url))
  for (const browser of browsers) await browser.post('/sign-in', { email })
  const tried: number[] = []
  for (const [place, browser] of browsers.entries())
    for (let i = 0; i < 5; i++) tried.push(await guess(browser, place))
  expect(tried.filter(status => status === 400)).toHaveLength(10)
  expect(tried.slice(10)).toEqual([429, 429, 429, 429, 429])
  expect(codeFor([...servers[0].terminal, ...servers[1].terminal], email)).toMatch(/^\d{6}$/)
})

test('pages count by network at the limits of free keys, on two servers together', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 140 }, async (_, place) => {
      const browser = new TestBrowser(servers[place % 2].url, '10.98.0.1')
      return (await browser.get('/sign-in')).status
    }),
  )
  expect(statuses.filter(status => status === 200)).toHaveLength(120)
  expect(statuses.filter(status => status === 429)).toHaveLength(20)
})

test('a registrable domain has private suffixes as suffixes, and unknown ones stay whole', async () => {
  const domains = {
    'mail.fund.co.uk': 'fund.co.uk',
    'a.b.fund.com': 'fund.com',
    'team.github.io': 'team.github.io',
    'x.team.github.io': 'team.github.io',
    'fund.example': 'fund.example',
    'mail.fund.co.jp': 'fund.co.jp',
    'co.uk': 'co.uk',
  }
  for (const [domain, registrable] of Object.entries(domains))
    expect([domain, await registrableDomain(domain)]).toEqual([domain, registrable])
  expect(await parseMailbox(' Ana@Mail.Fund.CO.UK ')).toEqual({
    address: 'ana@mail.fund.co.uk',
    domain: 'mail.fund.co.uk',
    registrableDomain: 'fund.co.uk',
  })
})
