import { deletePanel as deleteRow } from '../../store/panels/deletePanels.ts'
import type { PanelDeps } from './deps.ts'
import { panelUnknown } from './panelUnknown.ts'

/** For good, on every server. Backtests that have its rows already finish. */
export async function deletePanel(
  { sql, cache }: Pick<PanelDeps, 'sql' | 'cache'>,
  keyId: number,
  panelId: string,
): Promise<void> {
  if (!(await deleteRow(sql, keyId, panelId))) throw panelUnknown(panelId, 'id')
  cache.forget(panelId)
}
