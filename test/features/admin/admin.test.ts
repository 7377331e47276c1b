import { afterAll, describe, expect, test } from 'bun:test'
import { runInProcess } from '../../commands/runInProcess.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { shownKey, signedIn, TestBrowser } from '../account/browser.ts'

const database = await testDatabase()
const { sql } = database
const today = new Date().toISOString().slice(0, 10)
const year = Number(today.slice(0, 4))
const admins = ['boss@operator.example', 'second@operator.example', 'former@operator.example']
const settings = { ADMIN_EMAILS: `${admins[0].toUpperCase()}, ${admins[1]}` }
const server = await testServer(sql, { today: () => today }, settings)
const other = await testServer(sql, { today: () => today }, settings)
afterAll(async () => {
  await server.stop()
  await other.stop()
  await database.close()
}, 180_000)

const sessions = new Map<string, Promise<TestBrowser>>()

/** A browser with the one session of an operator: a mailbox gets few codes a minute. */
async function asAdmin({ url }: { url: string }, place: number): Promise<TestBrowser> {
  const email = admins[place]
  const session = sessions.get(email) ?? signedIn(server, email)
  sessions.set(email, session)
  return twinOf(await session, url)
}

/** Another browser with the same cookies. */
function twinOf({ cookies }: TestBrowser, url: string): TestBrowser {
  const twin = new TestBrowser(url)
  for (const [name, value] of cookies) twin.cookies.set(name, value)
  return twin
}

const signedInAgain = (email: string) => signedIn(other, email)

const run = (line: string) =>
  runInProcess(line.split(' '), { today: () => today, withDatabase: work => work(sql) })

let people = 0
const newAddress = () => `person${++people}@buyer${people}.example`

const wish = (change: Record<string, string> = {}) => ({
  licence: 'commercial',
  company: 'Fund Ltd',
  purpose: 'Research',
  key: '0',
  first: today,
  last: '',
  ...change,
})

/** The request that an account has sent last. */
async function requestOf(email: string) {
  const [row] = await sql<{ request: number; account: number; state: string }[]>`
    select request_id as request, account_id as account, state from account.licence_request
    join account.account using (account_id) where email = ${email} order by request_id desc limit 1`
  return row
}

async function accountOf(email: string): Promise<number> {
  const [{ account }] = await sql<{ account: number }[]>`
    select account_id as account from account.account where email = ${email}`
  return account
}

async function withRequest(change: Record<string, string> = {}) {
  const email = newAddress()
  const browser = await signedIn(server, email)
  const sent = await browser.post('/account/licences', wish(change))
  if (sent.status !== 303) throw new Error(`a request answers ${sent.status}: ${await sent.text()}`)
  return { email, browser, ...(await requestOf(email)) }
}

const terms = (change: Record<string, string> = {}) => ({
  licence: 'commercial',
  key: 'new',
  first: today,
  last: `${year + 1}-12-31`,
  ...change,
})

const acts = async (email: string) => {
  const rows = await sql<{ act: string; actor: string }[]>`
    select act, actor from account.audit join account.account using (account_id)
    where email = ${email} and act <> 'signed_in' order by audit_id`
  return rows.map(({ act, actor }) => `${act} by ${actor}`)
}

const grantsOf = async (account: number) => {
  const rows = await sql<{ licence: string }[]>`
    select g.licence from account.held_key join key_grant g using (key_id) where account_id = ${account}`
  return rows.map(({ licence }) => licence)
}

const pages = ['/admin', '/admin/accounts', '/admin/keys', '/admin/requests', '/admin/orders']

describe('/admin by role', () => {
  test('every page and form is listed in this table', async () => {
    const { request, account } = await withRequest()
    const forms = [
      `/admin/accounts/${account}/grant`,
      '/admin/grants/1/extend',
      '/admin/keys/revoke',
      `/admin/requests/${request}/grant`,
      `/admin/requests/${request}/refuse`,
    ]
    const gets = [...pages, `/admin/accounts/${account}`, `/admin/requests/${request}`]
    const listed = [...gets.map(path => `GET ${path}`), ...forms.map(path => `POST ${path}`)].map(line =>
      line.replace(/\/\d+/, '/:number'),
    )
    const served = server.app.routes.filter(({ path }) => path.startsWith('/admin'))
    expect(listed.toSorted()).toEqual(served.map(({ method, path }) => `${method} ${path}`).toSorted())

    const admin = await asAdmin(server, 0)
    for (const path of gets) expect([path, (await admin.get(path)).status]).toEqual([path, 200])

    // Others get what a path without a route answers; a formerly named address, too.
    const before = await sql`select count(*)::int as n from key_grant`
    for (const browser of [await signedIn(server, newAddress()), await asAdmin(server, 2)]) {
      const missing = await browser.get('/admins')
      const missingPage = await missing.text()
      const plain = (text: string) =>
        text.replaceAll(/req_\w+|request [\w-]+/g, 'request').replaceAll(/\/admin[\w/]*/g, '/admins')
      for (const path of gets) {
        const answer = await browser.get(path)
        expect([path, answer.status]).toEqual([path, missing.status])
        expect(plain(await answer.text())).toBe(plain(missingPage))
        expect([...answer.headers.keys()].toSorted()).toEqual([...missing.headers.keys()].toSorted())
      }
      for (const path of forms) {
        const fields = { ...terms(), after: '0', reason: 'x', prefix: 'asf_live_', last: `${year + 9}-01-01` }
        expect([path, (await browser.post(path, fields)).status]).toEqual([path, 404])
      }
    }
    // Signed out one is sent to sign in, whatever the number.
    const stranger = new TestBrowser(server.url)
    for (const path of [...gets, '/admin/accounts/999999', '/admin/requests/999999']) {
      const answer = await stranger.get(path)
      expect([path, answer.status, answer.headers.get('location')]).toEqual([
        path,
        303,
        `/sign-in?next=${path}`,
      ])
    }
    for (const path of forms) {
      const answer = await stranger.post(path, terms())
      expect([path, answer.status, answer.headers.get('location')]).toEqual([
        path,
        303,
        '/sign-in?next=/admin',
      ])
    }
    expect(await sql`select count(*)::int as n from key_grant`).toEqual(before)
    expect(
      (await requestOf((await sql`select email from account.account where account_id = ${account}`)[0].email))
        .state,
    ).toBe('open')
  })

  test('ends for an address that leaves ADMIN_EMAILS, with the session that it has', async () => {
    const browser = await asAdmin(server, 1)
    expect((await browser.get('/admin')).status).toBe(200)
    expect(await browser.page('/account')).toContain('href="/admin"')
    const changed = await testServer(sql, {}, { ADMIN_EMAILS: admins[0] })
    const former = twinOf(browser, changed.url)
    expect((await former.get('/admin')).status).toBe(404)
    expect(await former.page('/account')).not.toContain('href="/admin"')
    await changed.stop()
  })

  test('signing in leads back to /admin, and to no other host', async () => {
    const browser = new TestBrowser(server.url)
    expect(await browser.page('/sign-in?next=/admin/requests')).toContain('value="/admin/requests"')
    for (const next of ['//evil.example', '/adminx', '/admin/../x', 'https://evil.example/admin'])
      expect(await browser.page(`/sign-in?next=${encodeURIComponent(next)}`)).toContain('value="/account"')
  })

  test('forms of another site are refused, and change nothing', async () => {
    const { request, account, email } = await withRequest()
    const admin = await asAdmin(server, 0)
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
    ])
      for (const path of [
        `/admin/requests/${request}/grant`,
        `/admin/requests/${request}/refuse`,
        `/admin/accounts/${account}/grant`,
        '/admin/keys/revoke',
        '/admin/grants/1/extend',
      ])
        expect([path, (await admin.post(path, { ...terms(), reason: 'x' }, headers)).status]).toEqual([
          path,
          403,
        ])
    const holder = await signedIn(server, email)
    for (const path of ['/account/licences', '/account/licences/withdraw', '/account/api-keys/make'])
      expect((await holder.post(path, wish(), { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await requestOf(email)).state).toBe('open')
  })
})

describe('a request for a licence', () => {
  test('granted as a new key: the holder makes it, it has the new limits, and no operator sees it', async () => {
    const { email, browser, request, account } = await withRequest({ quant: 'yes' })
    const admin = await asAdmin(server, 0)
    expect(await admin.page('/admin')).toContain(email)
    const granted = await admin.post(`/admin/requests/${request}/grant`, terms({ quant: 'yes' }))
    expect([granted.status, granted.headers.get('location')]).toEqual([303, `/admin/requests/${request}`])
    const [{ id, prefix }] = await sql<{ id: number; prefix: string }[]>`
      select key_id as id, prefix from api_key join account.held_key using (key_id) where account_id = ${account}`
    expect(await browser.page('/account/api-keys')).toContain('You have been granted this licence.')
    const made = await Promise.all(
      [server, other].map(({ url }) =>
        twinOf(browser, url).post('/account/api-keys/make', { key: String(id) }),
      ),
    )
    expect(made.map(({ status }) => status).toSorted()).toEqual([303, 404])
    const key = shownKey(await browser.page('/account/api-keys')) ?? ''
    expect(key).toStartWith(prefix)
    for (const { url } of [server, other]) {
      const me = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
      expect(await me.json()).toMatchObject({
        licence: 'commercial',
        quant: true,
        limits: { minute: 1000, day: null },
        expires: `${year + 1}-12-31`,
      })
    }
    for (const path of [`/admin/accounts/${account}`, '/admin/keys', `/admin/requests/${request}`])
      expect(await admin.page(path)).not.toContain(key)
    expect(await acts(email)).toEqual([
      `request_sent by ${email}`,
      `key_granted by ${admins[0]}`,
      `request_granted by ${admins[0]}`,
      `key_made by ${email}`,
    ])
    const accountPage = await browser.page('/account')
    for (const word of ['Licence requested', 'Licence granted', 'Request granted'])
      expect(accountPage).toContain(word)
  })

  test('granted on a key that exists: the same key has the new limits at once, and goes on as a free one afterwards', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    await browser.post('/account/api-keys')
    const key = shownKey(await browser.page('/account/api-keys')) ?? ''
    const [{ id }] = await sql`select key_id as id from api_key where prefix = ${key.slice(0, 17)}`
    await browser.post('/account/licences', wish({ licence: 'quant', key: String(id) }))
    const { request } = await requestOf(email)
    const admin = await asAdmin(server, 0)
    const page = await admin.page(`/admin/requests/${request}`)
    expect(page).toContain(`<option value="${key.slice(0, 17)}" selected>`)
    await admin.post(
      `/admin/requests/${request}/grant`,
      terms({ licence: 'free', quant: 'yes', key: key.slice(0, 17) }),
    )
    await Bun.sleep(100)
    const ask = () => fetch(`${other.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await (await ask()).json()).toMatchObject({
      licence: 'free',
      quant: true,
      limits: { minute: 300 },
    })
    // The page offers no second free key: the account has one.
    expect(await browser.page('/account/api-keys')).not.toContain('Create a free key')
  })

  test('granted twice, by two operators on two servers at once, is one grant', async () => {
    const { request, account, email } = await withRequest()
    const browsers = [await asAdmin(server, 0), await asAdmin(other, 1)]
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, place) =>
        browsers[place % 2].post(`/admin/requests/${request}/grant`, terms()),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(303))
    expect(await grantsOf(account)).toEqual(['commercial'])
    expect((await acts(email)).filter(act => act.startsWith('request_granted'))).toHaveLength(1)
    const differently = await browsers[1].post(`/admin/requests/${request}/grant`, terms({ licence: 'oem' }))
    expect([differently.status, await differently.text()]).toEqual([
      409,
      expect.stringContaining('was granted by'),
    ])
    const refused = await browsers[1].post(`/admin/requests/${request}/refuse`, { reason: 'No' })
    expect(refused.status).toBe(409)
    expect(await grantsOf(account)).toEqual(['commercial'])
  })

  test('granted and refused at once has one end', async () => {
    for (let round = 0; round < 5; round++) {
      const { request, account, email } = await withRequest()
      const [one, two] = [await asAdmin(server, 0), await asAdmin(other, 1)]
      const answers = await Promise.all([
        one.post(`/admin/requests/${request}/grant`, terms()),
        two.post(`/admin/requests/${request}/refuse`, { reason: 'No' }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409])
      const { state } = await requestOf(email)
      expect(await grantsOf(account)).toEqual(state === 'granted' ? ['commercial'] : [])
    }
  })

  test('refused with a reason that the account sees; withdrawn by its account alone', async () => {
    const { request, browser, email } = await withRequest()
    const thief = await signedIn(server, newAddress())
    expect((await thief.post('/account/licences/withdraw', { request: String(request) })).status).toBe(404)
    const admin = await asAdmin(server, 0)
    expect((await admin.post(`/admin/requests/${request}/refuse`, { reason: '' })).status).toBe(400)
    const refuse = () => admin.post(`/admin/requests/${request}/refuse`, { reason: 'Not for resale.' })
    expect([(await refuse()).status, (await refuse()).status]).toEqual([303, 303])
    expect(await browser.page('/account/licences')).toContain('Not for resale.')
    await browser.post('/account/licences', wish())
    const second = await requestOf(email)
    await browser.post('/account/licences/withdraw', { request: String(second.request) })
    await browser.post('/account/licences/withdraw', { request: String(second.request) })
    expect((await admin.post(`/admin/requests/${second.request}/grant`, terms())).status).toBe(409)
    expect(await acts(email)).toEqual([
      `request_sent by ${email}`,
      `request_refused by ${admins[0]}`,
      `request_sent by ${email}`,
      `request_withdrawn by ${email}`,
    ])
  })

  test('is one a licence while it is open, and a few a day', async () => {
    const { browser, account } = await withRequest()
    const again = await browser.post('/account/licences', wish())
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('open request')])
    expect((await browser.post('/account/licences', wish({ licence: 'oem' }))).status).toBe(303)
    expect((await browser.post('/account/licences', wish({ licence: 'personal' }))).status).toBe(429)
    expect(
      await sql`select count(*)::int as n from account.licence_request where account_id = ${account}`,
    ).toMatchObject([{ n: 2 }])
  })

  test('is checked field by field, and what was typed stays in the form', async () => {
    const browser = await signedIn(server, newAddress())
    const faults: [Record<string, string>, string][] = [
      [{ licence: 'evaluation' }, 'Choose one of the licences'],
      [{ licence: 'demo' }, 'Choose one of the licences'],
      [{ company: '' }, 'The company is missing'],
      [{ company: 'x'.repeat(201) }, 'the limit is 200'],
      [{ purpose: '' }, 'The purpose is missing'],
      [{ first: '2020-01-01' }, 'from today'],
      [{ first: 'soon' }, 'not a date'],
      [{ last: '2020-01-01' }, 'before'],
      [{ last: '2099-01-01' }, 'more than 20 years'],
      [{ key: '1' }, 'no such active key'],
    ]
    // Faults do not count against the requests of a day, but the last one is found behind the counter.
    for (const [change, message] of faults) {
      const answer = await browser.post(
        '/account/licences',
        wish({ purpose: 'My <b>purpose</b>', ...change }),
      )
      const page = await answer.text()
      expect([message, answer.status, page.includes(message)]).toEqual([message, 400, true])
      if (change.purpose === undefined) expect(page).toContain('My &lt;b&gt;purpose&lt;/b&gt;')
    }
  })

  test('shows typed fields as text, to the account and to operators', async () => {
    const evil = '"><script>alert(1)</script>'
    const { request, browser, account } = await withRequest({
      company: evil,
      purpose: `${evil}\r\nsecond line`,
    })
    const admin = await asAdmin(server, 0)
    for (const page of [
      await browser.page('/account/licences'),
      await admin.page('/admin'),
      await admin.page('/admin/requests'),
      await admin.page(`/admin/requests/${request}`),
      await admin.page(`/admin/accounts/${account}`),
      await admin.page(`/admin/accounts?q=${encodeURIComponent(evil)}`),
      await admin.page(`/admin/keys?q=${encodeURIComponent(evil)}`),
    ]) {
      expect(page).not.toContain('<script>alert')
      expect(page).toContain('&lt;script&gt;alert')
    }
    await admin.post(`/admin/requests/${request}/refuse`, { reason: evil })
    expect(await browser.page('/account/licences')).not.toContain('<script>alert')
    expect(await browser.page('/account')).not.toContain('<script>alert')
  })
})

test('an answer goes by mail in the transaction of the decision, once, and holds no key', async () => {
  const { email, request } = await withRequest({ company: 'Bcc: evil@x.example' })
  const admin = await asAdmin(server, 0)
  await Promise.all([1, 2].map(() => admin.post(`/admin/requests/${request}/grant`, terms())))
  await (await signedInAgain(email)).post('/account/licences', wish())
  const second = await requestOf(email)
  for (const _ of [1, 2])
    await admin.post(`/admin/requests/${second.request}/refuse`, { reason: 'Not for resale.' })
  const mails = await sql<{ subject: string; body: string }[]>`
    select subject, body from account.mail_outbox where recipient = ${email} order by mail_id`
  expect(mails.map(({ subject }) => subject)).toEqual([
    'You have been granted a licence: Commercial',
    'Your request for a licence was refused: Commercial',
  ])
  expect(mails[0].body).toContain('/account/api-keys')
  expect(mails[0].body).not.toMatch(/asf_live_\w{20}/)
  expect(mails[1].body).toContain('Not for resale.')
})

describe('an operator', () => {
  test('grants, extends and revokes on the page of an account; a form sent twice acts once', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    await browser.post('/account/api-keys')
    const key = shownKey(await browser.page('/account/api-keys')) ?? ''
    const prefix = key.slice(0, 17)
    const admin = await asAdmin(server, 0)
    const [{ account }] = await sql`select account_id as account from account.account where email = ${email}`
    const path = `/admin/accounts/${account}`
    const after = /name="after" value="(\d+)"/.exec(await admin.page(path))?.[1] ?? ''
    const fields = terms({ key: prefix, after, last: `${year + 1}-06-30` })
    const sent = await Promise.all([admin.post(`${path}/grant`, fields), admin.post(`${path}/grant`, fields)])
    expect(sent.map(({ status }) => status).toSorted()).toEqual([303, 409])
    const [{ grant }] = await sql`select max(grant_id) as grant from key_grant`
    const extend = (last: string) => admin.post(`/admin/grants/${grant}/extend`, { last })
    expect((await extend(`${year + 1}-12-31`)).headers.get('location')).toBe(path)
    expect((await extend(`${year + 1}-12-31`)).status).toBe(303)
    expect((await extend(`${year + 1}-06-30`)).status).toBe(400)
    await Bun.sleep(100)
    const me = () => fetch(`${other.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await (await me()).json()).toMatchObject({ licence: 'commercial', expires: `${year + 1}-12-31` })
    for (const _ of [1, 2])
      expect((await admin.post('/admin/keys/revoke', { prefix })).headers.get('location')).toBe(path)
    await Bun.sleep(100)
    expect((await me()).status).toBe(403)
    expect(await acts(email)).toEqual([
      `key_made by ${email}`,
      `key_granted by ${admins[0]}`,
      `grant_changed by ${admins[0]}`,
      `key_revoked by ${admins[0]}`,
    ])
  })

  test('cannot replace an evaluation by a free licence: it would close the days that it opened', async () => {
    const email = newAddress()
    const made = await run(`keys create --email ${email} --licence evaluation --json`)
    const prefix = JSON.parse(made.out).prefix
    const refused = await run(`grants make --key ${prefix} --licence free --quant`)
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('has an evaluation')])
    expect((await run(`grants make --key ${prefix} --licence personal --quant`)).code).toBe(0)
  })

  test('revokes a licence for good: the next free key of the account does not bring it back', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    const freeKey = async () => {
      await browser.post('/account/api-keys')
      return shownKey(await browser.page('/account/api-keys')) ?? ''
    }
    const me = async (key: string) => {
      const answer = await fetch(`${server.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
      return answer.json()
    }
    const key = await freeKey()
    const prefix = key.slice(0, 17)
    const made = await run(`grants make --key ${prefix} --licence commercial --last ${year + 1}-12-31`)
    expect(made.code).toBe(0)
    await Bun.sleep(100)
    expect(await me(key)).toMatchObject({ licence: 'commercial' })
    expect((await run(`keys revoke ${prefix}`)).code).toBe(0)
    expect(await me(await freeKey())).toMatchObject({
      licence: 'free',
      quant: false,
      limits: { minute: 120 },
    })
  })

  test('sees ended keys with the licence that they had, and counts only licences that a key can use', async () => {
    const email = newAddress()
    const browser = await signedIn(server, email)
    const admin = await asAdmin(server, 0)
    const freeKey = async () => {
      await browser.post('/account/api-keys')
      return (shownKey(await browser.page('/account/api-keys')) ?? '').slice(0, 17)
    }
    const paidLicences = async () =>
      Number(/<dt>Paid licences<\/dt><dd>([\d,]+)/.exec(await admin.page('/admin'))?.[1]?.replace(',', ''))
    const before = await paidLicences()
    const ended = await freeKey()
    expect((await run(`keys revoke ${ended}`)).code).toBe(0)
    // Both keys are of one family, so they share their grants.
    const current = await freeKey()
    expect((await run(`grants make --key ${current} --licence personal --last ${year + 1}-12-31`)).code).toBe(
      0,
    )
    expect(await paidLicences()).toBe(before + 1)
    // An upgrade is a second grant on the same key, and one licence.
    expect(
      (await run(`grants make --key ${current} --licence commercial --last ${year + 2}-12-31`)).code,
    ).toBe(0)
    expect(await paidLicences()).toBe(before + 1)

    const rowOf = (page: string, prefix: string) =>
      page.split('<tr>').find(row => row.includes(`${prefix}...</code>`) && row.includes('<td>')) ?? ''
    const account = await accountOf(email)
    for (const path of ['/admin/keys', `/admin/accounts/${account}`]) {
      const page = await admin.page(path)
      expect([path, rowOf(page, ended)]).toEqual([path, expect.stringContaining('<td>Free</td>')])
      expect([path, rowOf(page, current)]).toEqual([path, expect.stringContaining('<td>Commercial</td>')])
    }
    const own = await browser.page('/account/api-keys')
    expect(rowOf(own.slice(own.indexOf('Ended keys')), ended)).toContain('<td>free</td>')

    expect((await run(`keys revoke ${current}`)).code).toBe(0)
    expect(await paidLicences()).toBe(before)
    const after = await admin.page('/admin/keys')
    expect(rowOf(after, ended)).toContain('<td>Free</td>')
    expect(rowOf(after, current)).toContain('<td>Commercial</td>')
  })

  test('cannot grant to a key of another account through the page of this one', async () => {
    const holder = await signedIn(server, newAddress())
    await holder.post('/account/api-keys')
    const prefix = (shownKey(await holder.page('/account/api-keys')) ?? '').slice(0, 17)
    const { account, request } = await withRequest()
    const admin = await asAdmin(server, 0)
    for (const path of [`/admin/accounts/${account}/grant`, `/admin/requests/${request}/grant`])
      expect((await admin.post(path, terms({ key: prefix, after: '0' }))).status).toBe(409)
    expect(await grantsOf(account)).toEqual([])
  })

  test('searches and pages through accounts and keys', async () => {
    await sql`
      insert into account.account (email, domain)
      select 'many' || n || '@crowd.example', 'crowd.example' from generate_series(1, 60) n`
    const admin = await asAdmin(server, 0)
    const first = await admin.page('/admin/accounts?q=CROWD.example')
    const next =
      /href="(\/admin\/accounts\?[^"]*before=\d+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await admin.page(next)
    const found = [...`${first}${second}`.matchAll(/>(many\d+@crowd\.example)</g)].map(match => match[1])
    expect(new Set(found).size).toBe(60)
    expect((await admin.get('/admin/accounts?q=a&q=b')).status).toBe(400)
    expect((await admin.get('/admin/accounts?before=x')).status).toBe(400)
    expect((await admin.get('/admin/accounts/abc')).status).toBe(404)
    expect((await admin.get('/admin/requests/0')).status).toBe(404)
  })

  test('does the same by commands, as the operator in the log', async () => {
    const { email, request, account, browser } = await withRequest({ licence: 'personal' })
    const listed = JSON.parse((await run('requests --json')).out)
    expect(listed[0]).toMatchObject({
      request,
      email,
      licence: 'personal',
      state: 'open',
      company: 'Fund Ltd',
    })
    expect((await run('requests')).out).toContain('Fund Ltd')
    const first = await run(`requests grant ${request} --last ${year + 1}-01-31 --json`)
    expect(JSON.parse(first.out)).toMatchObject({ request, state: 'granted', changed: true })
    const again = await run(`requests grant ${request} --last ${year + 1}-01-31`)
    expect(again.out).toContain('as before')
    expect((await run(`requests refuse ${request} --reason no`)).error).toContain('was granted by operator')
    const shown = JSON.parse((await run(`accounts show ${email} --json`)).out)
    expect(shown).toMatchObject({ account, grants: [{ licence: 'personal', state: 'running' }] })
    expect((await run(`accounts show ${email}`)).out).toContain('request_granted')
    const { grant, key } = shown.grants[0]
    expect((await run(`grants extend ${grant} --last ${year + 2}-01-31`)).out).toContain(
      `until ${year + 2}-01-31`,
    )
    expect((await run(`grants extend ${grant} --no-end`)).out).toContain('has no end')
    expect((await run(`grants extend ${grant}`)).code).toBe(2)
    expect((await run(`grants make --email ${email} --licence commercial`)).out).toContain(
      `commercial on ${key}`,
    )
    expect(
      (await run(`grants make --email ${email} --licence oem --new-key --per-minute 9000 --companies 7`)).out,
    ).toContain('9,000 requests per minute')
    expect((await run(`grants make --email ${email} --licence oem`)).error).toContain('several keys')
    expect((await run('grants make --licence oem')).code).toBe(2)
    expect((await run('grants make --email no@account.example --licence oem')).error).toContain(
      'has no account',
    )
    expect((await run(`keys revoke ${key}`)).code).toBe(0)
    expect((await run('accounts')).out).toContain(email)
    expect((await run('grants --json')).out).toStartWith('[')
    for (const line of [
      'grants',
      'grants make',
      'grants extend',
      'requests',
      'requests grant',
      'accounts show',
    ])
      expect((await run(`${line} --help`)).out).toContain('Examples:')
    expect(await acts(email)).toEqual([
      `request_sent by ${email}`,
      'key_granted by operator',
      'request_granted by operator',
      'grant_changed by operator',
      'grant_changed by operator',
      'key_granted by operator',
      'key_granted by operator',
      'key_revoked by operator',
    ])
    expect(await browser.page('/account/api-keys')).toContain('OEM licence')
  })

  test('grants to a key of the command line, which has no account: its log entry is no account of an operator', async () => {
    const { prefix } = JSON.parse(
      (await run('keys create --email cli@firm.example --licence personal --json')).out,
    )
    expect((await run(`grants make --key ${prefix} --licence commercial`)).code).toBe(0)
    const admin = await asAdmin(server, 0)
    expect(await admin.page(`/admin/keys?q=${prefix}`)).toContain('cli@firm.example')
    expect((await admin.post('/admin/keys/revoke', { prefix })).headers.get('location')).toBe('/admin/keys')
    const rows =
      await sql`select act, actor, account_id from account.audit where about = ${prefix} order by audit_id`
    expect([...rows]).toEqual([
      { act: 'key_made', actor: 'operator', account_id: null },
      { act: 'key_granted', actor: 'operator', account_id: null },
      { act: 'key_revoked', actor: admins[0], account_id: null },
    ])
  })
})
