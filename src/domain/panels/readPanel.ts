import type { Panel } from '../../model/panel.ts'
import type { Sql } from '../../store/database.ts'
import { findPanel } from '../../store/panels/panelRow.ts'
import { describePanel } from './describePanel.ts'
import { panelUnknown } from './panelUnknown.ts'

/** Looking at a panel is no use of it. */
export async function readPanel(sql: Sql, keyId: number, panelId: string): Promise<Panel> {
  const row = await findPanel(sql, keyId, panelId)
  if (row === null) throw panelUnknown(panelId, 'id')
  return describePanel(row)
}
