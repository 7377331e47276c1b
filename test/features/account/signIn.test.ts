import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../../database.ts'
import { databaseError, interceptSql } from '../../http/interceptSql.ts'
import { testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { codeFor, signedIn, TestBrowser } from './browser.ts'

const database = await testDatabase()
const { sql } = database
const server = await testServer(sql)
const other = await testServer(sql)
afterAll(async () => {
  await server.stop()
  await other.stop()
  await database.close()
}, 180_000)

let people = 0
const newAddress = () => `person${++people}@firm${people}.example`

/** A browser with a code on its way. */
async function withCode(email = newAddress(), url = server.url) {
  const browser = new TestBrowser(url)
  const response = await browser.post('/sign-in', { email })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in/code?next=/account'])
  return { browser, email, code: codeFor([...server.terminal, ...other.terminal], email) }
}

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const sessionsOf = async (email: string) =>
  (
    await sql`select count(*)::int as n from account.session join account.account using (account_id) where email = ${email}`
  )[0].n

describe('signing in', () => {
  test('takes an address and the code from its mail, and leads to the account', async () => {
    const { browser, email, code } = await withCode()
    expect(await browser.page('/sign-in/code')).toContain(email)
    const response = await browser.post('/sign-in/code', { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account'])
    const page = await browser.page('/account')
    expect(page).toContain(email)
    expect(page).toContain('Chrome on Linux')
    expect(page).toContain('Signed in')
  })

  test('works when another server answers each request', async () => {
    const { browser, email, code } = await withCode()
    const elsewhere = new TestBrowser(other.url, browser.network)
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
    expect((await elsewhere.post('/sign-in/code', { code })).status).toBe(303)
    browser.cookies.clear()
    for (const [name, value] of elsewhere.cookies) browser.cookies.set(name, value)
    expect(await browser.page('/account')).toContain(email)
  })

  test('of 20 right codes at once makes one session, on two servers', async () => {
    const { browser, email, code } = await withCode()
    const tries = Array.from({ length: 20 }, (_, place) => {
      const twin = new TestBrowser(place % 2 === 0 ? server.url : other.url)
      for (const [name, value] of browser.cookies) twin.cookies.set(name, value)
      return twin.post('/sign-in/code', { code })
    })
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses.filter(status => status === 303)).toHaveLength(1)
    expect(await sessionsOf(email)).toBe(1)
  })

  test('ends a code with its fifth wrong guess, however many come at once', async () => {
    const { browser, code } = await withCode()
    const twins = Array.from({ length: 9 }, (_, place) => {
      const twin = new TestBrowser(place % 2 === 0 ? server.url : other.url)
      for (const [name, value] of browser.cookies) twin.cookies.set(name, value)
      return twin.post('/sign-in/code', { code: wrong(code) })
    })
    await Promise.all(twins)
    const [{ guesses }] = await sql`
      select guesses from account.sign_in_code order by expires_at desc limit 1`
    expect(guesses).toBe(5)
    const response = await browser.post('/sign-in/code', { code })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('Request a new one'),
    ])
    expect(browser.cookies.size).toBe(0)
  })

  test('counts wrong guesses down in words, and the right code still works before the last', async () => {
    const { browser, code } = await withCode()
    const response = await browser.post('/sign-in/code', { code: wrong(code) })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('4 attempts left'),
    ])
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303)
  })

  test('refuses a code a second time, from another browser, without a browser and after its life', async () => {
    const { browser, email, code } = await withCode()
    const stolen = await withCode()
    expect((await stolen.browser.post('/sign-in/code', { code })).status).toBe(400)
    expect((await new TestBrowser(server.url).post('/sign-in/code', { code })).status).toBe(400)
    const before = new Map(browser.cookies)
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303)
    const replay = new TestBrowser(server.url)
    for (const [name, value] of before) replay.cookies.set(name, value)
    expect((await replay.post('/sign-in/code', { code })).status).toBe(400)
    const late = await withCode(email)
    await sql`update account.sign_in_code set expires_at = now() where email = ${email}`
    expect((await late.browser.post('/sign-in/code', { code: late.code })).status).toBe(400)
    expect(await sessionsOf(email)).toBe(1)
  })

  test('answers known and unknown addresses alike', async () => {
    const known = newAddress()
    await signedIn(server, known)
    const answers: string[] = []
    for (const email of [known, newAddress()]) {
      const browser = new TestBrowser(server.url)
      const response = await browser.post('/sign-in', { email })
      const page = await browser.page('/sign-in/code')
      answers.push(`${response.status} ${response.headers.get('location')} ${page.replaceAll(email, '')}`)
    }
    expect(answers[0]).toBe(answers[1])
  })

  test('runs the same statements for known and unknown addresses, so that time shows nothing', async () => {
    const statements: string[] = []
    const watched = interceptSql(sql, text => {
      statements.push(text)
      return undefined
    })
    const observed = await testServer(watched)
    const known = newAddress()
    await signedIn(server, known)
    const runs: string[] = []
    for (const email of [known, newAddress()]) {
      statements.length = 0
      await new TestBrowser(observed.url).post('/sign-in', { email })
      runs.push(statements.join('\n'))
    }
    expect(runs[0]).toContain('account.sign_in_code')
    expect(runs[0]).toBe(runs[1])
    await observed.stop()
  })

  test('takes one mailbox in any case as one account, and names what is no address', async () => {
    const email = newAddress()
    await signedIn(server, email)
    const browser = new TestBrowser(server.url)
    await browser.post('/sign-in', { email: ` ${email.toUpperCase()} ` })
    expect((await browser.post('/sign-in/code', { code: codeFor(server.terminal, email) })).status).toBe(303)
    expect(await sessionsOf(email)).toBe(2)
    for (const bad of ['ana', 'a@b', 'a b@c.example', 'аna@fund.example', '<b>@c.example', '']) {
      const response = await new TestBrowser(server.url).post('/sign-in', { email: bad })
      expect([bad, response.status]).toEqual([bad, 400])
      expect(await response.text()).not.toContain('<b>@')
    }
  })
})

describe('a session', () => {
  test('has a token of its own: one that was planted before sign-in opens nothing', async () => {
    const planted = 'A'.repeat(43)
    const { browser, code } = await withCode()
    browser.cookies.set('asfiled_session', planted)
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303)
    expect(browser.cookies.get('asfiled_session')).not.toBe(planted)
    const attacker = new TestBrowser(server.url)
    attacker.cookies.set('asfiled_session', planted)
    expect((await attacker.get('/account')).headers.get('location')).toBe('/sign-in?next=/account')
  })

  test('replaces the earlier one of its browser', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    const before = browser.cookies.get('asfiled_session') ?? ''
    await browser.post('/sign-in', { email })
    await browser.post('/sign-in/code', { code: codeFor(server.terminal, email) })
    const old = new TestBrowser(server.url)
    old.cookies.set('asfiled_session', before)
    expect((await old.get('/account')).status).toBe(303)
    expect(await sessionsOf(email)).toBe(1)
  })

  test('is stored as a digest alone, as are codes', async () => {
    const { browser, code } = await withCode()
    const cookies = [...browser.cookies.values()]
    await browser.post('/sign-in/code', { code })
    cookies.push(...browser.cookies.values())
    const stored = JSON.stringify([
      await sql`select *, encode(digest, 'base64') from account.session`,
      await sql`select *, encode(digest, 'base64') from account.known_browser`,
      await sql`select *, encode(digest, 'base64'), encode(browser, 'escape') from account.sign_in_code`,
    ])
    for (const secret of nonEmpty(cookies)) expect(stored).not.toContain(secret)
  })

  test('ends on sign-out, from the list, with all others, and 30 days after its sign-in', async () => {
    const email = newAddress()
    const [first, second, third] = [
      await signedIn(server, email),
      await signedIn(server, email),
      await signedIn(server, email),
    ]
    const isIn = async (browser: TestBrowser) => (await browser.get('/account')).status === 200
    const [, ofSecond] = [...(await third.page('/account')).matchAll(/name="session" value="(\d+)"/g)]
    await third.post('/account/sessions', { session: ofSecond[1] })
    expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([true, false, true])
    await third.post('/account/sessions', { session: 'others' })
    expect([await isIn(first), await isIn(third)]).toEqual([false, true])
    const copy = new Map(third.cookies)
    await third.post('/sign-out')
    // The browser stays known: its cookie signs nobody in.
    expect([...third.cookies.keys()]).toEqual(['asfiled_known'])
    expect(await isIn(third)).toBe(false)
    for (const [name, value] of copy) third.cookies.set(name, value)
    expect(await isIn(third)).toBe(false)
    const fourth = await signedIn(server, newAddress())
    const [{ days }] = await sql`
      select extract(day from expires_at - created_at)::int as days from account.session
      order by session_id desc limit 1`
    expect(days).toBe(30)
    await sql`update account.session set expires_at = now()`
    expect(await isIn(fourth)).toBe(false)
  })

  test('of another account cannot be ended', async () => {
    const victim = newAddress()
    const browser = await signedIn(server, victim)
    const [{ id }] = await sql`
      select session_id as id from account.session join account.account using (account_id) where email = ${victim}`
    await (await signedIn(server, newAddress())).post('/account/sessions', { session: String(id) })
    expect(await browser.page('/account')).toContain(victim)
  })

  test('has a cookie that no script reads and no form of another site carries; over https no subdomain sets it', async () => {
    const { browser, code } = await withCode()
    const response = await browser.post('/sign-in/code', { code })
    const plain = response.headers.getSetCookie().find(cookie => cookie.startsWith('asfiled_session='))
    expect(plain).toMatch(/; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
    // Only a server on loopback prints codes to the terminal, so this test reads the code from the database.
    const secure = await testServer(
      sql,
      { mailer: server.resources.mailer },
      { BASE_URL: 'https://data.example' },
    )
    const email = newAddress()
    const visitor = new TestBrowser(secure.url)
    await visitor.post('/sign-in', { email })
    const done = await visitor.post('/sign-in/code', { code: codeFor(server.terminal, email) })
    const strict = done.headers.getSetCookie().find(cookie => cookie.startsWith('__Host-asfiled_session='))
    expect(strict).toMatch(/; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/)
    expect(await visitor.page('/account')).toContain(email)
    await secure.stop()
  })
})

test('without its database every page is 503 with the time to wait, as a page and as JSON', async () => {
  const away = interceptSql(sql, () => Promise.reject(databaseError('ECONNREFUSED')))
  const cut = await testServer(away)
  const browser = new TestBrowser(cut.url)
  browser.cookies.set('asfiled_session', 'A'.repeat(43))
  for (const path of ['/sign-in', '/account', '/account/api-keys', '/account/usage']) {
    const response = await browser.get(path)
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([
      path,
      503,
      expect.any(String),
    ])
    expect(await response.text()).toContain('<h1>Database unavailable</h1>')
  }
  const response = await browser.get('/account', { Accept: 'application/json' })
  expect([response.status, (await response.json()).error.code]).toEqual([503, 'database_unavailable'])
  await cut.stop()
})

test('no page with details of a person is cached, framed or read by another site', async () => {
  const browser = await signedIn(server, newAddress())
  for (const path of [
    '/sign-in/code',
    '/account',
    '/account/api-keys',
    '/account/usage',
    '/account/licences',
    '/account/evaluation',
  ]) {
    const { headers } = await browser.get(path)
    expect([path, headers.get('cache-control'), headers.get('vary')]).toEqual([path, 'no-store', 'Cookie'])
    expect(headers.get('access-control-allow-origin')).toBeNull()
    if (path === '/sign-in/code') continue
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  }
})

describe('forms of other sites', () => {
  const forms = [
    '/sign-in',
    '/sign-in/code',
    '/sign-out',
    '/account/sessions',
    '/account/browsers',
    '/account/api-keys',
    '/account/api-keys/make',
    '/account/api-keys/rotate',
    '/account/api-keys/revoke',
    '/account/api-keys/name',
    '/account/evaluation',
    '/account/licences',
    '/account/licences/withdraw',
  ]

  test('are all of ours', () => {
    const posts = server.app.routes.filter(
      ({ method, path }) => method === 'POST' && /^\/(sign|account)/.test(path),
    )
    expect(posts.map(({ path }) => path).sort()).toEqual(forms.toSorted())
  })

  test('are refused, by where the browser says they are from, else by their origin', async () => {
    const browser = await signedIn(server, newAddress())
    for (const path of forms) {
      for (const headers of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'none' },
        { 'Sec-Fetch-Site': 'cross-site', Origin: server.url },
      ]) {
        const response = await browser.post(path, { session: 'others', name: 'stolen' }, headers)
        expect([path, headers, response.status]).toEqual([path, headers, 403])
      }
      for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', '']) {
        const response = await fetch(server.url + path, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            ...(Origin === '' ? {} : { Origin }),
            'Content-Type': 'application/x-www-form-urlencoded',
            Cookie: [...browser.cookies].map(pair => pair.join('=')).join('; '),
            'X-Forwarded-For': '10.200.0.1',
          },
          body: 'name=stolen',
        })
        expect([path, Origin, response.status, (await response.json()).error.code]).toEqual([
          path,
          Origin,
          403,
          'form_refused',
        ])
      }
    }
    expect(await browser.page('/account/api-keys')).not.toContain('stolen')
  })

  test('of a browser without Sec-Fetch-Site are ours by the host or BASE_URL', async () => {
    for (const Origin of [server.url, 'http://127.0.0.1:3000']) {
      const response = await fetch(`${server.url}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          Origin,
          'Content-Type': 'application/x-www-form-urlencoded',
          'X-Forwarded-For': '10.200.0.2',
        },
        body: `email=${newAddress()}`,
      })
      expect([Origin, response.status]).toEqual([Origin, 303])
    }
  })

  test('a page after sign-in is one of ours, whatever the address says', async () => {
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/account/../..//evil',
      '/docs',
    ]) {
      const browser = new TestBrowser(server.url)
      const email = newAddress()
      const sent = await browser.post('/sign-in', { email, next })
      expect(sent.headers.get('location')).toBe('/sign-in/code?next=/account')
      const done = await browser.post('/sign-in/code', { code: codeFor(server.terminal, email), next })
      expect([next, done.headers.get('location')]).toEqual([next, '/account'])
    }
    const page = await new TestBrowser(server.url).page('/sign-in?next=%22%3E%3Cscript%3E')
    expect(page).not.toContain('"><script>')
  })
})
