import { afterAll, describe, expect, test } from 'bun:test'
import { createKey, revokeKey } from '../../../src/access/keys.ts'
import { runInProcess } from '../../commands/runInProcess.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { codeFor, keyIds, signedIn, TestBrowser } from './browser.ts'

const database = await testDatabase()
const { sql, adminUrl } = database
const server = await testServer(sql)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const keysPage = '/account/api-keys'
const run = (line: string) => runInProcess(line.split(' '), { withDatabase: work => work(sql) })
const acts = async (email: string) => {
  const rows = await sql<{ act: string; actor: string }[]>`
    select act, actor from account.audit join account.account using (account_id) where email = ${email} order by audit_id`
  return rows.map(({ act, actor }) => `${act} by ${actor}`)
}

describe('the audit log', () => {
  test('has who signed in, made, named, rotated and revoked what, also from the command line', async () => {
    const email = 'ana@audit.example'
    const browser = await signedIn(server, email)
    await browser.post(keysPage)
    const [id] = keyIds(await browser.page(keysPage))
    await browser.post(`${keysPage}/name`, { key: String(id), name: 'Desk' })
    await browser.post(`${keysPage}/rotate`, { key: String(id) })
    const [next, first] = keyIds(await browser.page(keysPage)).toSorted((a, b) => b - a)
    await browser.post(`${keysPage}/revoke`, { key: String(first) })
    const [{ prefix }] = await sql`select prefix from api_key where key_id = ${next}`
    await revokeKey({ sql }, prefix)
    await browser.post('/sign-out')
    expect(await acts(email)).toEqual([
      `signed_in by ${email}`,
      `key_made by ${email}`,
      `key_named by ${email}`,
      `key_rotated by ${email}`,
      `key_made by ${email}`,
      `key_revoked by ${email}`,
      'key_revoked by operator',
      `signed_out by ${email}`,
    ])
    const page = await (await signedIn(server, email)).page('/account')
    for (const word of ['Signed in', 'Key created', 'Key renamed', 'Key rotated', 'Key revoked', 'operator'])
      expect(page).toContain(word)
    const { out } = await run(`audit-log --email ${email.toUpperCase()} --json`)
    expect(JSON.parse(out)).toHaveLength(9)
  })

  test('has keys of the command line, with licence and limits, and shows them to no other account', async () => {
    const order = { licence: 'commercial', quant: true, environment: 'live', expires: '2030-12-31' } as const
    const { prefix } = await createKey(
      { sql, today: () => '2026-07-01' },
      { email: 'cli@audit.example', ...order },
    )
    const { out } = await run('audit-log --limit 1')
    expect(out).toContain(`operator  key_made  ${prefix}`)
    expect(out).toContain('commercial + quant, 1000 a minute, no daily limit, until 2030-12-31')
    const browser = await signedIn(server, 'cli@audit.example')
    expect(await browser.page('/account')).not.toContain(prefix)
  })

  test('has no entry for an evaluation that was refused', async () => {
    const evaluation = { licence: 'evaluation', quant: false, environment: 'live' } as const
    const make = () =>
      createKey({ sql, today: () => '2026-07-01' }, { email: 'eva@once.example', ...evaluation })
    const { prefix } = await make()
    await expect(make()).rejects.toThrow('already used its evaluation')
    const rows = await sql`select about from account.audit where detail like 'evaluation%'`
    expect(rows.map(row => row.about)).toEqual([prefix])
  })

  test('refuses changes and deletions, also of a superuser', async () => {
    const before = await sql`select * from account.audit order by audit_id`
    const { connect } = await import('../../../src/postgres/client.ts')
    const admin = connect({ url: adminUrl, connections: 1, statementTimeoutMs: 10_000 })
    for (const client of [sql, admin])
      for (const statement of [
        `update account.audit set actor = 'nobody'`,
        'delete from account.audit',
        'truncate account.audit',
        'truncate account.account cascade',
      ])
        await expect(client.unsafe(statement).execute()).rejects.toThrow('append-only')
    await admin.end()
    expect([...(await sql`select * from account.audit order by audit_id`)]).toEqual([...before])
  })

  test('shows what a browser sent as text', async () => {
    const browser = new TestBrowser(server.url)
    const email = 'agent@audit.example'
    await browser.post('/sign-in', { email })
    await browser.post(
      '/sign-in/code',
      { code: codeFor(server.terminal, email) },
      { 'User-Agent': '<script>alert(1)</script>' },
    )
    const page = await browser.page('/account')
    expect(page).toContain('&lt;script&gt;alert(1)')
    expect(page).not.toContain('<script>alert')
  })
})

describe('asfiled mail', () => {
  test('shows codes of a server without MAIL_URL while they work, and then none', async () => {
    const browser = new TestBrowser(server.url)
    await browser.post('/sign-in', { email: 'local@mail.example' })
    const { out } = await run('mail')
    expect(out).toContain('To local@mail.example')
    expect(out).toContain(codeFor(server.terminal, 'local@mail.example'))
    await sql`update account.local_mail set expires_at = now()`
    expect((await run('mail')).out).toContain('No mail that is still valid')
  })

  test('and the log has no code, no cookie and no key', async () => {
    const email = 'secret@mail.example'
    const browser = await signedIn(server, email)
    await browser.post(keysPage)
    const { out } = await run('mail --json')
    const page = await browser.page(keysPage)
    const log = JSON.stringify(server.logged)
    expect(log).toContain('/sign-in/code')
    const codes = JSON.parse(out).map(({ text }: { text: string }) => /\d{6}/.exec(text)?.[0])
    for (const secret of [...codes, ...browser.cookies.values(), /asf_live_\w{39}/.exec(page)?.[0]]) {
      expect(secret).toBeString()
      expect(log).not.toContain(secret)
    }
  })
})
