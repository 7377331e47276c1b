import { Failure } from '../../errors.ts'
import type { Dataset } from '../../quant/dataset.ts'
import { openDataset } from '../../quant/openDataset.ts'
import { readParts } from '../../store/panels/parts.ts'
import { touchPanel } from '../../store/panels/touchPanel.ts'
import type { PanelDeps } from './deps.ts'
import { panelUnknown } from './panelUnknown.ts'

/** The dataset of a key's stored panel, for a use that counts. Whether the key still has it is asked each time, for
 * another server may have deleted it; its rows never change, so they are read once. */
export async function openPanel(
  { sql, pool, cache, turns }: PanelDeps,
  keyId: number,
  panelId: string,
): Promise<Dataset> {
  const row = await touchPanel(sql, keyId, panelId)
  if (row === null) throw panelUnknown(panelId, 'panel')
  return cache.get(panelId, async () => {
    const packed = await turns.use(() => readParts(sql, panelId, row.packedBytes))
    if (packed === null) throw panelUnknown(panelId, 'panel')
    const data = openDataset(packed)
    if (data === null) throw new Failure('internal', `The stored panel ${panelId} cannot be read.`)
    return { ...data, ranking: await pool.run('dataset_rank', { data }) }
  })
}
