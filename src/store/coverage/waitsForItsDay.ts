import type { Statements } from '../database.ts'

/** Whether figures of an entity were imported of which no source has told the day of filing. They are known on no day, and
 * nothing of what they say is read. */
export async function waitsForItsDay(sql: Statements, entityId: number): Promise<boolean> {
  const [row] = await sql<{ waits: boolean }[]>`
    select exists (select from fact_repeat where entity_id = ${entityId} and filed = 'infinity') as waits`
  return row.waits
}
