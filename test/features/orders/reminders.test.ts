import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { queueReminders } from '../../../src/features/orders/reminderQueries.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { operator, signedBrowser } from './signing.ts'

const database = await testDatabase()
const { sql } = database
const server = await testServer(sql, {}, operator)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const email = 'ana@fund.example'
await signedBrowser(server, email)
const baseUrl = 'https://data.example'

/** Moves the grant so that so many days (UTC) are left until its last one. */
const setDaysLeft = (days: number) => sql`
  update key_grant set
    granted_at = (((now() at time zone 'UTC')::date + ${days}::int - 30)::timestamp) at time zone 'UTC',
    expires_at = (((now() at time zone 'UTC')::date + ${days}::int + 1)::timestamp) at time zone 'UTC'
  where licence = 'evaluation'`
const queued = () => sql<{ recipient: string; body: string; subject: string; exact: boolean }[]>`
  select recipient, subject, body, expires_at = ((now() at time zone 'UTC')::date + 6)::timestamp at time zone 'UTC' as exact
  from account.mail_outbox where subject like 'Your evaluation ends%' order by mail_id`
const lastDay = async () =>
  (
    await sql`
  select (expires_at at time zone 'UTC' - interval '1 microsecond')::date::text as day from key_grant where licence = 'evaluation'`
  )[0].day

beforeEach(async () => {
  await sql`delete from account.mail_outbox`
  await sql`delete from account.grant_reminder`
  await sql`update api_key set revoked_at = null`
})

describe('a reminder of the end', () => {
  test('is due 7 days and 1 day before the last day, or later while it is of use, and at no other time', async () => {
    const due: number[] = []
    for (let days = 30; days >= -2; days--) {
      await setDaysLeft(days)
      await sql`delete from account.grant_reminder`
      if ((await queueReminders(sql, baseUrl)) > 0) due.push(days)
    }
    expect(due).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
  })

  test('is sent twice in the life of a grant, whatever the number of servers, runs and restarts', async () => {
    const days: number[] = []
    for (let left = 10; left >= -2; left--) {
      await setDaysLeft(left)
      // One grant whose last day stays the same; only today changes.
      await sql`update account.grant_reminder set last_day = ${await lastDay()}`
      const runs = await Promise.all(Array.from({ length: 8 }, () => queueReminders(sql, baseUrl)))
      for (const count of runs) if (count > 0) days.push(left)
    }
    expect(days).toEqual([7, 1])
    expect(await queued()).toHaveLength(2)
  })

  test('names the last day and the free key, and is not sent when the next one or the end has come', async () => {
    await setDaysLeft(7)
    await queueReminders(sql, baseUrl)
    const day = await lastDay()
    const [first] = await queued()
    expect([first.recipient, first.subject]).toEqual([email, `Your evaluation ends on ${day}`])
    expect(first.body).toContain(`works until the end of ${day} (UTC)`)
    expect(first.body).toContain('https://data.example/account/api-keys')
    expect(first.exact).toBe(true)
  })

  test('that a server missed comes once when it is up again; of two that were missed the later one', async () => {
    await setDaysLeft(4)
    expect(await queueReminders(sql, baseUrl)).toBe(1)
    expect(await queueReminders(sql, baseUrl)).toBe(0)
    await sql`delete from account.grant_reminder`
    await setDaysLeft(0)
    expect(await queueReminders(sql, baseUrl)).toBe(1)
    expect(await queueReminders(sql, baseUrl)).toBe(0)
  })

  test('comes again for the new last day of a grant that was extended, and not where a longer grant continues it', async () => {
    await setDaysLeft(7)
    expect(await queueReminders(sql, baseUrl)).toBe(1)
    await setDaysLeft(20)
    expect(await queueReminders(sql, baseUrl)).toBe(0)
    await setDaysLeft(6)
    expect(await queueReminders(sql, baseUrl)).toBe(1)
    await sql`delete from account.grant_reminder`
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, bulk, starts_at)
      select key_id, 'personal', false, 300, false, now() + interval '1 hour' from key_grant where licence = 'evaluation'`
    expect(await queueReminders(sql, baseUrl)).toBe(0)
    await sql`delete from key_grant where licence = 'personal'`
    expect(await queueReminders(sql, baseUrl)).toBe(1)
  })

  test('is not sent for a revoked key, for one of the command line, or right after a short grant', async () => {
    await setDaysLeft(7)
    await sql`update api_key set revoked_at = now()`
    expect(await queueReminders(sql, baseUrl)).toBe(0)
    await sql`update api_key set revoked_at = null`
    await sql`update key_grant set granted_at = now()`
    expect(await queueReminders(sql, baseUrl)).toBe(0)
    const held = await sql`delete from account.held_key returning *`
    await setDaysLeft(7)
    expect(await queueReminders(sql, baseUrl)).toBe(0)
    await sql`insert into account.held_key ${sql(held)}`
  })
})
