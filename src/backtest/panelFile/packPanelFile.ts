import { maxAssetLength, maxMarketLength } from '../codec/cells.ts'
import { type PackedPanel, packPanel } from '../pipeline/panelDataset.ts'
import { maxParquetCells, numberColumns } from './panelBody.ts'
import { checkPanelTable, panelColumns } from './panelColumns.ts'
import type { PanelFormat } from './panelFormat.ts'
import { readParquet } from './parquetTable.ts'

export interface PanelUploadBody {
  readonly body: Uint8Array<ArrayBuffer>
  readonly format: PanelFormat
}

/** Reads a body of rows that are to be stored, in any format that rows have, and packs them. */
export async function packPanelFile({ body, format }: PanelUploadBody): Promise<PackedPanel> {
  if (format !== 'parquet') return packPanel({ body, format })
  const table = await readParquet(body, {
    numbers: numberColumns,
    cells: maxParquetCells,
    textLength: Math.max(maxAssetLength, maxMarketLength),
    check: checkPanelTable,
  })
  const columns = new TextEncoder().encode(JSON.stringify({ panel: panelColumns(table) }))
  return packPanel({ body: columns, format: 'json' })
}
