import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { type TestDatabase, testDatabase } from '../database.ts'
import { TestBrowser } from '../features/account/browser.ts'
import { type SmtpServer, smtpServer } from '../features/account/smtpServer.ts'
import { filledForm, operator } from '../features/orders/signing.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

setDefaultTimeout(600_000)
const repository = resolve(import.meta.dir, '../..')
const kills = 16
/** Each statement that writes takes this much longer, so that kills come between all of them. */
const slowSeconds = 0.05
/** The last kills come beyond the end of the transaction, when it is committed and the answer is on its way. */
const spreadOverSigning = 2

if (process.env.LONG === undefined) console.log('skipped: kills between signature and key run with LONG=1')

describe.skipIf(process.env.LONG === undefined)('two servers of one database (LONG=1)', () => {
  const alive = new Set<ServerProcess>()
  let database: TestDatabase
  let smtp: SmtpServer
  afterAll(async () => {
    for (const server of alive) server.signal('SIGKILL')
    await Promise.all([...alive].map(({ exited }) => exited))
    await smtp?.stop()
    await database?.close()
  })

  const environment = () => ({
    DATABASE_URL: database.url,
    ...{
      MAIL_URL: smtp.url,
      MAIL_FROM: 'data@service.example',
      BASE_URL: '',
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
    COMPUTE_THREADS: '1',
    JOB_CONCURRENCY: '0',
    LOG_LEVEL: 'silent',
    ...operator,
  })
  async function start(): Promise<ServerProcess> {
    const server = await startServerProcess('', environment())
    alive.add(server)
    return server
  }

  async function signedIn(server: ServerProcess, email: string): Promise<TestBrowser> {
    const browser = new TestBrowser(server.address)
    await browser.post('/sign-in', { email })
    const mailOf = () =>
      smtp.received.findLast(({ to, data }) => to[0] === email && data.includes('sign-in code'))
    for (let i = 0; i < 200 && mailOf() === undefined; i++) await Bun.sleep(20)
    const code = /^ {4}(\d{6})/m.exec(mailOf()?.data ?? '')?.[1] ?? ''
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303)
    return browser
  }

  /** Everything stored about the signature of an address, in one statement. */
  async function made(email: string): Promise<number[]> {
    const [row] = await database.sql<{ counts: number[] }[]>`
      select array[
        (select count(*) from account.signed_order where email = ${email}),
        (select count(*) from api_key where email = ${email}),
        (select count(*) from key_grant join api_key using (key_id) where email = ${email}),
        (select count(*) from account.held_key join api_key using (key_id) where email = ${email}),
        (select count(*) from account.audit where act = 'order_signed' and actor = ${email}),
        (select count(*) from account.mail_outbox where recipient = ${email})]::int[] as counts`
    return row.counts
  }

  const isSlow = async (slow: boolean) => {
    const { sql } = database
    await sql.unsafe(`
      create or replace function slow() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(${slow ? slowSeconds : 0});
        return null;
      end $$`)
    for (const table of [
      'api_key',
      'key_grant',
      'account.held_key',
      'account.signed_order',
      'account.order_chain',
      'account.mail_outbox',
    ])
      await sql.unsafe(
        `create or replace trigger slow after insert or update on ${table} for each statement execute function slow()`,
      )
    await sql.unsafe(
      `create or replace trigger slow after update of reveal on account.session for each statement execute function slow()`,
    )
  }

  test('kill -9 at many moments between signature and key: nothing lost, nothing twice', async () => {
    database = await testDatabase()
    smtp = await smtpServer()
    const survivor = await start()
    let victim = await start()
    let before = 0
    let after = 0
    let signingMs = 0
    for (let i = 0; i < kills; i++) {
      const email = `ana@company${i}.example`
      const browser = await signedIn(survivor, email)
      const form = filledForm(await browser.page('/account/evaluation'))
      await isSlow(true)
      const sentAt = performance.now()
      const sent = fetch(`${victim.address}/account/evaluation`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'Content-Type': 'application/x-www-form-urlencoded',
          'Sec-Fetch-Site': 'same-origin',
        },
        body: new URLSearchParams(form).toString(),
      }).catch(() => null)
      if (i === 0) {
        // The first server is killed after its answer, which shows how long a new server takes for a signature here.
        await sent
        signingMs = performance.now() - sentAt
      } else await Bun.sleep((i * spreadOverSigning * signingMs) / kills)
      victim.signal('SIGKILL')
      await victim.exited
      alive.delete(victim)
      await sent
      const counts = await made(email)
      expect([email, new Set(counts).size]).toEqual([email, 1])
      if (counts[0] === 0) before++
      else after++
      await isSlow(false)
      // The user reloads, which sends the form again, this time to the surviving server.
      const again = await browser.post('/account/evaluation', form)
      expect([email, again.status, again.headers.get('location')]).toEqual([email, 303, '/account/api-keys'])
      expect([email, await made(email)]).toEqual([email, [1, 1, 1, 1, 1, 1]])
      const key = /value="(asf_live_\w{39})"/.exec(await browser.page('/account/api-keys'))?.[1] ?? ''
      const me = await (await survivor.get('/api/v1/me', key)).json()
      expect([email, me.licence]).toEqual([email, 'evaluation'])
      victim = await start()
    }
    console.log(`killed before the commit: ${before}, after it: ${after}`)
    expect(before).toBeGreaterThan(2)
    expect(after).toBeGreaterThan(2)
    const verified = Bun.spawn(['bun', 'src/cli.ts', 'orders', 'verify'], {
      cwd: repository,
      env: { ...process.env, ...environment() },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    expect(await new Response(verified.stdout).text()).toContain(`${kills} orders, nothing changed`)
    const shown = Bun.spawn(['bun', 'src/cli.ts', 'orders', 'show', '1', '--document'], {
      cwd: repository,
      env: { ...process.env, ...environment() },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const [{ digest }] = await database.sql`
      select encode(document_sha256, 'hex') as digest from account.signed_order where order_id = 1`
    const bytes = await new Response(shown.stdout).bytes()
    expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(digest)
  })

  test('kill -9 while mail goes out: each copy arrives, and one that arrives twice is one mail by its Message-ID', async () => {
    // Work claimed by a killed server is due again when the claim expires.
    for (let i = 0; i < 200; i++) {
      await database.sql`update account.mail_outbox set next_attempt_at = now() where state = 'waiting' and attempts > 0`
      const [{ n }] =
        await database.sql`select count(*)::int as n from account.mail_outbox where state = 'waiting'`
      if (n === 0) break
      await Bun.sleep(100)
    }
    for (let i = 0; i < 5; i++) {
      const [victim] = [...alive].slice(-1)
      await database.sql`
        insert into account.mail_outbox (recipient, subject, body, expires_at)
        select 'r' || g || ${`@round${i}.example`}, 'Your signed copy', 'x', now() + interval '1 day' from generate_series(1, 40) g`
      await Bun.sleep(900 + 60 * i)
      victim.signal('SIGKILL')
      await victim.exited
      alive.delete(victim)
      for (let k = 0; k < 100; k++) {
        const [{ n }] =
          await database.sql`select count(*)::int as n from account.mail_outbox where state = 'waiting'`
        if (n === 0) break
        await database.sql`update account.mail_outbox set next_attempt_at = now() where state = 'waiting' and attempts > 0`
        await Bun.sleep(100)
      }
      await start()
    }
    const [{ sent, all }] = await database.sql`
      select count(*) filter (where state = 'sent')::int as sent, count(*)::int as all from account.mail_outbox`
    expect([sent, all]).toEqual([kills + 200, kills + 200])
    const ids = new Map<string, Set<string>>()
    for (const { to, data } of smtp.received) {
      if (!/^Subject: Your signed/m.test(data)) continue
      const id = /^Message-ID: (\S+)/im.exec(data)?.[1] ?? ''
      ids.set(to[0], (ids.get(to[0]) ?? new Set()).add(id))
    }
    expect(ids.size).toBe(kills + 200)
    expect([...ids].filter(([, seen]) => seen.size !== 1)).toEqual([])
  })

  test('a reminder that was due while all servers were down comes once, whichever of them starts, is killed or starts again', async () => {
    for (const server of alive) server.signal('SIGKILL')
    await Promise.all([...alive].map(({ exited }) => exited))
    alive.clear()
    await database.sql`
      update key_grant set
        granted_at = now() - interval '25 days',
        expires_at = (((now() at time zone 'UTC')::date + 6)::timestamp) at time zone 'UTC'
      where licence = 'evaluation'`
    const reminders = () =>
      smtp.received.filter(({ data }) => /^Subject: Your evaluation ends on/m.test(data))
    const started = await Promise.all([start(), start()])
    for (let i = 0; i < 3; i++) {
      await Bun.sleep(100 * i)
      started[i % 2].signal('SIGKILL')
      await started[i % 2].exited
      alive.delete(started[i % 2])
      started[i % 2] = await start()
    }
    for (let i = 0; i < 200 && new Set(reminders().map(({ to }) => to[0])).size < kills; i++) {
      await database.sql`update account.mail_outbox set next_attempt_at = now() where state = 'waiting' and attempts > 0`
      await Bun.sleep(100)
    }
    const ids = new Set(reminders().map(({ data }) => /^Message-ID: (\S+)/im.exec(data)?.[1]))
    expect([new Set(reminders().map(({ to }) => to[0])).size, ids.size]).toEqual([kills, kills])
    const [{ n }] = await database.sql`select count(*)::int as n from account.grant_reminder`
    expect(n).toBe(kills)
  })
})
