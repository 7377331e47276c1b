import type { BodyCache } from './BodyCache.ts'
import type { Answer, Call } from './Call.ts'
import { chooseEncoding } from './encoding.ts'
import { entityTag, matchesTag } from './entityTag.ts'

export const jsonType = 'application/json'
export const csvType = 'text/csv; charset=utf-8; header=present'

export function dataHeaders(type: string, tag: string): Record<string, string> {
  return {
    'Content-Type': type,
    ETag: tag,
    // What one key is shown another may not be: no shared cache keeps it, and a private one asks again.
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept-Encoding, Authorization',
  }
}

/** 304 where the client has the answer already, else null. */
export function unchanged(call: Call, headers: Record<string, string>): Answer | null {
  if (!matchesTag(call.request.headers.get('if-none-match'), headers.ETag)) return null
  const { 'Content-Type': _, ...rest } = headers
  return { status: 304, headers: rest, body: null }
}

/** An answer that is made once for each data version and then kept. `key` names everything that decides it. */
export async function keptAnswer(
  cache: BodyCache,
  call: Call,
  dataVersion: number,
  key: string,
  type: string,
  make: () => Promise<string>,
): Promise<Answer> {
  const headers = dataHeaders(type, entityTag(dataVersion, key))
  const same = unchanged(call, headers)
  if (same !== null) return same
  const encoding = chooseEncoding(call.request.headers.get('accept-encoding'))
  const body = await cache.get(dataVersion, key, encoding, make)
  if (body.encoding !== 'identity') headers['Content-Encoding'] = body.encoding
  return { status: 200, headers, body: body.bytes }
}
