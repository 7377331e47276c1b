import type { Sql } from '../database.ts'
import { kept } from './panelRow.ts'

/** Whether there was one. */
export async function deletePanel(sql: Sql, keyId: number, panelId: string): Promise<boolean> {
  const gone = await sql`
    delete from panel
    where panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${kept(sql)}`
  return gone.count > 0
}

/** Deletes panels that were not used for so long that their time is over, at most `most` of them. */
export async function deleteUnusedPanels(sql: Sql, most: number): Promise<number> {
  const gone = await sql`
    delete from panel where panel_id in (
      select panel_id from panel where used_at <= now() - ${kept(sql)} limit ${most} for update skip locked)`
  return gone.count
}
