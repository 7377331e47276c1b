import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { revokeKey } from '../../../src/access/keys.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { codeFor } from '../account/browser.ts'
import {
  cookieOf,
  endGrants,
  evaluation,
  giveKey,
  type Member,
  memberWith,
  newMember,
} from '../account/members.ts'
import { appleVintages, insertEntity, insertVintages } from '../companies/fixtures.ts'
import { readPage } from './readPage.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
let server: TestServer
let other: TestServer
let entity = 0
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  entity = await insertEntity(sql, { market: 'US', issuerId: '0000000777', ticker: 'BIG', name: 'Big' })
  await insertVintages(sql, entity, appleVintages)
  // A year earlier, which only a licence opens.
  await insertVintages(sql, entity, [
    ['revenue', 0, 2008, '2007-09-30', '2008-09-27', '2008-11-05', 32_479e6, 'early'],
  ])
  server = await testServer(sql)
  other = await testServer(sql)
})
afterAll(async () => {
  await server.stop()
  await other.stop()
  await database.close()
}, 180_000)

const company = '/companies/BIG'
const see = (cookie: string, path = company, { url } = server, more: Record<string, string> = {}) =>
  readPage(url + path, { ...(cookie === '' ? {} : { Cookie: cookie }), ...more })
const years = async (cookie: string, at = server) => {
  const { cells } = await see(cookie, company, at)
  return [...new Set(cells.map(({ period }) => period))].sort()
}
const open = ['FY 2008', 'FY 2009']
const free = ['FY 2009']

describe('a page shows a person who is signed in', () => {
  test('what the best active grant of the account opens', async () => {
    const { sql } = database
    const { email, cookie } = await newMember(server)
    expect(await years(cookie)).toEqual(free)
    await giveKey(sql, email, { licence: 'free' })
    expect(await years(cookie)).toEqual(free)
    const capped = await giveKey(sql, email, evaluation)
    expect(await years(cookie)).toEqual(open)
    expect(await sql`select entity_id from key_entity where key_id = ${capped.keyId}`).toHaveLength(1)
    const paid = await giveKey(sql, email, { licence: 'commercial' })
    await giveKey(sql, email, { licence: 'personal', quant: true })
    await sql`delete from key_entity where key_id = ${capped.keyId}`
    expect(await years(cookie)).toEqual(open)
    // While there is a better grant, companies do not count against the evaluation.
    expect(await sql`select entity_id from key_entity where key_id = ${capped.keyId}`).toHaveLength(0)
    const limit = (await see(cookie, `${company}/download`)).headers.get('x-ratelimit-limit')
    expect(limit).toBe('1000')
    await endGrants(sql, paid.keyId)
    expect((await see(cookie, `${company}/download`)).headers.get('x-ratelimit-limit')).toBe('300')
  })

  test('what the grant of a key opens that authentication uses: the latest that runs', async () => {
    const { sql } = database
    const { keyId, cookie, key } = await memberWith(server, sql, evaluation)
    const licenceOfKey = async () => {
      await Bun.sleep(50)
      const answer = await fetch(`${server.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
      return (await answer.json()).licence
    }
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, bulk) values (${keyId}, 'free', false, 120, false)`
    expect(await licenceOfKey()).toBe('free')
    expect(await years(cookie)).toEqual(free)
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, bulk, starts_at)
      values (${keyId}, 'commercial', false, 1000, false, now() + interval '1 day')`
    expect(await licenceOfKey()).toBe('free')
    expect(await years(cookie)).toEqual(free)
    await sql`update key_grant set expires_at = now() where key_id = ${keyId} and licence = 'free'`
    expect(await licenceOfKey()).toBe('evaluation')
    expect(await years(cookie)).toEqual(open)
  })

  test('nothing of a licence before its first day, as on the API', async () => {
    const { sql } = database
    const { email, cookie } = await newMember(server)
    const { key, keyId } = await giveKey(sql, email, { licence: 'free' })
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, bulk, starts_at)
      values (${keyId}, 'personal', false, 300, false, now() + interval '1 day')`
    await Bun.sleep(50)
    const answer = await fetch(`${server.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
    expect((await answer.json()).licence).toBe('free')
    expect([await years(cookie), await years(cookie, other)]).toEqual([free, free])
    const { headers } = await see(cookie, `${company}/download`)
    expect(headers.get('x-ratelimit-limit')).toBe('120')
    await sql`update key_grant set starts_at = now() where key_id = ${keyId} and licence = 'personal'`
    expect([await years(cookie), await years(cookie, other)]).toEqual([open, open])
  })

  test('nothing more after sign-out, revocation, expiry, or the end of the session, at once and on every server', async () => {
    const { sql } = database
    const both = async ({ cookie }: Pick<Member, 'cookie'>) => [
      await years(cookie),
      await years(cookie, other),
    ]
    const ends: ((member: Member) => Promise<unknown>)[] = [
      ({ browser }) => browser.post('/sign-out'),
      ({ key }) => revokeKey({ sql }, key),
      ({ keyId }) => endGrants(sql, keyId),
      ({ keyId }) => sql`update api_key set retires_at = now() where key_id = ${keyId}`,
      ({ email }) => sql`
        update account.session set expires_at = now()
        where account_id = (select account_id from account.account where email = ${email})`,
      ({ browser, email }) =>
        browser
          .post('/sign-in', { email })
          .then(() => browser.post('/sign-in/code', { code: codeFor(server.terminal, email) })),
    ]
    for (const end of ends) {
      // An evaluation: the database refuses to end a paid grant before its time.
      const member = await memberWith(server, sql, evaluation)
      expect(await both(member)).toEqual([open, open])
      await end(member)
      expect(await both(member)).toEqual([free, free])
    }
  })

  test('nothing more for a cookie that is made up', async () => {
    const cookies = Array.from({ length: 200 }, (_, at) => `asfiled_session=${String(at).padStart(43, 'x')}`)
    const pages = await Promise.all(cookies.map(cookie => see(cookie)))
    for (const { status, html } of nonEmpty(pages)) {
      expect(status).toBe(200)
      expect(html).toContain('href="/sign-in"')
    }
  })

  test('the way to the account, and to who is signed out the way in', async () => {
    const { cookie } = await newMember(server)
    for (const path of ['/', '/markets', '/screen', company, '/catalogue', '/companies/NOTHING']) {
      const inside = (await see(cookie, path)).html
      const outside = (await see('', path)).html
      expect([path, inside.includes('href="/account"'), inside.includes('<a href="/sign-in"')]).toEqual([
        path,
        true,
        false,
      ])
      expect([path, outside.includes('href="/account"'), outside.includes('<a href="/sign-in"')]).toEqual([
        path,
        false,
        true,
      ])
    }
    const { html } = await see('', company)
    expect(html).toContain('href="/sign-in?next=/companies/BIG"')
  })
})

describe('what a page shows one visitor is never served to another', () => {
  test('by turns, at once, in any encoding, on pages and downloads', async () => {
    const { cookie } = await memberWith(server, database.sql)
    for (const path of [company, '/restatements?metric=revenue', `${company}/download`]) {
      const alone = { in: (await see(cookie, path)).html, out: (await see('', path)).html }
      expect(alone.in.length).not.toBe(alone.out.length)
      const crowd = ['identity', 'gzip', 'zstd', 'gzip, deflate, br, zstd'].flatMap(encoding =>
        (['in', 'out', 'in', 'out'] as const).map(async who => {
          const answer = await see(who === 'in' ? cookie : '', path, server, { 'Accept-Encoding': encoding })
          expect([path, who, encoding, answer.html === alone[who]]).toEqual([path, who, encoding, true])
        }),
      )
      await Promise.all(crowd)
    }
  })

  test('nor stored by a cache on the way, nor read by a script of another site', async () => {
    const { cookie } = await memberWith(server, database.sql)
    for (const who of [cookie, '']) {
      for (const path of ['/', company, '/screen', '/markets/US', `${company}/download?format=json`]) {
        const { headers } = await see(who, path, server, { Origin: 'https://other.example' })
        expect([path, headers.get('cache-control')]).toEqual([path, 'private, no-cache'])
        expect([path, headers.get('vary')]).toEqual([path, 'Accept-Encoding, Cookie'])
        expect([path, headers.get('access-control-allow-origin')]).toEqual([path, null])
        const again = await see(who, path, server, { 'If-None-Match': headers.get('etag') ?? '' })
        expect([path, again.status, again.headers.get('vary')]).toEqual([
          path,
          304,
          'Accept-Encoding, Cookie',
        ])
      }
      const { headers } = await see(who, '/companies/NOTHING')
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-store', 'Accept, Cookie'])
    }
  })

  test('nor confirmed by the tag of another: each gets a page of their own', async () => {
    const { cookie } = await memberWith(server, database.sql)
    const capped = await memberWith(server, database.sql, evaluation)
    const visitors = [cookie, capped.cookie, '']
    for (const path of [company, '/markets', `${company}/download`]) {
      const tags = await Promise.all(
        visitors.map(async who => (await see(who, path)).headers.get('etag') ?? ''),
      )
      for (const [mine, who] of visitors.entries()) {
        for (const [theirs, tag] of nonEmpty(tags.entries())) {
          const { status } = await see(who, path, server, { 'If-None-Match': tag })
          expect([path, mine, theirs, status]).toEqual([path, mine, theirs, mine === theirs ? 304 : 200])
        }
      }
    }
  })

  test('and no page of the data names a person', async () => {
    const { email, cookie } = await memberWith(server, database.sql)
    for (const path of ['/', company, '/screen', '/markets', '/search?q=bi'])
      expect((await see(cookie, path)).html).not.toContain(email)
  })
})

describe('limits', () => {
  test('pages of the data and of the account count together, by address', async () => {
    const { cookie } = await newMember(server)
    const address = { 'X-Forwarded-For': '10.98.0.1' }
    const statuses = await Promise.all(
      Array.from({ length: 130 }, (_, at) => see(cookie, at % 2 ? '/account' : '/markets', server, address)),
    )
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(120)
  })

  test('downloads count by address at the limits of the best grant', async () => {
    const { email, cookie } = await newMember(server)
    const limitOf = async (who: string, address: string) => {
      const { headers } = await see(who, `${company}/download`, server, { 'X-Forwarded-For': address })
      return headers.get('ratelimit-policy')
    }
    const freely = '"minute";q=120;w=60, "day";q=5000;w=86400'
    expect([await limitOf('', '10.98.1.1'), await limitOf(cookie, '10.98.1.2')]).toEqual([freely, freely])
    await giveKey(database.sql, email, { licence: 'personal' })
    expect(await limitOf(cookie, '10.98.1.3')).toBe('"minute";q=300;w=60')
  })
})

describe('an evaluation', () => {
  test('spends no company on the first page, and none by opening a list', async () => {
    const { sql } = database
    const { cookie, keyId } = await memberWith(server, sql, evaluation)
    const seen = async () => (await sql`select 1 from key_entity where key_id = ${keyId}`).length
    for (const path of [
      '/',
      '/screen',
      '/restatements',
      '/compare',
      '/universe',
      '/strategies',
      '/strategies/accruals',
      '/markets',
      '/markets/US',
      '/catalogue',
      '/search?q=bi',
    ])
      expect([path, (await see(cookie, path)).status, await seen()]).toEqual([path, 200, 0])
    expect((await see(cookie, '/screen?c1=revenue')).html).toContain('every company in a list counts')
    expect(await seen()).toBe(1)
    expect((await see(cookie, company)).html).toContain(
      'one of the 1,000 that your evaluation licence covers',
    )
    expect(await seen()).toBe(1)
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, entity_cap, bulk)
      values (${keyId}, 'oem', false, 100000, 5000, false)`
    expect((await see(cookie, company)).html).toContain('one of the 5,000 that your oem licence covers')
  })

  test('counts no company whose download is refused for the terms of its register', async () => {
    const { sql } = database
    const { cookie, keyId } = await memberWith(server, sql, evaluation)
    const unread = { market: 'KR', issuerId: '00126380', ticker: '005930.KS', name: null }
    await insertEntity(sql, unread)
    const seen = async () => (await sql`select 1 from key_entity where key_id = ${keyId}`).length
    for (const format of ['csv', 'json', 'parquet']) {
      const { status, html } = await see(cookie, `/companies/005930.KS/download?format=${format}`)
      expect([format, status, await seen()]).toEqual([format, 403, 0])
      expect(html).toContain('ALLOW_UNVERIFIED_MARKETS=KR')
    }
  })

  test('is refused a company beyond its cap, in words, and still sees the earlier ones', async () => {
    const { sql } = database
    const { cookie, keyId, browser } = await memberWith(server, sql, evaluation)
    await sql`update key_grant set entity_cap = 1 where key_id = ${keyId}`
    expect((await see(cookie)).status).toBe(200)
    await insertEntity(sql, { market: 'US', issuerId: '0000000778', ticker: 'NEXT', name: 'Next' })
    for (const path of ['/companies/NEXT', '/companies/NEXT/download']) {
      const { status, html } = await see(cookie, path)
      expect([path, status]).toEqual([path, 403])
      expect(html).toContain('This evaluation key may see 1 distinct companies, and NEXT would exceed that.')
      expect(html).not.toContain('data-v=')
    }
    expect([await years(cookie), await years(cookie, other)]).toEqual([open, open])
    expect(cookieOf(browser)).toBe(cookie)
  })
})
