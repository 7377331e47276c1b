import { mostPanels } from '../../model/panel.ts'
import type { Sql, TransactionSql } from '../database.ts'
import { listPanels, type PanelRow, panelColumns } from './panelRow.ts'
import { storeParts } from './parts.ts'
import { touchPanel } from './touchPanel.ts'

export interface NewPanel {
  readonly keyId: number
  readonly content: Uint8Array
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly packed: Uint8Array
}

export type InsertedPanel =
  | { readonly kind: 'created' | 'known'; readonly row: PanelRow }
  /** The key has as many as it may; the one that was unused the longest. */
  | { readonly kind: 'full'; readonly oldest: PanelRow }

/** Any number will do as long as every server on one database uses the same. */
const panelLock = 0x61737061

/** Stores a panel whole or not at all, or finds the one that the key has of the same content. Requests of one key wait
 * for one another, so that none passes the limit. */
export function insertPanel(sql: Sql, panel: NewPanel): Promise<InsertedPanel> {
  return sql.begin(async transaction => {
    await transaction`select pg_advisory_xact_lock(${panelLock}, ${panel.keyId})`
    const [known] = await transaction<{ id: string }[]>`
      select panel_id as id from panel where key_id = ${panel.keyId} and content = ${panel.content}`
    if (known) {
      const row = await touchPanel(transaction, panel.keyId, known.id)
      if (row) return { kind: 'known', row }
      // Its time is over, and nobody has deleted it yet.
      await transaction`delete from panel where panel_id = ${known.id}`
    }
    const others = await listPanels(transaction, panel.keyId)
    if (others.length >= mostPanels) {
      const oldest = others.reduce((a, b) => (b.expiresAt < a.expiresAt ? b : a))
      return { kind: 'full', oldest }
    }
    return { kind: 'created', row: await insert(transaction, panel) }
  })
}

async function insert(transaction: TransactionSql, panel: NewPanel): Promise<PanelRow> {
  const [row] = await transaction<PanelRow[]>`
    insert into panel (key_id, content, row_count, date_count, asset_count, packed_bytes)
    values (${panel.keyId}, ${panel.content}, ${panel.rows}, ${panel.dates}, ${panel.assets}, ${panel.packed.length})
    returning ${panelColumns(transaction)}`
  await storeParts(transaction, row.id, panel.packed)
  return row
}
