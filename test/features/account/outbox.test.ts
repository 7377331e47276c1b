import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { makeMailer, refusalOf } from '../../../src/features/account/mail.ts'
import { sendDueMail, startOutbox } from '../../../src/features/account/outbox.ts'
import { type DurableMail, queueMail } from '../../../src/features/account/outboxQueries.ts'
import { runInProcess } from '../../commands/runInProcess.ts'
import { testDatabase } from '../../database.ts'
import { smtpServer } from './smtpServer.ts'

const database = await testDatabase()
const { sql } = database
const opened: { stop(): Promise<void> }[] = []
afterAll(async () => {
  for (const server of opened) await server.stop()
  await database.close()
}, 180_000)
beforeEach(async () => {
  await sql`delete from account.mail_outbox`
})

const mail = (to: string, change: Partial<DurableMail> = {}): DurableMail => ({
  to,
  subject: 'Your copy',
  text: 'Grüße an 任天堂\n',
  usefulMinutes: 1_000,
  ...change,
})
const queue = (...mails: DurableMail[]) =>
  sql.begin(async transaction => {
    for (const each of mails) await queueMail(transaction, each)
  })
const states = async () => {
  const rows = await sql<{ to: string; state: string; attempts: number }[]>`
    select recipient as "to", state, attempts from account.mail_outbox order by mail_id`
  return rows.map(({ to, state, attempts }) => `${to} ${state} ${attempts}`)
}
/** Makes what waits due, as if its pause were over. */
const passTime = () => sql`update account.mail_outbox set next_attempt_at = now() where state = 'waiting'`

async function sender(answerTo?: Parameters<typeof smtpServer>[0]) {
  const smtp = await smtpServer(answerTo)
  const logged: object[] = []
  const log = { warn: (details: object, message: string) => void logged.push({ ...details, message }) }
  const settings = {
    mailUrl: smtp.url,
    mailFrom: 'Data <data@service.example>',
    host: '0.0.0.0',
    baseUrl: 'https://x.example',
  }
  const mailer = makeMailer(settings, { sql, log, showInTerminal: () => {} })
  opened.push({ stop: () => mailer.close() }, smtp)
  return { smtp, logged, deps: { sql, mailer, log } }
}
const messageId = (data: string) => /^Message-ID: (\S+)/im.exec(data)?.[1]

describe('the outbox', () => {
  test('sends what was committed, with its attachment byte for byte, and nothing that was rolled back', async () => {
    const { smtp, deps } = await sender()
    const content = crypto.getRandomValues(new Uint8Array(5_000))
    await queue(mail('ana@fund.example', { attachment: { name: 'order-1.html', content } }))
    const failed = sql.begin(async transaction => {
      await queueMail(transaction, mail('never@fund.example'))
      throw new Error('the act fails')
    })
    await expect(failed).rejects.toThrow('the act fails')
    await sendDueMail(deps)
    expect(smtp.received.map(({ to }) => to)).toEqual([['ana@fund.example']])
    const { data } = smtp.received[0]
    expect(data).toMatch(/^From: Data <data@service\.example>/m)
    expect(data).toMatch(/filename="?order-1\.html/)
    const parts = data.split(/\r\n--[^\r\n]+\r\n/)
    const base64 = parts.find(part => part.includes('order-1.html'))?.split('\r\n\r\n')[1] ?? ''
    expect(Buffer.from(base64.split('\r\n--')[0], 'base64').equals(Buffer.from(content))).toBe(true)
    await sendDueMail(deps)
    expect(await states()).toEqual(['ana@fund.example sent 1'])
    expect(smtp.received).toHaveLength(1)
  })

  test('is sent once by many servers at once', async () => {
    const senders = await Promise.all([sender(), sender(), sender()])
    const people = Array.from({ length: 60 }, (_, i) => `p${i}@fund.example`)
    await queue(...people.map(person => mail(person)))
    await Promise.all(senders.flatMap(({ deps }) => [sendDueMail(deps), sendDueMail(deps)]))
    const sent = senders.flatMap(({ smtp }) => smtp.received.map(({ to }) => to[0]))
    expect(sent.toSorted()).toEqual(people.toSorted())
  }, 20_000)

  test('tries again with growing pauses and the same Message-ID, and fails after nine attempts', async () => {
    const { smtp, logged, deps } = await sender(number => (number < 8 ? '451 later' : '250 OK'))
    await queue(mail('late@fund.example'), mail('other@fund.example'))
    await sql`update account.mail_outbox set state = 'sent' where recipient = 'other@fund.example'`
    const pauses: number[] = []
    for (let i = 0; i < 8; i++) {
      await sendDueMail(deps)
      const [{ pause }] = await sql`
        select round(extract(epoch from next_attempt_at - now()))::int as pause from account.mail_outbox where state = 'waiting'`
      pauses.push(pause)
      // Nothing is sent before the pause is over.
      await sendDueMail(deps)
      await passTime()
    }
    expect(pauses).toEqual([30, 120, 600, 3_600, 10_800, 21_600, 43_200, 86_400])
    await sendDueMail(deps)
    expect(await states()).toContain('late@fund.example sent 9')
    expect(smtp.received).toHaveLength(1)
    expect(logged).toHaveLength(8)
    expect(JSON.stringify(logged)).not.toContain('late@')

    const deaf = await sender(() => '451 later')
    await queue(mail('never@fund.example'))
    for (let i = 0; i < 12; i++) {
      await sendDueMail(deaf.deps)
      await passTime()
    }
    expect(await states()).toContain('never@fund.example failed 9')
    const { out } = await runInProcess(['mail', '--queue'], { withDatabase: work => work(sql) })
    expect(out).toMatch(/failed +9 +never@fund\.example/)
  }, 20_000)

  test('every attempt of a mail has one Message-ID, and no two mails share one', async () => {
    const seen: string[] = []
    const { deps } = await sender((_, data) => {
      seen.push(messageId(data) ?? '')
      return '451 later'
    })
    await queue(mail('a@fund.example'))
    for (let i = 0; i < 3; i++) {
      await sendDueMail(deps)
      await passTime()
    }
    expect(seen).toHaveLength(3)
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toMatch(/^<[0-9a-f-]{36}@service\.example>$/)
    await queue(mail('a@fund.example'))
    await sendDueMail(deps)
    expect(new Set(seen).size).toBe(2)
  })

  test('gives up a recipient that is refused for good, and goes on where the mail server is away or refuses the password', async () => {
    expect(refusalOf({ code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' }).isFinal).toBe(false)
    expect(refusalOf({ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }).isFinal).toBe(true)
    const gone = await sender(() => '550 no such mailbox')
    await queue(mail('gone@fund.example'))
    await sendDueMail(gone.deps)
    expect(await states()).toEqual(['gone@fund.example failed 1'])
    await sql`delete from account.mail_outbox`
    const away = await sender()
    await away.smtp.stop()
    await queue(mail('away@fund.example'))
    await sendDueMail(away.deps)
    expect(await states()).toEqual(['away@fund.example waiting 1'])
  })

  test('of a server that died is sent by another when its claim has run out, and not before', async () => {
    const silent = await sender(() => null)
    await queue(mail('claimed@fund.example'))
    void sendDueMail(silent.deps).catch(() => {})
    for (let i = 0; i < 100 && (await states())[0] !== 'claimed@fund.example waiting 1'; i++)
      await Bun.sleep(20)
    const { smtp, deps } = await sender()
    await sendDueMail(deps)
    expect(smtp.received).toHaveLength(0)
    const [{ lease }] = await sql`
      select extract(epoch from next_attempt_at - now())::int as lease from account.mail_outbox`
    expect(lease).toBeGreaterThan(60)
    await passTime()
    await sendDueMail(deps)
    expect(smtp.received).toHaveLength(1)
    expect(await states()).toEqual(['claimed@fund.example sent 2'])
  }, 20_000)

  test('does not send what is of no use any more', async () => {
    const { smtp, deps, logged } = await sender()
    await queue(mail('old@fund.example'))
    await sql`update account.mail_outbox set expires_at = now()`
    await sendDueMail(deps)
    expect(smtp.received).toHaveLength(0)
    expect(await states()).toEqual(['old@fund.example expired 0'])
    expect(logged).toHaveLength(1)
  })

  test('waits while no mail server is set up, and goes to the terminal of a server on loopback', async () => {
    const log = { warn: () => {} }
    const settings = { mailUrl: null, mailFrom: '', host: '0.0.0.0', baseUrl: 'https://x.example' }
    const shown: string[] = []
    const parts = { sql, log, showInTerminal: (text: string) => void shown.push(text) }
    await queue(
      mail('ana@fund.example', { attachment: { name: 'order-1.html', content: new Uint8Array(1) } }),
    )
    await sendDueMail({ sql, log, mailer: makeMailer(settings, parts) })
    expect(await states()).toEqual(['ana@fund.example waiting 0'])
    const local = makeMailer({ ...settings, host: '127.0.0.1', baseUrl: 'http://127.0.0.1:3000' }, parts)
    const stop = startOutbox({ sql, log, mailer: local })
    for (let i = 0; i < 100 && shown.length === 0; i++) await Bun.sleep(50)
    await stop()
    expect(shown).toEqual([
      expect.stringMatching(
        /Mail to ana@fund\.example: Your copy[\s\S]*任天堂[\s\S]*Attached: order-1\.html/,
      ),
    ])
    const { out } = await runInProcess(['mail'], { withDatabase: work => work(sql) })
    expect(out).toContain('Grüße an 任天堂')
  })
})
