import { panelKeptDays } from '../../model/panel.ts'
import type { Sql, Statements } from '../database.ts'

export interface PanelRow {
  readonly id: string
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly packedBytes: number
  readonly createdAt: Date
  readonly expiresAt: Date
}

export const kept = (sql: Statements) => sql`make_interval(days => ${panelKeptDays})`

export const panelColumns = (sql: Statements) => sql`
  panel_id as id, row_count as rows, date_count as dates, asset_count as assets, packed_bytes::float8 as "packedBytes",
  created_at as "createdAt", used_at + ${kept(sql)} as "expiresAt"`

/** A key's panel, unless its time is over. */
export async function findPanel(sql: Sql, keyId: number, panelId: string): Promise<PanelRow | null> {
  const [row] = await sql<PanelRow[]>`
    select ${panelColumns(sql)} from panel
    where panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${kept(sql)}`
  return row ?? null
}

/** A key's panels, the newest first. */
export async function listPanels(sql: Statements, keyId: number): Promise<PanelRow[]> {
  const rows = await sql<PanelRow[]>`
    select ${panelColumns(sql)} from panel
    where key_id = ${keyId} and used_at > now() - ${kept(sql)}
    order by created_at desc, panel_id`
  return [...rows]
}
