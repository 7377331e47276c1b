import type { Sql } from '../../postgres/client.ts'
import { queueMail } from '../account/outboxQueries.ts'
import { type EndingGrant, reminderMail } from './mails.ts'

interface Reminder {
  readonly daysBefore: number
  /** The next reminder, or the end, comes then: from that day on (days before the last one) this one is of no use. */
  readonly untilDaysBefore: number
}

/** On the 7th and on the last day before the last one. A server that was down on a day sends the mail later, until the next one is due. */
const reminders: readonly Reminder[] = [
  { daysBefore: 7, untilDaysBefore: 1 },
  { daysBefore: 1, untilDaysBefore: -1 },
]
const grantsAtOnce = 50

/** Queues the reminders that are due. Returns how many. Grant, record and mail are one transaction, and the record's key is unique: of
 * several servers one queues each. */
export async function queueReminders(sql: Sql, baseUrl: string): Promise<number> {
  let queued = 0
  for (const reminder of reminders) queued += await queueDue(sql, baseUrl, reminder)
  return queued
}

/** Evaluations of accounts, as long as a key of theirs works and no longer grant continues them. One that is shorter than the reminder's
 * distance needs none. Days are UTC days by the clock of the database. */
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
