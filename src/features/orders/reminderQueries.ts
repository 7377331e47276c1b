import type { Sql } from '../../postgres/client.ts'
import { queueMail } from '../account/outboxQueries.ts'
import { type EndingGrant, reminderMail } from './mails.ts'

interface Reminder {
  readonly daysBefore: number
  /** The days before the end at which the next reminder, or the end itself, makes this one useless. */
  readonly untilDaysBefore: number
}

/**
 * Due 7 days and 1 day before the last day. A server that was down on the day sends the mail later, until the
 * next one is due.
 */
const reminders: readonly Reminder[] = [
  { daysBefore: 7, untilDaysBefore: 1 },
  { daysBefore: 1, untilDaysBefore: -1 },
]
const grantsAtOnce = 50

/**
 * Queues due reminders and returns their number. Grant, record and mail are in one transaction and the
 * record's key is unique, so each is queued by only one of several servers.
 */
export async function queueReminders(sql: Sql, baseUrl: string): Promise<number> {
  let queued = 0
  for (const reminder of reminders) queued += await queueDue(sql, baseUrl, reminder)
  return queued
}

/**
 * Accounts' evaluations with a working key and no later grant that continues them. Evaluations shorter than
 * the reminder's distance get none. Days are UTC days by the database's clock.
 */
async function queueDue(
  sql: Sql,
  baseUrl: string,
  { daysBefore, untilDaysBefore }: Reminder,
): Promise<number> {
  return sql.begin(async transaction => {
    const due = await transaction<(EndingGrant & { usefulMinutes: number })[]>`
      with ending as (
        select g.grant_id, k.prefix, a.email, last_day
        from key_grant g
        join account.held_key h on h.key_id = g.key_id
        join account.account a using (account_id)
        cross join lateral (
          select (g.expires_at at time zone 'UTC' - interval '1 microsecond')::date as last_day
        ) d
        join lateral (
          select prefix from api_key k
          where (k.key_id = g.key_id or k.root_key_id = g.key_id) and k.revoked_at is null and k.retires_at is null
          order by k.key_id desc limit 1
        ) k on true
        where g.licence = 'evaluation' and g.expires_at > now()
          and last_day - (now() at time zone 'UTC')::date <= ${daysBefore}
          and last_day - (now() at time zone 'UTC')::date > ${untilDaysBefore}
          and (g.granted_at at time zone 'UTC')::date < last_day - ${daysBefore}::int
          and not exists (
            select from key_grant later
            where later.key_id = g.key_id and (later.expires_at is null or later.expires_at > g.expires_at))
          and not exists (
            select from account.grant_reminder r
            where r.grant_id = g.grant_id and r.last_day = d.last_day and r.days_before = ${daysBefore})
        order by g.expires_at limit ${grantsAtOnce}
      ), recorded as (
        insert into account.grant_reminder (grant_id, last_day, days_before)
        select grant_id, last_day, ${daysBefore} from ending order by grant_id
        on conflict do nothing
        returning grant_id
      )
      select e.email, e.prefix as "keyPrefix", e.last_day::text as "lastDay",
             (extract(epoch from (e.last_day - ${untilDaysBefore}::int)::timestamp at time zone 'UTC' - now()) / 60)::float8
               as "usefulMinutes"
      from ending e join recorded using (grant_id)`
    for (const { usefulMinutes, ...grant } of due)
      await queueMail(transaction, reminderMail(grant, baseUrl, usefulMinutes))
    return due.length
  })
}
