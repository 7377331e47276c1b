import type { Sql } from '../database.ts'

/** Where the runs of a market stopped, by name; but for companies, of which there may be millions. */
export async function readCursors(sql: Sql, market: string): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; position: string }[]>`
    select name, position from sync_cursor where market = ${market} and name not like 'company %'`
  return new Map(rows.map(row => [row.name, row.position]))
}

export async function saveCursor(sql: Sql, market: string, name: string, position: string): Promise<void> {
  await sql`
    insert into sync_cursor (market, name, position) values (${market}, ${name}, ${position})
    on conflict (market, name) do update set position = excluded.position`
}
