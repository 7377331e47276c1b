import type { Sql, SqlClient } from '../../postgres/client.ts'
import { storeReveal, takeReveal } from './sessionQueries.ts'

/**
 * The page after the form shows a new key, once. In between, the key is stored encrypted with the session's
 * token, which only the browser has, so a server that dies in between leaves nothing readable.
 */

const nonceBytes = 12

async function sealingKey(sessionToken: string): Promise<CryptoKey> {
  const bytes = new Bun.CryptoHasher('sha256').update(`reveal ${sessionToken}`).digest()
  return crypto.subtle.importKey('raw', new Uint8Array(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

export async function revealLater(
  sql: SqlClient,
  sessionId: number,
  sessionToken: string,
  secret: string,
): Promise<void> {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
  const content = new TextEncoder().encode(secret)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await sealingKey(sessionToken), content)
  await storeReveal(sql, sessionId, Buffer.concat([iv, new Uint8Array(sealed)]))
}

/** Returns the secret to the first caller; null if there is none or it was already shown. */
export async function revealOnce(sql: Sql, sessionId: number, sessionToken: string): Promise<string | null> {
  const sealed = await takeReveal(sql, sessionId)
  if (sealed === null) return null
  const bytes = new Uint8Array(sealed)
  const iv = bytes.slice(0, nonceBytes)
  const content = bytes.slice(nonceBytes)
  const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await sealingKey(sessionToken), content)
  return new TextDecoder().decode(opened)
}
