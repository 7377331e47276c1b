import { afterAll, describe, expect, test } from 'bun:test'
import { createKey } from '../../../src/access/keys.ts'
import { consentSentence, formVersion, orderDocument } from '../../../src/features/orders/evaluationForm.ts'
import { listOrders } from '../../../src/features/orders/orderQueries.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { shownKey, signedIn } from '../account/browser.ts'
import { insertCompanies } from '../companies/fixtures.ts'
import { evaluationPath, filledForm, operator, sign, signedBrowser } from './signing.ts'

const database = await testDatabase()
const { sql } = database
await insertCompanies(sql)
const server = await testServer(sql, {}, operator)
const other = await testServer(sql, {}, operator)
afterAll(async () => {
  await server.stop()
  await other.stop()
  await database.close()
}, 180_000)

const keysPage = '/account/api-keys'
const sha256 = (content: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
const ask = (path: string, key: string) =>
  fetch(server.url + path, { headers: { Authorization: `Bearer ${key}` } })
const ordersOf = async (email: string) => {
  const rows = await sql<{ n: number }[]>`
    select count(*)::int as n from account.signed_order where email = ${email}`
  return rows[0].n
}

describe('an evaluation', () => {
  test('is signed on a page and gives a key at once: 30 days, 1,000 companies, 2,000 a day, 120 a minute, no bulk', async () => {
    const browser = await signedBrowser(server, 'ana@mail.first.co.uk')
    const key = shownKey(await browser.page(keysPage)) ?? ''
    expect(shownKey(await browser.page(keysPage))).toBeNull()
    const me = await (await ask('/api/v1/me', key)).json()
    const [{ last }] = await sql`select ((now() at time zone 'UTC')::date + 30)::text as last`
    expect(me).toMatchObject({
      licence: 'evaluation',
      quant: false,
      bulk: false,
      limits: { minute: 120, day: 2_000 },
      entities: { cap: 1_000, used: 0, remaining: 1_000 },
      expires: last,
    })
    expect((await ask('/api/v1/fundamentals?ticker=AAPL&as_of=2020-01-01', key)).status).toBe(200)
    const [grant] = await sql`select evaluation_domain from key_grant where evaluation_domain like '%first%'`
    expect(grant.evaluation_domain).toBe('first.co.uk')
  })

  test('is one for ever for each registrable domain, also after revocation, and says where a free key is', async () => {
    await signedBrowser(server, 'one@mail.used.co.uk')
    await sql`update api_key set revoked_at = now() where email = 'one@mail.used.co.uk'`
    for (const email of ['two@used.co.uk', 'three@other.used.co.uk']) {
      const browser = await signedIn(other, email)
      const page = await browser.page(evaluationPath)
      expect(page).toContain('used.co.uk has already used its evaluation')
      expect(page).toContain('href="/account/api-keys"')
      expect(page).not.toContain('name="consent"')
      const refused = await browser.post(
        evaluationPath,
        filledForm(page, { version: formVersion, sha256: '0' }),
      )
      expect(refused.status).toBe(409)
      expect(await ordersOf(email)).toBe(0)
    }
  })

  test('counts whole domains that earlier versions stored for what is registered, and leaves their keys alone', async () => {
    const plant = async (domain: string) => {
      const [{ key_id }] = await sql`
        insert into api_key (digest, prefix, last_four, email)
        values (sha256(${domain}::bytea), ${`asf_live_${domain.slice(0, 8)}`}, 'abcd', ${`old@${domain}`}) returning key_id`
      await sql`
        insert into key_grant (key_id, licence, quant, per_minute, per_day, entity_cap, bulk, evaluation_domain)
        values (${key_id}, 'evaluation', false, 120, 2000, 1000, false, ${domain})`
    }
    for (const domain of ['mail.fund.co.uk', 'a.b.deep.example', 'acme.github.io']) await plant(domain)
    for (const email of ['ana@fund.co.uk', 'ana@desk.fund.co.uk', 'bo@deep.example', 'cy@x.acme.github.io']) {
      const browser = await signedIn(server, email)
      expect([email, await browser.page(evaluationPath)]).toEqual([
        email,
        expect.stringContaining('has already used its evaluation'),
      ])
      const order = { licence: 'evaluation', quant: false, environment: 'live' } as const
      const command = createKey({ sql, today: () => '2026-07-01' }, { email, ...order })
      await expect(command).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('each company domain gets only one'),
      })
    }
    // Names that merely end alike, and neighbours below a suffix, are other companies.
    for (const email of ['ana@hedgefund.co.uk', 'ana@other.github.io', 'ana@ep.example'])
      expect(await (await signedIn(server, email)).page(evaluationPath)).toContain('name="consent"')
    const [{ n }] =
      await sql`select count(*)::int as n from key_grant where evaluation_domain = 'mail.fund.co.uk'`
    expect(n).toBe(1)
  })

  test('of the command line and of the page are one: whichever comes first', async () => {
    const order = { licence: 'evaluation', quant: false, environment: 'live' } as const
    const deps = { sql, today: () => '2026-07-01' }
    await createKey(deps, { email: 'a@mail.shell.example', ...order })
    expect(await (await signedIn(server, 'b@shell.example')).page(evaluationPath)).toContain(
      'has already used its evaluation',
    )
    await signedBrowser(server, 'c@page.example')
    await expect(createKey(deps, { email: 'd@mail.page.example', ...order })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('is refused to free-mail and disposable addresses, with the way to a free key', async () => {
    const addresses = [
      'ana@gmail.com',
      'ana@mailinator.com',
      'ana@hinet.net',
      'ana@i.softbank.jp',
      'ana@fund.onmicrosoft.com',
    ]
    for (const email of [...addresses, 'ana@yahoo.co.jp', 'ana@tutanota.com']) {
      const browser = await signedIn(server, email)
      const page = await browser.page(evaluationPath)
      expect([email, page]).toEqual([email, expect.stringContaining('Anyone can get an address at')])
      expect(page).toContain('href="/account/api-keys"')
      const { sha256: digest } = orderDocument({
        operator: '任天堂 Data & Söhne "GmbH", 1 <b>Example</b> Street',
        law: 'the law of Example',
        email,
        domain: 'x',
      })
      const response = await browser.post(
        evaluationPath,
        filledForm(page, { version: formVersion, sha256: digest }),
      )
      expect(response.status).toBe(403)
      expect(await ordersOf(email)).toBe(0)
    }
  })

  test('comes in addition to a free key, which goes on working next to it and after it', async () => {
    const email = 'ana@both.example'
    const browser = await signedIn(server, email)
    await browser.post(keysPage, { name: 'Free' })
    const free = shownKey(await browser.page(keysPage)) ?? ''
    expect((await sign(browser)).status).toBe(303)
    const evaluation = shownKey(await browser.page(keysPage)) ?? ''
    await sql`
      update key_grant set granted_at = now() - interval '31 days', expires_at = date_trunc('day', now(), 'UTC')
      where licence = 'evaluation' and key_id in (select key_id from api_key where email = ${email})`
    await Bun.sleep(50)
    const refused = await ask('/api/v1/coverage/AAPL', evaluation)
    const { error } = await refused.json()
    expect([refused.status, error.code]).toEqual([403, 'key_expired'])
    const [{ yesterday }] = await sql`select ((now() at time zone 'UTC')::date - 1)::text as yesterday`
    expect(error.message).toContain(`was valid until ${yesterday} (UTC, inclusive)`)
    expect(error.message).toContain('free key at /account/api-keys')
    expect((await ask('/api/v1/coverage/AAPL', free)).status).toBe(200)
  })

  test('works through its last day and is refused from the midnight (UTC) after it', async () => {
    const browser = await signedBrowser(server, 'ana@edge.example')
    const key = shownKey(await browser.page(keysPage)) ?? ''
    const [{ expires, day }] = await sql`
      select extract(epoch from expires_at)::float8 * 1000 as expires, (granted_at at time zone 'UTC')::date::text as day
      from key_grant join api_key using (key_id) where email = 'ana@edge.example'`
    expect(expires).toBe(Date.parse(`${day}T00:00:00Z`) + 31 * 86_400_000)
    expect((await ask('/api/v1/coverage/AAPL', key)).status).toBe(200)
  })

  test('is signed once: of 20 colleagues at once on two servers one gets the key', async () => {
    const people = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        signedIn(place % 2 ? server : other, `p${place}@crowd.example`),
      ),
    )
    const pages = await Promise.all(people.map(person => person.page(evaluationPath)))
    const answers = await Promise.all(
      people.map((person, place) => person.post(evaluationPath, filledForm(pages[place]))),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array<number>(19).fill(409)])
    const [counts] = await sql`
      select (select count(*)::int from account.signed_order where domain = 'crowd.example') as orders,
             (select count(*)::int from api_key where email like '%@crowd.example') as keys,
             (select count(*)::int from key_grant where evaluation_domain = 'crowd.example') as grants,
             (select count(*)::int from account.mail_outbox where recipient like '%@crowd.example') as mails`
    expect(counts).toEqual({ orders: 1, keys: 1, grants: 1, mails: 1 })
  }, 30_000)

  test('is signed once: the same form 20 times at once leads to the one key', async () => {
    const browser = await signedIn(server, 'ana@impatient.example')
    const form = filledForm(await browser.page(evaluationPath))
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.post(evaluationPath, form)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
    const [{ n }] = await sql`select count(*)::int as n from api_key where email = 'ana@impatient.example'`
    expect(n).toBe(1)
    expect(shownKey(await browser.page(keysPage))).not.toBeNull()
  })
})

describe('the order form', () => {
  test('is shown whole, and the bytes shown are the bytes stored and downloaded, with their SHA-256', async () => {
    const email = 'ana@bytes.example'
    const browser = await signedIn(server, email)
    const page = await browser.page(evaluationPath)
    const posted = filledForm(page)
    expect((await browser.post(evaluationPath, posted)).status).toBe(303)
    const [stored] = await sql`
      select order_id, document, encode(document_sha256, 'hex') as digest from account.signed_order where email = ${email}`
    const text = new TextDecoder().decode(stored.document)
    expect(page).toContain(text)
    expect(sha256(stored.document)).toBe(posted.sha256)
    expect(stored.digest).toBe(posted.sha256)
    // The text from the operator's settings, in ASCII, so that the copy reads the same in every encoding.
    expect(text).toContain(
      '&#x4efb;&#x5929;&#x5802; Data &amp; S&#xf6;hne &quot;GmbH&quot;, 1 &lt;b&gt;Example&lt;/b&gt; Street',
    )
    expect(text).toMatch(/^\p{ASCII}*$/u)
    expect(text).toContain(`<strong>${email}</strong>`)
    for (const term of [
      '1,000 companies',
      '120 requests a minute and 2,000 a day',
      '30 days',
      'Bulk files are not included',
      'bytes.example',
    ])
      expect(text).toContain(term)
    const path = `/account/orders/${stored.order_id}/document`
    const download = await browser.get(path)
    expect(sha256(await download.bytes())).toBe(posted.sha256)
    expect(download.headers.get('content-disposition')).toContain(`evaluation-order-${stored.order_id}.html`)
    expect(download.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(posted.sha256, 'hex').toString('base64')}:`,
    )
    expect(download.headers.get('cache-control')).toBe('no-store')
    const shown = await browser.page(evaluationPath)
    for (const word of [path, posted.sha256, 'Ana Álvarez, Head of Research', 'Fund &lt;任天堂&gt; Ltd'])
      expect(shown).toContain(word)
    const stranger = await signedIn(server, 'eve@stranger.example')
    for (const other of [
      path,
      '/account/orders/999999/document',
      '/account/orders/0/document',
      '/account/orders/x/document',
    ])
      expect([other, (await stranger.get(other)).status]).toEqual([other, 404])
  })

  test('stores what was typed and agreed, the proof of the address, times, network and browser', async () => {
    const email = 'ana@proof.example'
    const browser = await signedBrowser(server, email)
    const [session] = await sql`
      select session_id, address, agent, to_char(session.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
      from account.session join account.account using (account_id) where email = ${email}`
    const [{ accountId }] =
      await sql`select account_id as "accountId" from account.account where email = ${email}`
    const [order] = await listOrders(sql, { accountId }, 5)
    expect(order).toMatchObject({
      form: 'evaluation',
      version: formVersion,
      email,
      domain: 'proof.example',
      signerName: 'Ana Álvarez',
      signerTitle: 'Head of Research',
      company: 'Fund <任天堂> Ltd',
      consent: consentSentence,
      address: browser.network,
      sessionId: session.session_id,
      provedAt: session.at,
      provedAddress: session.address,
      provedAgent: session.agent,
    })
    expect(order.agent).toContain('Chrome/140')
    expect(order.signedAt > order.provedAt).toBe(true)
    const acts = await sql`
      select act, actor, about, detail from account.audit where account_id = ${accountId} order by audit_id`
    expect(acts.map(({ act, actor }) => [act, actor])).toEqual([
      ['signed_in', email],
      ['key_made', email],
      ['order_signed', email],
    ])
    expect([acts[2].about, acts[2].detail]).toEqual([`order ${order.orderId}`, order.digest])
    expect(await browser.page('/account')).toContain('Order form signed')
  })

  test('of another version, another text or another operator is not signed: read it again', async () => {
    const browser = await signedIn(server, 'ana@again.example')
    const page = await browser.page(evaluationPath)
    const later = await testServer(sql, {}, { OPERATOR: 'Another Ltd; the law of Example' })
    for (const change of [{ version: '2020-01' }, { version: '' }, { sha256: sha256('x') }, { sha256: '' }]) {
      const response = await browser.post(evaluationPath, filledForm(page, change))
      expect([change, response.status, await response.text()]).toEqual([
        change,
        409,
        expect.stringContaining('Read it again'),
      ])
    }
    const { cookies } = browser
    const response = await fetch(later.url + evaluationPath, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        Accept: 'text/html',
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(filledForm(page)).toString(),
    })
    const text = await response.text()
    await later.stop()
    expect([response.status, text]).toEqual([409, expect.stringContaining('Read it again')])
    expect(text).toContain('Another Ltd')
    expect(text).toContain('value="Ana Álvarez"')
    expect(await ordersOf('ana@again.example')).toBe(0)
  })

  test('of one person is not signed by another: it names the address', async () => {
    const ana = await signedIn(server, 'ana@names.example')
    const eve = await signedIn(server, 'eve@names.example')
    const response = await eve.post(evaluationPath, filledForm(await ana.page(evaluationPath)))
    expect([response.status, await ordersOf('eve@names.example')]).toEqual([409, 0])
  })

  test('needs name, title, company and the ticked consent, keeps to lengths, and comes from our page', async () => {
    const email = 'ana@fields.example'
    const browser = await signedIn(server, email)
    const page = await browser.page(evaluationPath)
    const faults: Record<string, string>[] = [
      ...['name', 'title', 'company'].flatMap(field => [
        { [field]: '' },
        { [field]: '   ' },
        { [field]: 'x'.repeat(201) },
      ]),
      { consent: '' },
      { consent: 'no' },
      { name: 'a\r\nBcc: eve@evil.example' },
    ]
    for (const fault of faults)
      expect([fault, (await browser.post(evaluationPath, filledForm(page, fault))).status]).toEqual([
        fault,
        400,
      ])
    const foreign = await browser.post(evaluationPath, filledForm(page), { 'Sec-Fetch-Site': 'cross-site' })
    expect(foreign.status).toBe(403)
    expect(await ordersOf(email)).toBe(0)
    const escaped = await browser.post(
      evaluationPath,
      filledForm(page, { name: '"><script>alert(1)</script>', consent: '' }),
    )
    expect(await escaped.text()).not.toContain('<script>alert')
  })

  test('is signed by who is signed in alone', async () => {
    const browser = await signedIn(server, 'ana@out.example')
    const form = filledForm(await browser.page(evaluationPath))
    await browser.post('/sign-out')
    expect((await browser.post(evaluationPath, form)).headers.get('location')).toBe('/sign-in')
    expect((await browser.get(evaluationPath)).headers.get('location')).toBe(
      '/sign-in?next=/account/evaluation',
    )
    expect(await ordersOf('ana@out.example')).toBe(0)
  })

  test('is not offered until the operator has set its name and law, for no order has a made-up party', async () => {
    const plain = await testServer(sql)
    const browser = await signedIn(plain, 'ana@unset.example')
    const page = await browser.page(evaluationPath)
    expect(page).toContain('has to set OPERATOR,')
    expect(page).toContain('href="/account/api-keys"')
    expect((await browser.post(evaluationPath, filledForm(page))).status).toBe(409)
    await plain.stop()
  })

  test('has one text a version: a changed word needs a new version', () => {
    const parties = {
      operator: 'Operator',
      law: 'the law',
      email: 'ana@fund.example',
      domain: 'fund.example',
    }
    const versions: Record<string, string> = {
      '2026-11':
        '3926ded599ba1a86119937eefcd88501723877898d2ba9f3a39431b9ca50004e b3bfddef109fa13c30e655b208369ef4f568592bd379d05fee99e8f868d9830e',
    }
    const text = `${orderDocument(parties).sha256} ${sha256(consentSentence)}`
    expect(text).toBe(versions[formVersion])
  })
})
