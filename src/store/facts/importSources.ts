import type { Sql } from '../database.ts'

/** Whether every batch on record came from this source. */
export async function isAllFrom(sql: Sql, source: string): Promise<boolean> {
  const [{ others }] = await sql<{ others: boolean }[]>`
    select exists (select from import_batch where source <> ${source}) as others`
  return !others
}
