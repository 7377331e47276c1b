import type { PanelList } from '../../model/panel.ts'
import type { Sql } from '../../store/database.ts'
import { listPanels as listRows } from '../../store/panels/panelRow.ts'
import { describePanel } from './describePanel.ts'

export async function listPanels(sql: Sql, keyId: number): Promise<PanelList> {
  const rows = await listRows(sql, keyId)
  return { object: 'panel_list', count: rows.length, data: rows.map(describePanel) }
}
