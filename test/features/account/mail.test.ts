import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../../database.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { TestBrowser } from './browser.ts'
import { type SmtpServer, smtpServer } from './smtpServer.ts'

const database = await testDatabase()
const { sql } = database
const opened: { stop(): Promise<void> }[] = []
afterAll(async () => {
  for (const server of opened) await server.stop()
  await database.close()
}, 180_000)

const from = 'Data service <data@service.example>'

async function serverWith(smtp: SmtpServer, more: Record<string, string> = {}): Promise<TestServer> {
  const server = await testServer(sql, {}, { MAIL_URL: smtp.url, MAIL_FROM: from, ...more })
  opened.push(server, smtp)
  return server
}

/** Waits until `isDone`, ten seconds at most. */
async function until(isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !isDone(); i++) await Bun.sleep(50)
  expect(isDone()).toBe(true)
}

describe('mail by SMTP', () => {
  test('brings the code to the address, from the sender of the settings, and nothing is stored or shown', async () => {
    const smtp = await smtpServer()
    const server = await serverWith(smtp)
    const browser = new TestBrowser(server.url)
    await browser.post('/sign-in', { email: 'ana@fund.example' })
    await until(() => smtp.received.length === 1)
    const [mail] = smtp.received
    expect([mail.from, mail.to]).toEqual(['data@service.example', ['ana@fund.example']])
    expect(mail.data).toMatch(/^From: Data service <data@service\.example>/m)
    expect(mail.data).toMatch(/^To: ana@fund\.example/m)
    expect(mail.data).toMatch(/^Subject: Your sign-in code/m)
    expect(mail.data).toMatch(/^Auto-Submitted: auto-generated/m)
    const code = /^ {4}(\d{6})/m.exec(mail.data)?.[1] ?? ''
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303)
    expect(await browser.page('/account')).toContain('ana@fund.example')
    expect(server.terminal).toEqual([])
    expect((await sql`select count(*)::int as n from account.local_mail`)[0].n).toBe(0)
    expect(JSON.stringify(server.logged)).not.toContain(code)
  })

  test('goes to one recipient without headers of others, whatever is written as the address', async () => {
    const smtp = await smtpServer()
    const server = await serverWith(smtp)
    for (const email of [
      'a@b.example\r\nBcc: eve@evil.example',
      'a@b.example\nSubject: hello',
      'a@b.example, eve@evil.example',
      'a@b.example;eve@evil.example',
      '"a\r\nBcc: eve"@b.example',
      '<a@b.example> eve@evil.example',
      'a@b.example\u0000',
      'RCPT TO:<eve@evil.example>@b.example',
    ]) {
      const response = await new TestBrowser(server.url).post('/sign-in', { email })
      expect([email, response.status]).toEqual([email, 400])
      expect(await response.text()).not.toContain('<a@b')
    }
    await new TestBrowser(server.url).post('/sign-in', { email: "o'neil+x@b.example" })
    await until(() => smtp.received.length === 1)
    expect(smtp.received[0].to).toEqual(["o'neil+x@b.example"])
    expect(smtp.received[0].data).not.toMatch(/^(Bcc|Cc):/im)
  })

  test('is answered in the same time, whether the mail server answers or not, and tried again', async () => {
    let refused = 0
    const smtp = await smtpServer((_, data) => {
      if (refused++ > 0) return '250 OK'
      return `451 try later: ${/\d{6}/.exec(data)?.[0]}`
    })
    const server = await serverWith(smtp)
    const response = await new TestBrowser(server.url).post('/sign-in', { email: 'late@fund.example' })
    expect(response.status).toBe(303)
    expect(smtp.received).toHaveLength(0)
    await until(() => smtp.received.length === 1)
    const code = /^ {4}(\d{6})/m.exec(smtp.received[0].data)?.[1] ?? ''
    const log = JSON.stringify(server.logged)
    expect(log).toContain('a mail was not accepted')
    expect(log).not.toContain(code)
    expect(log).not.toContain('late@')
  })

  test('that is refused for good is not sent again', async () => {
    const smtp = await smtpServer(() => '550 no such mailbox')
    const server = await serverWith(smtp)
    await new TestBrowser(server.url).post('/sign-in', { email: 'gone@fund.example' })
    await until(() => JSON.stringify(server.logged).includes('"isLast":true'))
    await Bun.sleep(100)
    expect(server.logged.filter(line => line.msg === 'a mail was not accepted')).toHaveLength(1)
  })
})

describe('without MAIL_URL', () => {
  test('a server that others reach says that mail is not set up, and makes no code', async () => {
    for (const settings of [{ HOST: '0.0.0.0' }, { BASE_URL: 'https://data.example' }]) {
      const server = await testServer(sql, {}, settings)
      opened.push(server)
      const browser = new TestBrowser(server.url)
      const page = await browser.page('/sign-in')
      expect(page).toContain('This server cannot send e-mail')
      expect(page).not.toContain('name="email"')
      const [before] = await sql`select count(*)::int as n from account.sign_in_code`
      const response = await browser.post('/sign-in', { email: 'ana@fund.example' })
      expect(response.headers.get('location')).toBe('/sign-in')
      expect([...(await sql`select count(*)::int as n from account.sign_in_code`)]).toEqual([before])
      expect(server.terminal).toEqual([])
    }
  })
})
