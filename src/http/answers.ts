import type { DataFormat } from '../formats/columns.ts'
import { chooseEncoding, compress, compressStream, type Encoding, leastCompressed } from './compression.ts'
import type { Answer, Call } from './context.ts'
import { answerHeaders, entityTag, matchesTag } from './headers.ts'
import { type BodyCache, type BodyNames, bodyNames, type MadeBody } from './responseCache.ts'

export const jsonType = 'application/json'
export const csvType = 'text/csv; charset=utf-8; header=present'

export const dataTypes: Readonly<Record<DataFormat, string>> = {
  json: jsonType,
  csv: csvType,
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** How an answer of this type is encoded for its reader. A Parquet file is compressed inside. */
export function dataEncoding(call: Call, type: string): Encoding {
  return type === dataTypes.parquet ? 'identity' : chooseEncoding(call.request.headers.get('accept-encoding'))
}

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
  readonly make: () => Promise<MadeBody>
}

export function toKeep(key: string, type: string, make: () => Promise<string | MadeBody>): Kept {
  return {
    key,
    names: bodyNames(key),
    type,
    make: async () => {
      const made = await make()
      return typeof made === 'string' ? { content: made } : made
    },
  }
}

/** Without a promise where the answer is there already. */
export function keptAnswer(
  cache: BodyCache,
  call: Call,
  dataVersion: number,
  kept: Kept,
): Answer | Promise<Answer> {
  const { headers } = call.request
  const encoding = dataEncoding(call, kept.type)
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
    headers: (used, next) =>
      answerHeaders({
        ...own,
        ...(used === 'identity' ? {} : { 'Content-Encoding': used }),
        ...(next === null ? {} : { 'X-Next-Cursor': next }),
      }),
  })
  return { status: 200, headers: body.headers, body: body.blob }
}

/** An answer that is made for this request alone, compressed as the client asks. */
export async function encodedAnswer(
  call: Call,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> {
  const encoding = chooseEncoding(call.request.headers.get('accept-encoding'))
  if (encoding === 'identity' || content.length < leastCompressed) {
    return { status: 200, headers: answerHeaders(headers), body: content }
  }
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const body = await compress(bytes, encoding)
  return { status: 200, headers: answerHeaders({ ...headers, 'Content-Encoding': encoding }), body }
}

/** An answer that is sent while it is made, compressed as the client asks. */
export function streamAnswer(
  call: Call,
  body: ReadableStream<Uint8Array>,
  own: Readonly<Record<string, string>>,
): Answer {
  const encoding = dataEncoding(call, own['Content-Type'])
  const headers = encoding === 'identity' ? own : { ...own, 'Content-Encoding': encoding }
  return { status: 200, headers: answerHeaders(headers), body: compressStream(body, encoding) }
}

/** The headers of a result as a page: it may load nothing, stand in no frame, and tells nobody where it came from. */
export function pageHeaders(policy: string, tag: string): Record<string, string> {
  return {
    ...dataHeaders('text/html; charset=utf-8', tag),
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  }
}
