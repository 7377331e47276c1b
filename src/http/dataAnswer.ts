import { type BodyCache, type BodyNames, bodyNames } from './BodyCache.ts'
import type { Answer, Call } from './Call.ts'
import { chooseEncoding, type Encoding } from './encoding.ts'
import { entityTag, matchesTag } from './entityTag.ts'
import { answerHeaders } from './headers.ts'

export const jsonType = 'application/json'
export const csvType = 'text/csv; charset=utf-8; header=present'

/** What one key is shown another may not be: no shared cache keeps it, and a private one asks again. */
export function dataHeaders(type: string, tag: string): Record<string, string> {
  return {
    'Content-Type': type,
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept-Encoding, Authorization',
  }
}

/** 304 where the client has the answer already, else null. */
export function unchanged(call: Call, headers: Readonly<Record<string, string>>): Answer | null {
  const wanted = call.request.headers.get('if-none-match')
  if (wanted === null || !matchesTag(wanted, headers.ETag)) return null
  const { 'Content-Type': _, ...rest } = headers
  return { status: 304, headers: answerHeaders(rest), body: null }
}

/** An answer that is kept for each data version. `key` names everything that decides it. */
export interface Kept {
  readonly key: string
  readonly names: BodyNames
  readonly type: string
  readonly make: () => Promise<string>
}

export function toKeep(key: string, type: string, make: () => Promise<string>): Kept {
  return { key, names: bodyNames(key), type, make }
}

/** Without a promise where the answer is there already. */
export function keptAnswer(
  cache: BodyCache,
  call: Call,
  dataVersion: number,
  kept: Kept,
): Answer | Promise<Answer> {
  const { headers } = call.request
  const encoding = chooseEncoding(headers.get('accept-encoding'))
  if (headers.get('if-none-match') === null) {
    const body = cache.find(dataVersion, kept.names, encoding)
    if (body !== null) return { status: 200, headers: body.headers, body: body.blob }
  }
  return madeAnswer(cache, call, dataVersion, kept, encoding)
}

async function madeAnswer(
  cache: BodyCache,
  call: Call,
  dataVersion: number,
  { key, names, type, make }: Kept,
  encoding: Encoding,
): Promise<Answer> {
  const own = dataHeaders(type, entityTag(dataVersion, key))
  const same = unchanged(call, own)
  if (same !== null) return same
  const body = await cache.get(dataVersion, names, encoding, {
    make,
    headers: used => answerHeaders(used === 'identity' ? own : { ...own, 'Content-Encoding': used }),
  })
  return { status: 200, headers: body.headers, body: body.blob }
}
