import type { SqlClient } from './client.ts'

/** The secret with which all servers of this database sign cursors. Migration 0035 creates it. */
export async function readCursorSecret(sql: SqlClient): Promise<Uint8Array> {
  const [{ secret }] = await sql<[{ secret: Uint8Array }]>`select secret from cursor_secret`
  return secret
}
