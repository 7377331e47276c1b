import type { Sql } from '../postgres/client.ts'
import type { HitCounter } from './queries.ts'
import { type Limits, type Verdict, verdictOf } from './verdict.ts'

export interface Budget {
  readonly subject: string
  readonly limits: Limits
}

export type Refused = NonNullable<Verdict['refused']>

export type TakenTogether<B extends Budget> =
  /** @property at the database clock, for `giveBack` */
  | { readonly granted: true; readonly at: number }
  /** The exhausted budgets, in the order in which they were passed. */
  | {
      readonly granted: false
      readonly refusals: readonly { readonly budget: B; readonly refused: Refused }[]
    }

/** Counts one hit of every budget, or of none if one of them is exhausted. A single statement does it, and
 * stays exact when other servers count at the same time. It is for rare requests that are bound by several
 * budgets. Unlike the rate limiter, it neither batches nor remembers refusals, since a hit can be given
 * back.
 *
 * @param clockSeconds replaces the database clock in tests */
export async function takeTogether<B extends Budget>(
  sql: Sql,
  budgets: readonly B[],
  clockSeconds: number | null = null,
): Promise<TakenTogether<B>> {
  const sorted = budgets.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
  const rows = await sql<HitCounter[]>`
    select subject, granted, minute::float8 as minute, used, used_before, used_today, at
    from take_hits_together(
      ${sorted.map(({ subject }) => subject)}::text[], ${sorted.map(({ limits }) => limits.perMinute)}::int[],
      ${sorted.map(({ limits }) => limits.perDay)}::int[], ${clockSeconds}::float8)`
  const counters = new Map(rows.map(row => [row.subject, row]))
  const refusals = budgets.flatMap(budget => {
    const counter = counters.get(budget.subject)
    const refused = counter === undefined ? null : refusalOf(counter, budget.limits)
    return refused === null ? [] : [{ budget, refused }]
  })
  return refusals.length > 0 ? { granted: false, refusals } : { granted: true, at: rows[0].at }
}

const refusalOf = (counter: HitCounter, limits: Limits): Refused | null =>
  verdictOf(counter, limits, counter.granted > 0, 0).refused

/** Gives back a hit that `takeTogether` counted at `takenAt`, because the action that it paid for did not
 * happen. */
export async function giveBack(sql: Sql, subjects: readonly string[], takenAt: number): Promise<void> {
  // Sorted, as in every statement that locks several counters, to prevent deadlocks.
  await sql`select give_hits_back(${subjects.toSorted()}::text[], ${takenAt}::float8)`
}
