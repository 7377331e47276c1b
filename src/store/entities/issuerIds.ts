import type { Sql } from '../database.ts'

/** The numbers by which a market's entities are asked for. */
export async function readIssuerIds(sql: Sql, market: string): Promise<string[]> {
  const rows = await sql<{ issuer_id: string }[]>`
    select issuer_id from entity where market = ${market} order by issuer_id`
  return rows.map(row => row.issuer_id)
}
