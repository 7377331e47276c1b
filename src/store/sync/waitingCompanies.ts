import type { IsoDate } from '../../model/date.ts'
import type { Sql } from '../database.ts'

/** The next numbers of a market's companies, in order, that are not done for the day.
 * @param after the last number of those before; empty: from the beginning */
export async function readWaitingCompanies(
  sql: Sql,
  market: string,
  { after, today, limit }: { readonly after: string; readonly today: IsoDate; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ issuer_id: string }[]>`
    select e.issuer_id from entity e
    where e.market = ${market} and e.issuer_id > ${after} and not exists (
      select from sync_cursor c
      where c.market = ${market} and c.name = 'company ' || e.issuer_id and c.position = ${today}
    )
    order by e.issuer_id limit ${limit}`
  return rows.map(row => row.issuer_id)
}

/** Those of some numbers that are not done for the day, in their own order. */
export async function dropDoneCompanies(
  sql: Sql,
  market: string,
  numbers: readonly string[],
  today: IsoDate,
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from sync_cursor
    where market = ${market} and position = ${today} and name = any(${numbers.map(number => `company ${number}`)})`
  const done = new Set(rows.map(row => row.name))
  return numbers.filter(number => !done.has(`company ${number}`))
}

/** Whether any company of a market is known. */
export async function hasCompanies(sql: Sql, market: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists(select from entity where market = ${market}) as found`
  return row.found
}
