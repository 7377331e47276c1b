import type { Panel } from '../../model/panel.ts'
import type { PanelRow } from '../../store/panels/panelRow.ts'

export function describePanel(row: PanelRow): Panel {
  return {
    object: 'panel',
    id: row.id,
    n_rows: row.rows,
    n_dates: row.dates,
    n_assets: row.assets,
    bytes: row.packedBytes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }
}
