import { LRUCache } from 'lru-cache'
import { type Compression, compress, type Encoding, minCompressedBytes } from './compression.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A serialised body, as its consumer needs it. A Blob is sent without being copied. */
export interface CachedBody {
  readonly blob: Blob
  readonly encoding: Encoding
  readonly headers: Headers
  /** The cursor of the page after it; null: there is none. */
  readonly next: string | null
  /** Its own headers: what the format has no field for. */
  readonly own: Readonly<Record<string, string>>
}

/** A body as it is made, the cursor of the page after it, if there is one, and headers of its own. */
export interface RenderedBody {
  readonly content: string | Bytes
  readonly next?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The cache keys of an answer's bodies. Made once per plan: a map finds the same string object faster than an equal one. */
export type BodyKeys = Readonly<Record<Encoding, string>>

export function bodyKeys(key: string): BodyKeys {
  return { identity: key, gzip: `gzip ${key}`, zstd: `zstd ${key}` }
}

export interface BodySource {
  readonly compression: Compression
  readonly make: () => Promise<RenderedBody>
  /** The headers of an answer with this body. */
  readonly headers: (
    encoding: Encoding,
    next: string | null,
    own: Readonly<Record<string, string>>,
  ) => Headers
}

interface CacheOptions {
  readonly maxBytes?: number
  /** The data version that answers are to be of now: one that was overtaken while it was rendered is rendered again. */
  readonly current?: () => number
}

const defaultMaxBytes = 64 * 1_024 * 1_024
const maxEntryBytes = 8 * 1_024 * 1_024
/** What an entry costs in addition to its bytes, roughly. */
const entryBytes = 1_000

/** Serialised bodies of one data version, by plan, format and encoding, bounded by their bytes. Read only after authentication and
 * limits, and a plan's key contains who may see it. Requests for a body that is being rendered wait for it, so many requests for one
 * company are one query. */
export class ResponseCache {
  readonly #bodies: LRUCache<string, CachedBody, () => Promise<CachedBody>>
  #version = -1
  /** Answers from memory, and those that were made. One that waits for an answer in the making is neither. */
  hits = 0
  misses = 0

  /** null: answers may be of a version that this server has not yet heard of. */
  readonly current: (() => number) | null

  constructor({ maxBytes = defaultMaxBytes, current }: CacheOptions = {}) {
    this.current = current ?? null
    this.#bodies = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxEntryBytes,
      sizeCalculation: ({ blob }, key) => entryBytes + key.length + blob.size,
      fetchMethod: (_key, _stale, { context: make }) => make(),
      // A body that a new data version overtook still answers the requests that wait for it. It is not cached.
      ignoreFetchAbort: true,
    })
  }

  /** A body that is cached already, without a promise: nearly every request ends here. */
  find(version: number, keys: BodyKeys, encoding: Encoding): CachedBody | null {
    const body = version === this.#version ? this.#bodies.get(keys[encoding]) : undefined
    if (body === undefined) return null
    this.hits++
    return body
  }

  async get(version: number, keys: BodyKeys, encoding: Encoding, source: BodySource): Promise<CachedBody> {
    if (version > this.#version) {
      this.#version = version
      this.#bodies.clear()
    }
    const plain = await this.#load(version, keys.identity, async () => {
      this.misses++
      const { content, next = null, headers = {} } = await source.make()
      return cachedBody(content, 'identity', { next, own: headers }, source)
    })
    if (encoding === 'identity' || plain.blob.size < minCompressedBytes) return plain
    return this.#load(version, keys[encoding], async () => {
      const bytes = await compress(await plain.blob.bytes(), encoding, source.compression)
      return cachedBody(bytes, encoding, plain, source)
    })
  }

  /** A request that began before the current data version gets its answer, but no later one must: it is not cached. */
  #load(version: number, key: string, make: () => Promise<CachedBody>): Promise<CachedBody> {
    return version === this.#version ? this.#bodies.forceFetch(key, { context: make }) : make()
  }
}

function cachedBody(
  content: string | Bytes,
  encoding: Encoding,
  { next, own }: Pick<CachedBody, 'next' | 'own'>,
  source: BodySource,
): CachedBody {
  return { blob: new Blob([content]), encoding, headers: source.headers(encoding, next, own), next, own }
}
