import type { Sql, Statements, TransactionSql } from '../../postgres/client.ts'
import { mostPanels, panelKeptDays } from './schema.ts'

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

/** Whether there was one. */
export async function deletePanel(sql: Sql, keyId: number, panelId: string): Promise<boolean> {
  const gone = await sql`
    delete from panel
    where panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${kept(sql)}`
  return gone.count > 0
}

/** Deletes panels that were not used for so long that their time is over, at most `most` of them. */
export async function deleteUnusedPanels(sql: Sql, most: number): Promise<number> {
  const gone = await sql`
    delete from panel where panel_id in (
      select panel_id from panel where used_at <= now() - ${kept(sql)} limit ${most} for update skip locked)`
  return gone.count
}

const partBytes = 1_024 * 1_024
/** The bits of returns hardly compress; the fastest level finds what there is. */
const level = 1

/** Stores packed rows in compressed pieces, one after the other: other requests get their turn between them. */
export async function storeParts(statements: Statements, panelId: string, packed: Uint8Array): Promise<void> {
  for (let at = 0, part = 0; at < packed.length; at += partBytes, part++) {
    const bytes = await Bun.zstdCompress(packed.slice(at, at + partBytes), { level })
    await statements`insert into panel_part (panel_id, part, bytes) values (${panelId}, ${part}, ${bytes})`
  }
}

/** Packed rows of `size` bytes in shared memory; null where they are no longer there. */
export async function readParts(sql: Sql, panelId: string, size: number): Promise<Uint8Array | null> {
  const packed = new Uint8Array(new SharedArrayBuffer(size))
  let at = 0
  const parts = sql<{ bytes: Buffer }[]>`
    select bytes from panel_part where panel_id = ${panelId} order by part`
  for await (const [{ bytes }] of parts.cursor(1)) {
    const piece = await Bun.zstdDecompress(bytes)
    packed.set(piece, at)
    at += piece.length
  }
  return at === size ? packed : null
}

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
