import type { DataFormat } from '../formats/columns.ts'
import { joinMediaTypes, rowMediaTypes } from '../formats/mediaTypes.ts'
import {
  type Compression,
  chooseEncoding,
  compress,
  compressions,
  compressStream,
  type Encoding,
  minCompressedBytes,
} from './compression.ts'
import type { Answer, RequestContext } from './context.ts'
import { entityTag, matchesTag } from './etag.ts'
import { answerHeaders, personalHeaders } from './headers.ts'
import { type BodyKeys, bodyKeys, type RenderedBody, type ResponseCache } from './responseCache.ts'
import { bytesOfStored, type StoredBody, sizeOfStored, storedBody } from './sentBody.ts'

export const jsonType = rowMediaTypes.json[0]
const csvType = `${rowMediaTypes.csv[0]}; charset=utf-8; header=present`

export const contentTypes: Readonly<Record<DataFormat | 'arrow', string>> = {
  json: jsonType,
  csv: csvType,
  ndjson: `${rowMediaTypes.ndjson[0]}; charset=utf-8`,
  parquet: rowMediaTypes.parquet[0],
  arrow: joinMediaTypes.arrow[0],
}

/** The content encoding for a response of this type. Parquet is already compressed inside, and who asks for Arrow wants it
 * fast. */
function dataEncoding(context: RequestContext, type: string, compression: Compression): Encoding {
  return type === contentTypes.parquet || type === contentTypes.arrow
    ? 'identity'
    : requestedEncoding(context, compression)
}

const requestedEncoding = ({ request }: RequestContext, compression: Compression): Encoding =>
  chooseEncoding(request.headers.get('accept-encoding'), compression)

/** Another key may see less, so shared caches must not store the response, and private ones must revalidate
 * it. */
export function dataHeaders(type: string, tag: string): Record<string, string> {
  return {
    'Content-Type': type,
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    // Accept selects the format of rows, JSON or HTML, and the error format.
    Vary: 'Accept, Accept-Encoding, Authorization',
  }
}

/** Returns a 304 if If-None-Match names this response, else null. */
export function notModified(
  context: RequestContext,
  headers: Readonly<Record<string, string>>,
  complete = answerHeaders,
): Answer | null {
  const wanted = context.request.headers.get('if-none-match')
  if (wanted === null || !matchesTag(wanted, headers.ETag)) return null
  const { 'Content-Type': _, ...rest } = headers
  return { status: 304, headers: complete(rest), body: null }
}

/** A response that is cached per data version. `key` must contain everything that determines its bytes. A key
 * that omits who may see it would show one caller's response to another. */
export interface CachedResponse {
  readonly key: string
  readonly bodies: BodyKeys
  readonly type: string
  readonly compression: Compression
  /** True for visitors of pages, whom a cookie identifies. */
  readonly isPersonal: boolean
  readonly make: () => Promise<RenderedBody>
}

export function cacheable(
  key: string,
  type: string,
  make: () => Promise<string | RenderedBody>,
  compression: Compression = compressions.results,
  isPersonal = false,
): CachedResponse {
  return {
    key,
    bodies: bodyKeys(key),
    type,
    compression,
    isPersonal,
    make: async () => {
      const rendered = await make()
      return typeof rendered === 'string' ? { content: rendered } : rendered
    },
  }
}

/** Returns the cached response, rendering it on a miss. Nearly every request is a hit, and a hit returns
 * without a promise. */
export function respondFromCache(
  cache: ResponseCache,
  context: RequestContext,
  dataVersion: number,
  response: CachedResponse,
): Answer | Promise<Answer> {
  const { headers } = context.request
  const encoding = dataEncoding(context, response.type, response.compression)
  if (headers.get('if-none-match') === null) {
    const cached = cache.find(dataVersion, response.bodies, encoding)
    if (cached !== null) return { status: 200, headers: cached.headers, body: cached.body, isShared: true }
  }
  return renderIntoCache(cache, context, dataVersion, response, encoding)
}

/** An import may end between two statements of one response. After this many attempts, the last rendering is
 * sent under the version that it was made for. */
const maxRenderings = 8

async function renderIntoCache(
  cache: ResponseCache,
  context: RequestContext,
  dataVersion: number,
  response: CachedResponse,
  encoding: Encoding,
  left = maxRenderings,
): Promise<Answer> {
  const { key, bodies, type, compression, isPersonal, make } = response
  const data = dataHeaders(type, entityTag(dataVersion, key))
  const own = isPersonal ? { ...data, Vary: 'Accept-Encoding, Cookie' } : data
  const complete = isPersonal ? personalHeaders : answerHeaders
  const same = notModified(context, own, complete)
  // `*` matches any response that this caller may have. Whether there is one is only known once it is
  // rendered, because the key may be over its cap.
  const isAny = context.request.headers.get('if-none-match')?.trim() === '*'
  if (same !== null && !isAny) return same
  const cached = await cache.get(dataVersion, bodies, encoding, {
    compression,
    make,
    headers: (used, next, ofBody) =>
      complete({
        ...own,
        ...ofBody,
        ...(used === 'identity' ? {} : { 'Content-Encoding': used }),
        ...(next === null ? {} : { 'X-Next-Cursor': next }),
      }),
  })
  const now = cache.current?.() ?? dataVersion
  if (now > dataVersion && left > 1) return renderIntoCache(cache, context, now, response, encoding, left - 1)
  if (same !== null) return same
  return { status: 200, headers: cached.headers, body: cached.body }
}

/** An uncached response, compressed as Accept-Encoding allows. */
export async function encodedAnswer(
  context: RequestContext,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> {
  const compression = compressions.results
  const encoding = requestedEncoding(context, compression)
  if (encoding === 'identity' || content.length < minCompressedBytes) {
    return { status: 200, headers: answerHeaders(headers), body: content }
  }
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const body = await compress(bytes, encoding, compression)
  return { status: 200, headers: answerHeaders({ ...headers, 'Content-Encoding': encoding }), body }
}

/** A response that is streamed while it is produced, compressed as Accept-Encoding allows. */
export function streamAnswer(
  context: RequestContext,
  body: ReadableStream<Uint8Array>,
  own: Readonly<Record<string, string>>,
  compression: Compression = compressions.results,
): Answer {
  const encoding = dataEncoding(context, own['Content-Type'], compression)
  const headers = encoding === 'identity' ? own : { ...own, 'Content-Encoding': encoding }
  return { status: 200, headers: answerHeaders(headers), body: compressStream(body, encoding, compression) }
}

/** A document that is the same for every caller. It is rendered on its first request and compressed once per
 * encoding, which would otherwise cost more than the rest of the request. */
export class SharedDocument {
  readonly #make: () => Promise<string | Uint8Array<ArrayBuffer>>
  readonly #headers: Readonly<Record<string, string>>
  readonly #compressible: boolean
  readonly #bodies = new Map<Encoding, Promise<TaggedBody>>()

  /** @param compressible false for images, which are already compressed */
  constructor(
    make: () => Promise<string | Uint8Array<ArrayBuffer>>,
    headers: Readonly<Record<string, string>>,
    compressible = true,
  ) {
    this.#make = make
    this.#headers = headers
    this.#compressible = compressible
  }

  async answer(context: RequestContext): Promise<Answer> {
    const wanted = this.#compressible ? requestedEncoding(context, compressions.documents) : 'identity'
    const { body, tag, encoding } = await this.#body(wanted)
    const headers: Record<string, string> = { ...this.#headers, ETag: tag, Vary: 'Accept-Encoding' }
    const same = notModified(context, headers)
    if (same !== null) return same
    if (encoding !== 'identity') headers['Content-Encoding'] = encoding
    return { status: 200, headers: answerHeaders(headers), body }
  }

  #body(encoding: Encoding): Promise<TaggedBody> {
    const known = this.#bodies.get(encoding)
    if (known !== undefined) return known
    const made = this.#encode(encoding)
    this.#bodies.set(encoding, made)
    // The next request retries after a failure.
    made.catch(() => this.#bodies.delete(encoding))
    return made
  }

  async #encode(encoding: Encoding): Promise<TaggedBody> {
    if (encoding === 'identity') {
      const content = await this.#make()
      const tag = entityTag(0, String(Bun.hash.xxHash64(content)))
      return { body: storedBody(content), tag, encoding }
    }
    const plain = await this.#body('identity')
    if (sizeOfStored(plain.body) < minCompressedBytes) return plain
    const bytes = await compress(await bytesOfStored(plain.body), encoding, compressions.documents)
    return { body: storedBody(bytes), tag: plain.tag, encoding }
  }
}

interface TaggedBody {
  readonly body: StoredBody
  readonly tag: string
  readonly encoding: Encoding
}

/** The headers of a backtest result as an HTML page. The page loads nothing, cannot be framed and sends no
 * referrer. */
export function pageHeaders(policy: string, tag: string): Record<string, string> {
  return {
    ...dataHeaders('text/html; charset=utf-8', tag),
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  }
}

/** Redirects after a form, so that reloading the page does not submit it again. */
export function redirectAnswer(path: string, cookies: readonly string[] = []): Answer {
  const headers = new Headers({ Location: path, 'Cache-Control': 'no-store', Vary: 'Cookie' })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return { status: 303, body: null, headers }
}
