import type { Statements } from '../database.ts'
import { kept, type PanelRow, panelColumns } from './panelRow.ts'

/** A key's panel that is used now, which puts off its end; null where the key has none such. Uses within a minute of one
 * another are one, so that a thousand backtests of a panel are not a thousand writes. */
export async function touchPanel(sql: Statements, keyId: number, panelId: string): Promise<PanelRow | null> {
  const mine = sql`panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${kept(sql)}`
  const [fresh] = await sql<PanelRow[]>`
    select ${panelColumns(sql)} from panel where ${mine} and used_at > now() - interval '1 minute'`
  if (fresh) return fresh
  const [touched] = await sql<PanelRow[]>`
    update panel set used_at = now() where ${mine} returning ${panelColumns(sql)}`
  return touched ?? null
}
