import { afterAll, describe, expect, test } from 'bun:test'
import { makeFreeKey, rotateKey } from '../../../src/features/account/keys.ts'
import { findRevokedJobs } from '../../../src/jobs/maintainQueries.ts'
import { runInProcess } from '../../commands/runInProcess.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { insertCompanies } from '../companies/fixtures.ts'
import { keyIds, shownKey, signedIn, type TestBrowser } from './browser.ts'

const database = await testDatabase()
const { sql } = database
await insertCompanies(sql)
const server = await testServer(sql)
const other = await testServer(sql)
afterAll(async () => {
  await server.stop()
  await other.stop()
  await database.close()
}, 180_000)

let people = 0
const newAddress = () => `holder${++people}@firm${people}.example`
const keysPage = '/account/api-keys'

async function withKey(): Promise<{ browser: TestBrowser; key: string; email: string }> {
  const email = newAddress()
  const browser = await signedIn(server, email)
  await browser.post(keysPage, { name: 'Research' })
  const key = shownKey(await browser.page(keysPage))
  if (key === null) throw new Error('no key')
  await Bun.sleep(50)
  return { browser, key, email }
}

const actorOf = async (email: string) => {
  const [{ accountId }] = await sql<{ accountId: number }[]>`
    select account_id as "accountId" from account.account where email = ${email}`
  return { email, accountId, address: '' }
}

const ask = (path: string, key: string, url = server.url) =>
  fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })
const me = async (key: string, url = server.url) => (await ask('/api/v1/me', key, url)).json()

describe('a key made on the page', () => {
  test('is shown once, and works on the API of every server at once', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    const made = await browser.post(keysPage, { name: 'Research' })
    expect([made.status, made.headers.get('location')]).toEqual([303, keysPage])
    // HEAD reveals nothing and does not use up the link.
    expect((await browser.head(keysPage)).status).toBe(200)
    const page = await browser.page(keysPage)
    const key = shownKey(page) ?? ''
    expect(key).toMatch(/^asf_live_/)
    expect(page).toContain('data-copy="key" hidden')
    const again = await browser.page(keysPage)
    expect(again).not.toContain(key)
    expect(again).toContain(key.slice(0, 17))
    for (const url of [server.url, other.url]) {
      const response = await ask('/api/v1/coverage/AAPL', key, url)
      expect(response.status).toBe(200)
      expect(response.headers.get('ratelimit-policy')).toBe('"minute";q=120;w=60, "day";q=5000;w=86400')
    }
  })

  test('comes with a line that fetches figures, on this server', async () => {
    const browser = await signedIn(server, newAddress())
    await browser.post(keysPage)
    const page = await browser.page(keysPage)
    const [, line = ''] = /<pre>(curl .*?)<\/pre>/.exec(page) ?? []
    const [, address = ''] =
      /'(http[^']*)'$/.exec(line.replaceAll('&#39;', "'").replaceAll('&amp;', '&')) ?? []
    // The address is BASE_URL, which tests of one process leave at its default.
    const { origin, pathname, search } = new URL(address)
    expect(origin).toBe('http://127.0.0.1:3000')
    expect(line).toContain(`Authorization: Bearer ${shownKey(page)}`)
    // Form 10-K of 2009-10-27, accession 0001193125-09-214859: net sales of 36,537 million dollars.
    expect((await (await ask(pathname + search, shownKey(page) ?? '')).json()).data).toMatchObject([
      { m: 'revenue', filed: '2009-10-27', v: 36_537_000_000 },
    ])
  })

  test('stands nowhere in the database until it is shown, nor after', async () => {
    const browser = await signedIn(server, newAddress())
    await browser.post(keysPage)
    const everything = await sql`select *, encode(reveal, 'escape') as text from account.session`
    const key = shownKey(await browser.page(keysPage)) ?? ''
    expect(JSON.stringify(everything)).not.toContain(key)
    expect((await sql`select count(*)::int as n from account.session where reveal is not null`)[0].n).toBe(0)
  })

  test('is one an account: of 20 at once one is made', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    const actor = await actorOf(email)
    const made = await Promise.allSettled(Array.from({ length: 20 }, () => makeFreeKey(sql, actor, '')))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [{ n }] = await sql`select count(*)::int as n from api_key where email = ${email}`
    expect(n).toBe(1)
    const second = await browser.post(keysPage)
    expect([second.status, await second.text()]).toEqual([
      409,
      expect.stringContaining('each account gets only one'),
    ])
  })

  test('has a name that is escaped, short and changeable', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    await browser.post(`${keysPage}/name`, { key: String(id), name: '<img src=x onerror=alert(1)>' })
    const page = await browser.page(keysPage)
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page).not.toContain('<img')
    expect(page).toContain(key.slice(0, 17))
    expect((await browser.post(`${keysPage}/name`, { key: String(id), name: 'x'.repeat(61) })).status).toBe(
      400,
    )
    expect((await browser.post(`${keysPage}/name`, { key: String(id), name: 'a\r\nb' })).status).toBe(400)
  })

  test('is made so many times a day: rotating again and again does not fill the database', async () => {
    const { browser } = await withKey()
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) {
      const newest = Math.max(...keyIds(await browser.page(keysPage)))
      statuses.push((await browser.post(`${keysPage}/rotate`, { key: String(newest) })).status)
    }
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429, 429, 429])
  })

  test('cannot be named, rotated or revoked by another account', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    const stranger = await signedIn(server, newAddress())
    for (const act of ['name', 'rotate', 'revoke']) {
      for (const value of [String(id), '0', '999999999', '1 or 1=1', '']) {
        const response = await stranger.post(`${keysPage}/${act}`, { key: value, name: 'mine' })
        expect([act, value, response.status]).toEqual([act, value, 404])
      }
    }
    expect((await ask('/api/v1/coverage/AAPL', key)).status).toBe(200)
  })
})

describe('revoking', () => {
  test('ends a key on every server at once, and the next free key continues its budget', async () => {
    const { browser, key, email } = await withKey()
    for (let i = 0; i < 3; i++) await ask('/api/v1/coverage/AAPL', key)
    const [id] = keyIds(await browser.page(keysPage))
    expect((await browser.post(`${keysPage}/revoke`, { key: String(id) })).status).toBe(303)
    await Bun.sleep(50)
    for (const url of [server.url, other.url]) {
      const response = await ask('/api/v1/coverage/AAPL', key, url)
      expect([response.status, (await response.json()).error.code]).toEqual([403, 'key_revoked'])
    }
    await browser.post(keysPage)
    const next = shownKey(await browser.page(keysPage)) ?? ''
    expect((await me(next)).used.day).toBe(3)
    const [{ grants }] = await sql`
      select count(*)::int as grants from key_grant join api_key using (key_id) where email = ${email}`
    expect(grants).toBe(1)
  })
})

describe('a rotated key', () => {
  test('works for 24 hours next to the new one, with one budget', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    expect((await browser.post(`${keysPage}/rotate`, { key: String(id) })).status).toBe(303)
    const page = await browser.page(keysPage)
    const next = shownKey(page) ?? ''
    expect(next).not.toBe(key)
    expect(page).toContain('This key has been replaced')
    await Bun.sleep(50)
    for (const [place, text] of [key, next, key, next, next].entries())
      expect((await ask('/api/v1/coverage/AAPL', text, place % 2 ? other.url : server.url)).status).toBe(200)
    expect([(await me(key)).used, (await me(next, other.url)).used]).toEqual([
      { minute: 5, day: 5 },
      { minute: 5, day: 5 },
    ])
    const { retires } = await me(key)
    const hours = (Date.parse(retires) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
    expect((await me(next)).retires).toBeNull()
    await sql`update api_key set retires_at = now() where key_id = ${id}`
    await Bun.sleep(50)
    const response = await ask('/api/v1/coverage/AAPL', key)
    expect([response.status, (await response.json()).error.message]).toEqual([
      403,
      expect.stringContaining('was replaced by rotation'),
    ])
    expect((await ask('/api/v1/coverage/AAPL', next)).status).toBe(200)
  })

  test('shares the minute limit exactly: both together get no request more', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    await sql`update key_grant set per_minute = 10 where key_id = ${id}`
    await browser.post(`${keysPage}/rotate`, { key: String(id) })
    const next = shownKey(await browser.page(keysPage)) ?? ''
    await Bun.sleep(50)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, place) =>
        ask('/api/v1/coverage/AAPL', place % 2 ? key : next, place % 3 ? server.url : other.url),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect((await me(next)).remaining.minute).toBe(0)
  })

  test('shares the companies of the cap', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    await sql`
      update key_grant set licence = 'evaluation', evaluation_domain = 'pair.example', entity_cap = 2
      where key_id = ${id}`
    await browser.post(`${keysPage}/rotate`, { key: String(id) })
    const next = shownKey(await browser.page(keysPage)) ?? ''
    await sql`insert into key_entity (key_id, entity_id) values (${id}, -1)`
    await Bun.sleep(50)
    const first = '/api/v1/fundamentals?ticker=AAPL&view=latest'
    expect((await ask(first, key)).status).toBe(200)
    expect((await me(key)).entities).toEqual((await me(next)).entities)
    expect(await browser.page(keysPage)).toContain(`${(await me(next)).entities.used} of 2`)
  })

  test('that is rotated again ends the one before at once: never more than two work', async () => {
    const { browser, key } = await withKey()
    const rotateNewest = async () => {
      const page = await browser.page(keysPage)
      await browser.post(`${keysPage}/rotate`, { key: String(Math.max(...keyIds(page))) })
      return shownKey(await browser.page(keysPage)) ?? ''
    }
    const second = await rotateNewest()
    const third = await rotateNewest()
    await Bun.sleep(50)
    const statuses = await Promise.all([key, second, third].map(text => ask('/api/v1/coverage/AAPL', text)))
    expect(statuses.map(({ status }) => status)).toEqual([403, 200, 200])
  })

  for (const [way, revoke] of [
    [
      'its holder',
      (browser: TestBrowser, id: number) => browser.post(`${keysPage}/revoke`, { key: String(id) }),
    ],
    [
      'an operator',
      async (_: TestBrowser, id: number) => {
        const [{ prefix }] = await sql<{ prefix: string }[]>`select prefix from api_key where key_id = ${id}`
        return runInProcess(['keys', 'revoke', prefix], { withDatabase: work => work(sql) })
      },
    ],
  ] as const)
    test(`ends with its successor, when ${way} revokes that: it would open the same for another day`, async () => {
      const { browser, key } = await withKey()
      const [id] = keyIds(await browser.page(keysPage))
      await browser.post(`${keysPage}/rotate`, { key: String(id) })
      const page = await browser.page(keysPage)
      const next = shownKey(page) ?? ''
      await revoke(browser, Math.max(...keyIds(page)))
      await Bun.sleep(50)
      const statuses = await Promise.all([key, next].map(text => ask('/api/v1/coverage/AAPL', text)))
      expect(statuses.map(({ status }) => status)).toEqual([403, 403])
    })

  test('is rotated once, of 20 times at once', async () => {
    const { browser, email } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    const actor = await actorOf(email)
    const rotated = await Promise.allSettled(Array.from({ length: 20 }, () => rotateKey(sql, actor, id)))
    expect(rotated.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [{ n }] = await sql`
      select count(*)::int as n from api_key where email = ${email} and revoked_at is null`
    expect(n).toBe(2)
  })

  test('hands its panels and submitted backtests to the new one: both belong to the key of the grant', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    await sql`update key_grant set quant = true where key_id = ${id}`
    await sql`
      insert into panel (key_id, content, row_count, date_count, asset_count, packed_bytes)
      values (${id}, sha256('x'), 1, 1, 1, 1)`
    await browser.post(`${keysPage}/rotate`, { key: String(id) })
    const next = shownKey(await browser.page(keysPage)) ?? ''
    await Bun.sleep(50)
    for (const text of [key, next]) expect((await (await ask('/api/v1/panels', text)).json()).count).toBe(1)
    const job = crypto.randomUUID()
    await sql`
      insert into job (job_id, key_id, request_id, body_format, body_query, body_bytes, submitted_data_version)
      values (${job}, ${id}, 'r', 'json', '{}', 1, 1)`
    const page = await browser.page(keysPage)
    await browser.post(`${keysPage}/revoke`, { key: String(id) })
    expect(await findRevokedJobs(sql)).not.toContain(job)
    await browser.post(`${keysPage}/revoke`, { key: String(Math.max(...keyIds(page))) })
    expect(await findRevokedJobs(sql)).toContain(job)
  })
})

test('the commands list both keys of a pair, and their one grant by the key that uses it', async () => {
  const { browser, key, email } = await withKey()
  const [id] = keyIds(await browser.page(keysPage))
  await browser.post(`${keysPage}/rotate`, { key: String(id) })
  const next = shownKey(await browser.page(keysPage)) ?? ''
  const run = async (line: string) => {
    const { out } = await runInProcess(line.split(' '), { withDatabase: work => work(sql) })
    const rows: { email: string; prefix?: string; key?: string; licence: string; state?: string }[] =
      JSON.parse(out)
    return rows.filter(row => row.email === email)
  }
  const listed = await run('keys list --json')
  expect(listed.map(row => [row.prefix, row.licence])).toEqual([
    [key.slice(0, 17), 'free'],
    [next.slice(0, 17), 'free'],
  ])
  const grants = await run('grants --json')
  expect(grants.map(row => [row.key, row.state])).toEqual([[next.slice(0, 17), 'running']])
})

describe('GET /api/v1/me', () => {
  test('says what the page says, and does not count', async () => {
    const { browser, key } = await withKey()
    for (let i = 0; i < 4; i++) await ask('/api/v1/coverage/AAPL', key)
    for (let i = 0; i < 5; i++) await me(key)
    const answer = await ask('/api/v1/me', key, other.url)
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('116')
    expect(await answer.json()).toEqual({
      object: 'me',
      key: key.slice(0, 17),
      licence: 'free',
      quant: false,
      limits: { minute: 120, day: 5000 },
      used: { minute: 4, day: 4 },
      remaining: { minute: 116, day: 4996 },
      entities: null,
      bulk: false,
      expires: null,
      retires: null,
    })
    const page = await browser.page(keysPage)
    expect(page).toContain('<dd>4 of 5,000 requests</dd>')
    expect(page).toContain('<dd>120 a minute, 5,000 a day</dd>')
    expect(page).toContain('<dd>free</dd>')
    const usage = await browser.page('/account/usage')
    expect(usage).toContain('<td>4 of 5,000</td>')
    expect(usage).toMatch(/coverage\/:id<\/code><\/td><td class="number">4<\/td><td class="number">4</)
    expect(usage).toContain('4 requests in total')
    expect(usage).not.toContain('/api/v1/me')
    expect(page).toMatch(/<dt>Last used<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d UTC<\/dd>/)
  })

  test('answers where the limit is used up, has a limit of its own, and refuses what the API refuses', async () => {
    const { browser, key } = await withKey()
    const [id] = keyIds(await browser.page(keysPage))
    await sql`update key_grant set per_minute = 1 where key_id = ${id}`
    await Bun.sleep(50)
    const statuses = [await ask('/api/v1/coverage/AAPL', key), await ask('/api/v1/coverage/AAPL', key)]
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
    expect((await me(key)).remaining).toEqual({ minute: 0, day: 4999 })
    const many = await Promise.all(Array.from({ length: 80 }, () => ask('/api/v1/me', key)))
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(20)
    expect((await me('demo')).licence).toBe('demo')
    expect((await ask('/api/v1/me', 'asf_live_x')).status).toBe(401)
    expect((await ask('/api/v1/me?x=1', 'demo')).status).toBe(400)
  })
})
