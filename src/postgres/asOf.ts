import { addDays } from '../dates.ts'
import { type AsOf, dayOf, isInstant, lastEndedDay } from '../instants.ts'
import type { SqlClient, SqlFragment } from './client.ts'

/** The figures as of a day or an instant, by the rule in sql/migrations/0051_check_states.sql. Nothing may read them in any other way. */
export const factsAsOf = (sql: SqlClient, asOf: AsOf): SqlFragment =>
  isInstant(asOf) ? sql`fact_at(${asOf}::timestamptz, ${lastEndedDay(asOf)}::date)` : sql`fact_as_of(${asOf})`

/** The trailing twelve months as of a day or an instant, by the same rule. */
export const trailingAsOf = (sql: SqlClient, asOf: AsOf): SqlFragment =>
  isInstant(asOf)
    ? sql`trailing_at(${asOf}::timestamptz, ${lastEndedDay(asOf)}::date)`
    : sql`trailing_as_of(${asOf})`

/** If a filing counts by its time, its filing day is at most this many days after that time. */
const maxDaysAhead = 6

/** Whether a filing `l` is public. The bound on its day excludes nothing, but lets the query use the index. */
export const filingIsKnown = (sql: SqlClient, asOf: AsOf): SqlFragment =>
  isInstant(asOf)
    ? sql`l.filed <= ${addDays(dayOf(asOf), maxDaysAhead)}::date
        and filing_is_known(l.filed, l.accepted_at, ${asOf}::timestamptz, ${lastEndedDay(asOf)}::date)`
    : sql`l.filed <= ${asOf}`

/** The column for the inner statement that says whether its figures `f` count by their times. Empty as of a day. */
export const rawRule = (sql: SqlClient, asOf: AsOf): SqlFragment =>
  isInstant(asOf) ? sql`, f.by_time` : sql``

/**
 * The same column for an outer statement.
 *
 * @param rows the name of the inner statement
 */
export const namedRule = (sql: SqlClient, asOf: AsOf, rows: 'l' | 'r'): SqlFragment => {
  if (!isInstant(asOf)) return sql``
  return rows === 'r' ? sql`, r.by_time as "byTime"` : sql`, l.by_time`
}

/**
 * Whether the state of a figure is one of these.
 *
 * @param state the column `check_state` of a figure
 * @param codes as stored, with 0 for unchecked figures; null: all
 */
export const isInState = (
  sql: SqlClient,
  state: SqlFragment,
  codes: readonly number[] | null,
): SqlFragment => (codes === null ? sql`` : sql`and coalesce(${state}, 0) = any(${[...codes]}::smallint[])`)
