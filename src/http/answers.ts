import type { DataFormat } from '../formats/columns.ts'
import { chooseEncoding, compress, compressStream, type Encoding, minCompressedBytes } from './compression.ts'
import type { Answer, RequestContext } from './context.ts'
import { answerHeaders, entityTag, matchesTag } from './headers.ts'
import { type BodyKeys, bodyKeys, type RenderedBody, type ResponseCache } from './responseCache.ts'

export const jsonType = 'application/json'
export const csvType = 'text/csv; charset=utf-8; header=present'

export const contentTypes: Readonly<Record<DataFormat, string>> = {
  json: jsonType,
  csv: csvType,
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** The content encoding of an answer of this type. Parquet compresses its own pages: compressing it again only costs time. */
function dataEncoding(context: RequestContext, type: string): Encoding {
  return type === contentTypes.parquet
    ? 'identity'
    : chooseEncoding(context.request.headers.get('accept-encoding'))
}

/** Another key may see less, so no shared cache may store an answer, and a private one revalidates it. */
export function dataHeaders(type: string, tag: string): Record<string, string> {
  return {
    'Content-Type': type,
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept-Encoding, Authorization',
  }
}

/** 304 where If-None-Match names the answer, else null. */
export function notModified(
  context: RequestContext,
  headers: Readonly<Record<string, string>>,
): Answer | null {
  const wanted = context.request.headers.get('if-none-match')
  if (wanted === null || !matchesTag(wanted, headers.ETag)) return null
  const { 'Content-Type': _, ...rest } = headers
  return { status: 304, headers: answerHeaders(rest), body: null }
}

/** An answer that is cached per data version. `key` must hold everything that decides its bytes: a key that leaves out who may
 * see it would show one caller's answer to another. */
export interface CachedResponse {
  readonly key: string
  readonly bodies: BodyKeys
  readonly type: string
  readonly make: () => Promise<RenderedBody>
}

export function cacheable(
  key: string,
  type: string,
  make: () => Promise<string | RenderedBody>,
): CachedResponse {
  return {
    key,
    bodies: bodyKeys(key),
    type,
    make: async () => {
      const rendered = await make()
      return typeof rendered === 'string' ? { content: rendered } : rendered
    },
  }
}

/** The answer from the cache, or rendered into it. A hit returns without a promise: nearly every request is one. */
export function respondFromCache(
  cache: ResponseCache,
  context: RequestContext,
  dataVersion: number,
  response: CachedResponse,
): Answer | Promise<Answer> {
  const { headers } = context.request
  const encoding = dataEncoding(context, response.type)
  if (headers.get('if-none-match') === null) {
    const body = cache.find(dataVersion, response.bodies, encoding)
    if (body !== null) return { status: 200, headers: body.headers, body: body.blob }
  }
  return renderIntoCache(cache, context, dataVersion, response, encoding)
}

async function renderIntoCache(
  cache: ResponseCache,
  context: RequestContext,
  dataVersion: number,
  { key, bodies, type, make }: CachedResponse,
  encoding: Encoding,
): Promise<Answer> {
  const own = dataHeaders(type, entityTag(dataVersion, key))
  const same = notModified(context, own)
  if (same !== null) return same
  const body = await cache.get(dataVersion, bodies, encoding, {
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

/** An answer to this request alone, compressed as Accept-Encoding allows. */
export async function encodedAnswer(
  context: RequestContext,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> {
  const encoding = chooseEncoding(context.request.headers.get('accept-encoding'))
  if (encoding === 'identity' || content.length < minCompressedBytes) {
    return { status: 200, headers: answerHeaders(headers), body: content }
  }
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const body = await compress(bytes, encoding)
  return { status: 200, headers: answerHeaders({ ...headers, 'Content-Encoding': encoding }), body }
}

/** An answer that is sent while it is produced, compressed as Accept-Encoding allows. */
export function streamAnswer(
  context: RequestContext,
  body: ReadableStream<Uint8Array>,
  own: Readonly<Record<string, string>>,
): Answer {
  const encoding = dataEncoding(context, own['Content-Type'])
  const headers = encoding === 'identity' ? own : { ...own, 'Content-Encoding': encoding }
  return { status: 200, headers: answerHeaders(headers), body: compressStream(body, encoding) }
}

/** The headers of a backtest result as an HTML page. The page loads nothing, cannot be framed and sends no referrer. */
export function pageHeaders(policy: string, tag: string): Record<string, string> {
  return {
    ...dataHeaders('text/html; charset=utf-8', tag),
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  }
}
