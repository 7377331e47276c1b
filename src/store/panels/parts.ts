import type { Sql, Statements } from '../database.ts'

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
