import type { Sql, SqlClient, TransactionSql } from '../../postgres/client.ts'
import { BinaryCopyWriter, copyBytes } from '../../postgres/copy.ts'
import { maxPanels, panelRetentionDays } from './schema.ts'

export interface PanelRow {
  readonly id: string
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly packedBytes: number
  readonly createdAt: Date
  readonly expiresAt: Date
}

const retention = (sql: SqlClient) => sql`make_interval(days => ${panelRetentionDays})`

const panelColumns = (sql: SqlClient) => sql`
  panel_id as id, row_count as rows, date_count as dates, asset_count as assets, packed_bytes::float8 as "packedBytes",
  created_at as "createdAt", used_at + ${retention(sql)} as "expiresAt"`

/** A panel of a key, unless it has expired. */
export async function findPanel(sql: Sql, keyId: number, panelId: string): Promise<PanelRow | null> {
  const [row] = await sql<PanelRow[]>`
    select ${panelColumns(sql)} from panel
    where panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${retention(sql)}`
  return row ?? null
}

/** The panels of a key, newest first. */
export async function listPanels(sql: SqlClient, keyId: number): Promise<PanelRow[]> {
  const rows = await sql<PanelRow[]>`
    select ${panelColumns(sql)} from panel
    where key_id = ${keyId} and used_at > now() - ${retention(sql)}
    order by created_at desc, panel_id`
  return [...rows]
}

interface NewPanel {
  readonly keyId: number
  readonly content: Uint8Array
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly packedBytes: number
  /** The packed rows in parts, each of `partBytes` except for the last. */
  readonly parts: () => Iterable<Uint8Array<ArrayBuffer>>
  /** The limit for all panels of the key together. */
  readonly maxStoredBytes: number
}

export type InsertedPanel =
  | { readonly kind: 'created' | 'known'; readonly row: PanelRow }
  /**
   * The key has reached its limit of panels or of their bytes. `oldest` is its least recently used panel, or
   * null if it has none.
   */
  | {
      readonly kind: 'full'
      readonly panels: number
      readonly bytes: number
      readonly oldest: PanelRow | null
    }

/** An arbitrary lock number, the same for every server on one database. */
const panelLock = 0x61737061

/**
 * Stores a panel in one transaction, or finds the key's panel with the same content. The lock serialises
 * requests of one key, which could otherwise exceed the limit together.
 */
export function insertPanel(sql: Sql, panel: NewPanel): Promise<InsertedPanel> {
  return sql.begin(async transaction => {
    await transaction`select pg_advisory_xact_lock(${panelLock}, ${panel.keyId})`
    const [known] = await transaction<{ id: string }[]>`
      select panel_id as id from panel where key_id = ${panel.keyId} and content = ${panel.content}`
    if (known) {
      const row = await touchPanel(transaction, panel.keyId, known.id)
      if (row) return { kind: 'known', row }
      // Expired, but not yet deleted.
      await transaction`delete from panel where panel_id = ${known.id}`
    }
    const others = await listPanels(transaction, panel.keyId)
    const bytes = others.reduce((sum, { packedBytes }) => sum + packedBytes, 0)
    if (others.length >= maxPanels || bytes + panel.packedBytes > panel.maxStoredBytes) {
      const [oldest = null] = others.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime())
      return { kind: 'full', panels: others.length, bytes, oldest }
    }
    return { kind: 'created', row: await insert(transaction, panel) }
  })
}

async function insert(transaction: TransactionSql, panel: NewPanel): Promise<PanelRow> {
  const [row] = await transaction<PanelRow[]>`
    insert into panel (key_id, content, row_count, date_count, asset_count, packed_bytes)
    values (${panel.keyId}, ${panel.content}, ${panel.rows}, ${panel.dates}, ${panel.assets}, ${panel.packedBytes})
    returning ${panelColumns(transaction)}`
  await storeParts(transaction, row.id, panel.parts())
  return row
}

/** Returns whether a panel was deleted. */
export async function deletePanel(sql: Sql, keyId: number, panelId: string): Promise<boolean> {
  const gone = await sql`
    delete from panel
    where panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${retention(sql)}`
  return gone.count > 0
}

/** Deletes up to `limit` expired panels. */
export async function deleteUnusedPanels(sql: Sql, limit: number): Promise<number> {
  const gone = await sql`
    delete from panel where panel_id in (
      select panel_id from panel where used_at <= now() - ${retention(sql)} limit ${limit} for update skip locked)`
  return gone.count
}

export const partBytes = 1_024 * 1_024
/** Returns hardly compress, so a higher level would only cost time. */
const zstdLevel = 1

/** How many parts are compressed ahead of the database: more would only use memory. */
const partsAhead = 4
/** Parts written by one statement, so that its duration does not depend on the size of the panel. */
const partsOfStatement = 16

/**
 * Stores packed rows in compressed parts, a few at a time, so that other requests run in between. As
 * parameters of statements they would be texts of twice their size.
 */
async function storeParts(
  transaction: TransactionSql,
  panelId: string,
  parts: Iterable<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const statement = 'copy panel_part (panel_id, part, bytes) from stdin with (format binary)'
  const compressed = compressedAhead(parts)
  let part = 0
  for (let next = await compressed.next(); next.done !== true; ) {
    const sent: Uint8Array[] = []
    const rows = async function* () {
      const writer = new BinaryCopyWriter(3)
      for (const end = part + partsOfStatement; part < end && next.done !== true; part++) {
        writer.row()
        writer.uuid(panelId)
        writer.integer(part)
        writer.bytes(next.value)
        sent.push(next.value)
        yield* writer.takeFull()
        next = await compressed.next()
      }
      yield* writer.finish()
    }
    await copyBytes(transaction, statement, rows())
    for (const bytes of sent) release(bytes)
  }
}

/** Frees memory at once: a large panel has hundreds of parts, which would be garbage-collected too late. */
function release({ buffer, byteOffset }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteOffset === 0) buffer.transfer(0)
}

async function* compressedAhead(parts: Iterable<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  const underWay: Promise<Uint8Array>[] = []
  for (const plain of parts) {
    const compressed = Bun.zstdCompress(plain, { level: zstdLevel }).finally(() => release(plain))
    // The promises are awaited in turn; until then a failure must not count as unhandled.
    compressed.catch(() => {})
    underWay.push(compressed)
    const next = underWay.length > partsAhead ? underWay.shift() : undefined
    if (next !== undefined) yield await next
  }
  for (const compressed of underWay) yield await compressed
}

/** The packed rows of a panel, `size` bytes in shared memory, or null if they have been deleted. */
export async function readParts(sql: Sql, panelId: string, size: number): Promise<Uint8Array | null> {
  const packed = new Uint8Array(new SharedArrayBuffer(size))
  let at = 0
  const parts = sql<{ bytes: Buffer }[]>`
    select bytes from panel_part where panel_id = ${panelId} order by part`
  for await (const [{ bytes }] of parts.cursor(1)) {
    const part = await Bun.zstdDecompress(bytes)
    packed.set(part, at)
    at += part.length
  }
  return at === size ? packed : null
}

/**
 * A key's panel, marked as used now, which extends its retention; null if the key has no such panel. Writes
 * at most once per minute, so that a thousand backtests of a panel are not a thousand writes.
 */
export async function touchPanel(sql: SqlClient, keyId: number, panelId: string): Promise<PanelRow | null> {
  const mine = sql`panel_id = ${panelId} and key_id = ${keyId} and used_at > now() - ${retention(sql)}`
  const [fresh] = await sql<PanelRow[]>`
    select ${panelColumns(sql)} from panel where ${mine} and used_at > now() - interval '1 minute'`
  if (fresh) return fresh
  const [touched] = await sql<PanelRow[]>`
    update panel set used_at = now() where ${mine} returning ${panelColumns(sql)}`
  return touched ?? null
}
