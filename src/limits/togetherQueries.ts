import type { Sql } from '../postgres/client.ts'
import type { HitCounter } from './queries.ts'
import { type Limits, type Verdict, verdictOf } from './verdict.ts'

export interface Budget {
  readonly subject: string
  readonly limits: Limits
}

export type Refused = NonNullable<Verdict['refused']>

export type TakenTogether<B extends Budget> =
  /** @property at clock of the database, for `giveBack` */
  | { readonly granted: true; readonly at: number }
  /** The budgets that have nothing left, in the order in which they were passed. */
  | {
      readonly granted: false
      readonly refusals: readonly { readonly budget: B; readonly refused: Refused }[]
    }

/** Counts one hit of every budget, or of none if one of them has nothing left. One statement does it, exactly,
 * also when other servers count at the same time. It is for rare requests that several budgets bound: unlike the
 * rate limiter it gathers nothing, and it remembers no refusal, since a hit can be given back.
 *
 * @param clockSeconds replaces the clock of the database, for tests */
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

/** Gives back a hit that `takeTogether` counted at `takenAt`, because what it was for did not happen. */
export async function giveBack(sql: Sql, subjects: readonly string[], takenAt: number): Promise<void> {
  // Sorted like every statement that locks several counters, so that none waits for another in a circle.
  await sql`select give_hits_back(${subjects.toSorted()}::text[], ${takenAt}::float8)`
}
