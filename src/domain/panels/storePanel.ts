import { Failure } from '../../errors.ts'
import type { BodyFormat } from '../../model/bodyFormat.ts'
import { mostPanels, type Panel } from '../../model/panel.ts'
import { nameCount } from '../../quant/nameTable.ts'
import { openDataset } from '../../quant/openDataset.ts'
import { insertPanel } from '../../store/panels/insertPanel.ts'
import type { PanelRow } from '../../store/panels/panelRow.ts'
import { ownBuffer } from '../backtests/ownBuffer.ts'
import type { PanelDeps } from './deps.ts'
import { describePanel } from './describePanel.ts'

/** Stores the rows of a body for a key. Once this returns they are in the database for good. The same rows again, in any
 * form and order, are the panel that is there. */
export async function storePanel(
  { sql, pool, cache, turns }: PanelDeps,
  keyId: number,
  body: Uint8Array,
  format: BodyFormat,
  signal?: AbortSignal,
): Promise<{ panel: Panel; created: boolean }> {
  const owned = ownBuffer(body)
  const { packed, content, ranking } = await pool.run(
    'panel_pack',
    { body: owned, format },
    { signal, transfer: [owned.buffer] },
  )
  const data = openDataset(packed)
  if (data === null) throw new Error('A packed panel cannot be opened.')
  const rows = data.asset.length
  const dates = data.days.length
  const assets = nameCount(data.assets)
  const inserted = await turns.use(() => {
    signal?.throwIfAborted()
    return insertPanel(sql, { keyId, content, rows, dates, assets, packed })
  })
  if (inserted.kind === 'full') throw full(inserted.oldest)
  const { kind, row } = inserted
  cache.get(row.id, async () => ({ ...data, ranking }))
  return { panel: describePanel(row), created: kind === 'created' }
}

function full(oldest: PanelRow): Failure {
  return new Failure(
    'conflict',
    `This key has ${mostPanels} stored panels, and more there may not be. Delete one with DELETE /api/v1/panels/{id}; ${oldest.id} was not used for the longest.`,
    { param: 'panel' },
  )
}
