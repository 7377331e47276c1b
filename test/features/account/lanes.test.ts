import { afterAll, describe, expect, test } from 'bun:test'
import { parseMailbox } from '../../../src/access/emailAddress.ts'
import { countGuess, countSend, giveSendBack } from '../../../src/features/account/sendLimits.ts'
import { connect } from '../../../src/postgres/client.ts'
import { testDatabase } from '../../database.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { codeFor, signedIn, TestBrowser } from './browser.ts'
import { type SmtpServer, smtpServer } from './smtpServer.ts'

const database = await testDatabase()
const { sql } = database
const second = connect({ url: database.url, connections: 4, statementTimeoutMs: 10_000 })
const server = await testServer(sql)
const opened: { stop(): Promise<void> }[] = [server]
afterAll(async () => {
  for (const each of opened) await each.stop()
  await second.end()
  await database.close()
}, 180_000)

/** 2026-07-01T00:00:00Z. Simulated days come after each other, so that none sees the counts of another. */
const firstDay = Date.parse('2026-07-01T00:00:00Z') / 1_000
let days = 0
const newDay = () => firstDay + 86_400 * days++

const stranger = (network: string) => ({ network, knownBrowser: null, isKnownNetwork: false })

async function isSent(
  sender: Parameters<typeof countSend>[1],
  email: string,
  clock: number,
): Promise<boolean> {
  try {
    await countSend(sql, sender, await parseMailbox(email), clock)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^rate_limited_/) })
    return false
  }
}

async function sentTo(domain: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select used_today as n from limit_counter where subject = ${`code-domain:${domain}`}`
  return row?.n ?? 0
}

/** One stranger with a network in each of many neighbourhoods, each of which requests a code a minute, all of
 * them for mailboxes that exist. Returns how many were sent. */
async function attack(domain: string, networks: number, clock: number, codes = 60): Promise<number> {
  let sent = 0
  for (let minute = 0; minute < codes; minute++) {
    const turns = Array.from({ length: networks }, (_, n) =>
      isSent(stranger(`10.${n}.0.1`), `nobody${minute}.${n}x@${domain}`, clock + minute * 60),
    )
    sent += (await Promise.all(turns)).filter(Boolean).length
  }
  return sent
}

describe('a stranger with many networks who has codes really sent from each', () => {
  test('closes Gmail neither to new users elsewhere nor to known browsers and networks', async () => {
    const clock = newDay()
    // 84 x 60 = 5,040 would be all 5,000. Half is a reserve, of which each neighbourhood gets two.
    const sent = await attack('gmail.com', 84, clock)
    expect(sent).toBeGreaterThanOrEqual(2_500)
    expect(sent).toBeLessThanOrEqual(2_500 + 84 * 2)
    const later = clock + 7_200
    expect(await isSent(stranger('10.3.0.1'), 'new0@gmail.com', later)).toBe(false)
    expect(await isSent(stranger('192.0.2.1'), 'new1@gmail.com', later)).toBe(true)
    expect(await isSent(stranger('2001:db8:7:1::/64'), 'new2@gmail.com', later)).toBe(true)
    expect(await isSent({ ...stranger('10.3.0.1'), knownBrowser: 1_001 }, 'owner@gmail.com', later)).toBe(
      true,
    )
    expect(await isSent({ ...stranger('10.200.0.9'), isKnownNetwork: true }, 'house@gmail.com', later)).toBe(
      true,
    )
  }, 120_000)

  test('closes a company neither to new users elsewhere nor to known browsers and networks', async () => {
    const clock = newDay()
    const sent = await attack('company.example', 60, clock, 20)
    expect(sent).toBeGreaterThanOrEqual(150)
    expect(sent).toBeLessThanOrEqual(150 + 60 * 2)
    const later = clock + 7_200
    expect(await isSent(stranger('192.0.2.1'), 'new1@company.example', later)).toBe(true)
    const colleague = { ...stranger('192.0.2.2'), isKnownNetwork: true }
    for (let n = 0; n < 30; n++)
      expect(await isSent(colleague, `colleague${n}@company.example`, later + n * 60)).toBe(true)
    expect(await isSent({ ...stranger('10.3.0.1'), knownBrowser: 1_002 }, 'a@company.example', later)).toBe(
      true,
    )
  }, 120_000)
})

test('of two servers at once exactly the budget of the reserve is granted to a neighbourhood', async () => {
  const clock = newDay()
  await attack('raced.example', 30, clock, 20)
  const before = await sentTo('raced.example')
  const mailboxes = await Promise.all(
    Array.from({ length: 40 }, (_, n) => parseMailbox(`person${n}@raced.example`)),
  )
  const turns = mailboxes.map((mailbox, n) =>
    countSend(n % 2 === 0 ? sql : second, stranger(`198.51.100.${n}`), mailbox, clock + 7_200),
  )
  const granted = (await Promise.allSettled(turns)).filter(({ status }) => status === 'fulfilled')
  expect(granted).toHaveLength(2)
  expect((await sentTo('raced.example')) - before).toBe(2)
}, 180_000)

test('the wait is the one after which a code is sent, and not a minute more', async () => {
  const clock = newDay()
  for (let n = 0; n < 20; n++) await isSent(stranger(`10.${n}.2.1`), `p${n}@wait.example`, clock)
  const mailbox = await parseMailbox('p99@wait.example')
  // The neighbourhood has had its two from the reserve, and the half that is open to all opens again within the minute.
  for (const n of [1, 2])
    await countSend(sql, stranger('192.0.2.7'), await parseMailbox(`q${n}@wait.example`), clock)
  const error = await countSend(sql, stranger('192.0.2.7'), mailbox, clock).catch(reason => reason)
  expect(error.code).toBe('rate_limited_minute')
  expect(error.message).toContain('to wait.example')
  const wait: number = error.details.retryAfterSeconds
  expect(await isSent(stranger('192.0.2.7'), 'p99@wait.example', clock + wait - 1)).toBe(false)
  expect(await isSent(stranger('192.0.2.7'), 'p99@wait.example', clock + wait)).toBe(true)
})

/** Uses up what strangers have: the codes of a mailbox, its guesses, and its domain. */
async function closeToStrangers(): Promise<void> {
  await sql`
    update limit_counter set used_today = 10000
    where subject like 'code-address:%' or subject like 'guess-address:%' or subject like 'code-domain:%'`
}

let people = 0
const newAddress = () => `owner${++people}@home${people}.example`

/** Another browser with the same cookies, in a network of its own. */
function twinOf({ cookies }: TestBrowser, only?: string): TestBrowser {
  const twin = new TestBrowser(server.url)
  for (const [name, value] of cookies) if (only === undefined || name === only) twin.cookies.set(name, value)
  return twin
}

describe('a mailbox whose codes and guesses strangers have used up', () => {
  test('opens to its owner in a browser that signed in before, and stays closed to others', async () => {
    const email = newAddress()
    const owner = await signedIn(server, email)
    await owner.post('/sign-out')
    const guesser = new TestBrowser(server.url)
    await guesser.post('/sign-in', { email })
    await guesser.post('/sign-in/code', { code: '000000' })
    await closeToStrangers()
    expect((await guesser.post('/sign-in/code', { code: '000000' })).status).toBe(429)
    const refused = await new TestBrowser(server.url).post('/sign-in', { email })
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining(
        'A browser that has signed in with this address before has a limit of its own.',
      ),
    ])
    // From any network: not that of its sign-in.
    const home = twinOf(owner)
    expect((await home.post('/sign-in', { email })).status).toBe(303)
    expect((await home.post('/sign-in/code', { code: codeFor(server.terminal, email) })).status).toBe(303)
    expect(await home.page('/account')).toContain(email)
    // The network is its sender's, and a stranger on it cannot use it up for the known browser.
    await sql`
      insert into limit_counter values
        (${`code-network:${home.network}`}, 0, 0, 0, extract(epoch from now())::bigint / 86400, 99, 0, 0),
        (${`guess-network:${home.network}`}, 0, 0, 0, extract(epoch from now())::bigint / 86400, 999, 0, 0)
      on conflict (subject) do update set used_today = excluded.used_today`
    await home.post('/sign-out')
    expect((await home.post('/sign-in', { email })).status).toBe(303)
    expect((await home.post('/sign-in/code', { code: codeFor(server.terminal, email) })).status).toBe(303)
  })

  test('counts six codes and twenty guesses a day in that browser, on two servers together', async () => {
    const clock = newDay()
    const known = { ...stranger('10.0.3.1'), knownBrowser: 2_001 }
    const mailbox = await parseMailbox('lane@lane.example')
    // Strangers have taken what is open to all.
    for (let n = 0; n < 12; n++) await countSend(sql, stranger(`10.${n}.3.1`), mailbox, clock + n * 60)
    const turns = Array.from({ length: 40 }, (_, n) =>
      countSend(n % 2 === 0 ? sql : second, known, mailbox, clock + 3_600 + n * 30),
    )
    const sent = (await Promise.allSettled(turns)).filter(({ status }) => status === 'fulfilled')
    expect(sent).toHaveLength(6)
    const guess = { network: '10.0.3.2', email: 'lane@lane.example', knownBrowser: 2_001 }
    const guesses = Array.from({ length: 40 }, (_, n) => countGuess(n % 2 === 0 ? sql : second, guess))
    // Ten in its minute, and then ten of those that strangers share.
    const counted = (await Promise.allSettled(guesses)).filter(({ status }) => status === 'fulfilled')
    expect(counted).toHaveLength(20)
  })
})

describe('the cookie of a known browser', () => {
  const known = 'asfiled_known'

  test('signs nobody in', async () => {
    const email = newAddress()
    const thief = twinOf(await signedIn(server, email), known)
    expect([...thief.cookies.keys()]).toEqual([known])
    expect((await thief.get('/account')).headers.get('location')).toBe('/sign-in?next=/account')
    expect((await thief.post('/sign-in/code', { code: '123456' })).status).toBe(400)
  })

  test('is nothing for another mailbox, and answers there as without it', async () => {
    const thief = twinOf(await signedIn(server, newAddress()), known)
    const [withAccount, without] = [newAddress(), newAddress()]
    await signedIn(server, withAccount)
    await new TestBrowser(server.url).post('/sign-in', { email: without })
    await closeToStrangers()
    const answers: string[] = []
    for (const email of [withAccount, without]) {
      for (const browser of [thief, new TestBrowser(server.url)]) {
        const response = await browser.post('/sign-in', { email })
        const text = (await response.text()).replace(/\d+ (s|hour\(s\))/, '')
        answers.push(`${response.status} ${text}`)
      }
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toStartWith('429')
  })

  test('changes at each sign-in, and a copy of the earlier one is worth nothing', async () => {
    const email = newAddress()
    const owner = await signedIn(server, email)
    const thief = twinOf(owner, known)
    await owner.post('/sign-in', { email })
    await owner.post('/sign-in/code', { code: codeFor(server.terminal, email) })
    expect(owner.cookies.get(known)).not.toBe(thief.cookies.get(known))
    await closeToStrangers()
    expect((await thief.post('/sign-in', { email })).status).toBe(429)
    expect((await owner.post('/sign-in', { email })).status).toBe(303)
  })

  test('serves every account that signed in from the browser', async () => {
    const emails = [newAddress(), newAddress()]
    const browser = await signedIn(server, emails[0])
    await browser.post('/sign-in', { email: emails[1] })
    await browser.post('/sign-in/code', { code: codeFor(server.terminal, emails[1]) })
    await closeToStrangers()
    for (const email of emails) expect((await browser.post('/sign-in', { email })).status).toBe(303)
  })

  test('is known for 180 days, in five browsers of an account at most', async () => {
    const email = newAddress()
    const browsers: TestBrowser[] = []
    for (let n = 0; n < 6; n++) {
      browsers.push(await signedIn(server, email))
      await sql`delete from limit_counter`
    }
    await new TestBrowser(server.url).post('/sign-in', { email })
    await closeToStrangers()
    const statuses: number[] = []
    for (const browser of browsers)
      statuses.push((await twinOf(browser, known).post('/sign-in', { email })).status)
    expect(statuses).toEqual([429, 303, 303, 303, 303, 303])
    const [{ days: kept }] = await sql`
      select extract(day from expires_at - signed_in_at)::int as days from account.known_browser
      order by browser_id desc limit 1`
    expect(kept).toBe(180)
    await sql`update account.known_browser set expires_at = now()`
    expect((await twinOf(browsers[5], known).post('/sign-in', { email })).status).toBe(429)
  })

  test('is HttpOnly and SameSite=Lax, and over https no subdomain sets it', async () => {
    for (const [BASE_URL, shape] of [
      ['', /^asfiled_known=[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/],
      [
        'https://data.example',
        /^__Host-asfiled_known=[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/,
      ],
    ] as const) {
      const reached = await testServer(sql, { mailer: server.resources.mailer }, { BASE_URL })
      opened.push(reached)
      const email = newAddress()
      const browser = new TestBrowser(reached.url)
      await browser.post('/sign-in', { email })
      const done = await browser.post('/sign-in/code', { code: codeFor(server.terminal, email) })
      expect(done.headers.getSetCookie().find(cookie => cookie.includes('known'))).toMatch(shape)
    }
  })
})

describe('a known browser is forgotten', () => {
  /** Whether a browser still has a lane of its own. */
  async function isKnown(browser: TestBrowser, email: string): Promise<boolean> {
    await new TestBrowser(server.url).post('/sign-in', { email })
    await closeToStrangers()
    const { status } = await twinOf(browser, 'asfiled_known').post('/sign-in', { email })
    await sql`delete from limit_counter`
    return status === 303
  }
  const idsOf = (page: string, name: string) =>
    [...page.matchAll(new RegExp(`name="${name}" value="(\\d+)"`, 'g'))].map(([, id]) => id)

  async function threeBrowsers(): Promise<{ email: string; browsers: TestBrowser[]; page: string }> {
    const email = newAddress()
    const browsers = [
      await signedIn(server, email),
      await signedIn(server, email),
      await signedIn(server, email),
    ]
    return { email, browsers, page: await browsers[2].page('/account') }
  }
  const knownOf = async (browsers: readonly TestBrowser[], email: string) => {
    const known: boolean[] = []
    for (const browser of browsers) known.push(await isKnown(browser, email))
    return known
  }

  test('with its session in the list, not by signing out', async () => {
    const { email, browsers, page } = await threeBrowsers()
    await browsers[0].post('/sign-out')
    await browsers[2].post('/account/sessions', { session: idsOf(page, 'session')[1] })
    expect(await knownOf(browsers, email)).toEqual([true, false, true])
  })

  test('with all other sessions, also where it has none any more', async () => {
    const { email, browsers } = await threeBrowsers()
    await browsers[0].post('/sign-out')
    await browsers[2].post('/account/sessions', { session: 'others' })
    expect(await knownOf(browsers, email)).toEqual([false, false, true])
  })

  test('alone, and the page lists which are known', async () => {
    const { email, browsers, page } = await threeBrowsers()
    const ids = idsOf(page, 'browser')
    expect(ids).toHaveLength(3)
    const response = await browsers[2].post('/account/browsers', { browser: ids[2] })
    expect(response.headers.getSetCookie()).toEqual([])
    const own = await browsers[2].post('/account/browsers', { browser: ids[0] })
    expect(own.headers.getSetCookie()).toEqual([expect.stringMatching(/^asfiled_known=; .*Max-Age=0/)])
    expect(browsers[2].cookies.has('asfiled_known')).toBe(false)
    const after = await browsers[2].page('/account')
    expect([idsOf(after, 'browser').length, after.includes('Browser forgotten')]).toEqual([1, true])
    expect(await knownOf(browsers.slice(0, 2), email)).toEqual([false, true])
  })

  test('with all of the account', async () => {
    const { email, browsers } = await threeBrowsers()
    await browsers[2].post('/account/browsers', { browser: 'all' })
    expect(await browsers[2].page('/account')).toContain('No browser is remembered.')
    expect(await knownOf(browsers, email)).toEqual([false, false, false])
  })

  test('by nobody else', async () => {
    const { email, browsers, page } = await threeBrowsers()
    const eve = await signedIn(server, newAddress())
    for (const browser of [...idsOf(page, 'browser'), 'all']) await eve.post('/account/browsers', { browser })
    expect(await knownOf(browsers, email)).toEqual([true, true, true])
  })
})

test('a network has a lane to a domain of which somebody is signed in there, until the session ends', async () => {
  const member = await signedIn(server, 'ana@firm.example')
  await new TestBrowser(server.url).post('/sign-in', { email: 'bob@firm.example' })
  await closeToStrangers()
  await sql`delete from limit_counter where subject like 'code-address:%'`
  const colleague = (email: string) => new TestBrowser(server.url, member.network).post('/sign-in', { email })
  expect((await colleague('cleo@firm.example')).status).toBe(303)
  await new TestBrowser(server.url).post('/sign-in', { email: 'dora@other.example' })
  await closeToStrangers()
  await sql`delete from limit_counter where subject like 'code-address:%'`
  expect((await colleague('eve@other.example')).status).toBe(429)
  await member.post('/sign-out')
  expect((await colleague('finn@firm.example')).status).toBe(429)
})

describe('a mail that is not sent gives its hit back to mailbox and domain, not to its sender', () => {
  async function serverWith(smtp: SmtpServer): Promise<TestServer> {
    const made = await testServer(sql, {}, { MAIL_URL: smtp.url, MAIL_FROM: 'Data <data@service.example>' })
    opened.push(made, smtp)
    return made
  }
  const countsOf = async (domain: string, network: string) => {
    const counters = await sql<{ subject: string; used: number; usedToday: number }[]>`
      select subject, used, used_today as "usedToday" from limit_counter
      where subject in (${`code-domain:${domain}`}, ${`code-network:${network}`}) order by subject`
    return counters.map(({ usedToday }) => usedToday)
  }

  test('when the mail server refuses it for good', async () => {
    const smtp = await smtpServer((_, data) => (data.includes('gone@') ? '550 no such mailbox' : '250 OK'))
    const { url, logged } = await serverWith(smtp)
    const browser = new TestBrowser(url)
    await browser.post('/sign-in', { email: 'here@bounce.example' })
    await browser.post('/sign-in', { email: 'gone@bounce.example' })
    for (let i = 0; i < 200 && !JSON.stringify(logged).includes('"isLast":true'); i++) await Bun.sleep(25)
    for (let i = 0; i < 200 && (await countsOf('bounce.example', browser.network))[0] > 1; i++)
      await Bun.sleep(25)
    expect(await countsOf('bounce.example', browser.network)).toEqual([1, 2])
  })

  test('when too many mails wait', async () => {
    const busy = await testServer(sql, {
      mailer: {
        ...server.resources.mailer,
        send: () => Promise.reject(new Error('the queue is full')),
      },
    })
    opened.push(busy)
    const browser = new TestBrowser(busy.url)
    const response = await browser.post('/sign-in', { email: 'ana@full.example' })
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await countsOf('full.example', browser.network)).toEqual([0, 1])
  })

  test('once, and what a known network has stays its own', async () => {
    const clock = newDay()
    const sender = { ...stranger('10.0.4.1'), isKnownNetwork: true }
    const counted = await countSend(sql, sender, await parseMailbox('x@known.example'), clock)
    expect(counted.shared.some(subject => subject.startsWith('code-known:'))).toBe(true)
    expect(counted.shared.some(subject => subject.includes('network'))).toBe(false)
    await giveSendBack(sql, counted)
    const left = await sql<{ subject: string }[]>`
      select subject from limit_counter where used_today > 0 and subject like '%known.example'`
    expect(left.map(({ subject }) => subject)).toEqual(['code-known-network:10.0.4.1:known.example'])
  })
})
