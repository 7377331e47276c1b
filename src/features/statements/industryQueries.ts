import type { IsoDate } from '../../dates.ts'
import type { AsOf } from '../../instants.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { statementsAsOf } from '../../postgres/statements.ts'

/** The SIC code in the company's latest filing by the day that states one; null if none does. */
export async function readIndustry(sql: SqlClient, entityId: number, asOf: AsOf): Promise<number | null> {
  const [found] = await sql<{ sector: string }[]>`
    select s.sector from ${statementsAsOf(sql, sql`${entityId}::int`, asOf)} s where s.sector is not null
    order by s.filed desc, s.accepted_at desc nulls last, s.accession desc limit 1`
  return codeOf(found?.sector ?? '')
}

/** The SIC codes that `readIndustry` finds on each day up to `until`: each with the first day on which it does. */
export async function readIndustries(
  sql: SqlClient,
  entityId: number,
  until: IsoDate,
): Promise<readonly { readonly since: IsoDate; readonly code: number | null }[]> {
  const rows = await sql<{ since: IsoDate; sector: string }[]>`
    select s.filed as since, s.sector from ${statementsAsOf(sql, sql`${entityId}::int`, until)} s where s.sector is not null
    order by s.filed, s.accepted_at nulls first, s.accession`
  return rows.map(({ since, sector }) => ({ since, code: codeOf(sector) }))
}

function codeOf(sector: string): number | null {
  const [, code = null] = /^SIC (\d{3,4})$/.exec(sector) ?? []
  return code === null ? null : Number(code)
}
