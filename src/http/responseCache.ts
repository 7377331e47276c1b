import { LRUCache } from 'lru-cache'
import { type Compression, compress, type Encoding, minCompressedBytes } from './compression.ts'
import { bytesOfStored, type StoredBody, sizeOfStored, storedBody } from './sentBody.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A serialised body in the form that a response needs. */
export interface CachedBody {
  readonly body: StoredBody
  readonly encoding: Encoding
  readonly headers: Headers
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null
  /** Headers of this body alone, for what its format has no field for. */
  readonly own: Readonly<Record<string, string>>
}

/** A body as rendered, with the cursor of the next page, if any, and headers of its own. */
export interface RenderedBody {
  readonly content: string | Bytes
  readonly next?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The cache keys of a response's bodies. Created once per plan: a map finds the same string object faster
 * than an equal one. */
export type BodyKeys = Readonly<Record<Encoding, string>>

export function bodyKeys(key: string): BodyKeys {
  return { identity: key, gzip: `gzip ${key}`, zstd: `zstd ${key}` }
}

export interface BodySource {
  readonly compression: Compression
  readonly make: () => Promise<RenderedBody>
  /** The headers of a response with this body. */
  readonly headers: (
    encoding: Encoding,
    next: string | null,
    own: Readonly<Record<string, string>>,
  ) => Headers
}

interface CacheOptions {
  readonly maxBytes?: number
  /** The data version to serve now: a body that was overtaken by a new version while being rendered is
   * rendered again. */
  readonly current?: () => number
}

const defaultMaxBytes = 64 * 1_024 * 1_024
const maxEntryBytes = 8 * 1_024 * 1_024
/** The approximate overhead of an entry in addition to its bytes. */
const entryBytes = 1_000

/** Serialised bodies of one data version, by plan, format and encoding, bounded by their bytes. Read only
 * after authentication and rate limits; a plan's key contains who may see it. Requests for a body that is
 * being rendered wait for it, so many requests for one company run one query. */
export class ResponseCache {
  readonly #bodies: LRUCache<string, CachedBody, () => Promise<CachedBody>>
  #version = -1
  /** Responses served from memory, and bodies rendered. A request that waits for a body in progress counts as
   * neither. */
  hits = 0
  misses = 0

  /** null: responses may have a version that this server has not been notified of yet. */
  readonly current: (() => number) | null

  constructor({ maxBytes = defaultMaxBytes, current }: CacheOptions = {}) {
    this.current = current ?? null
    this.#bodies = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxEntryBytes,
      sizeCalculation: ({ body }, key) => entryBytes + key.length + sizeOfStored(body),
      fetchMethod: (_key, _stale, { context: make }) => make(),
      // A body overtaken by a new data version still answers the requests that wait for it, but is not
      // cached.
      ignoreFetchAbort: true,
    })
  }

  /** Returns a cached body without a promise: nearly every request ends here. */
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
    if (encoding === 'identity' || sizeOfStored(plain.body) < minCompressedBytes) return plain
    return this.#load(version, keys[encoding], async () => {
      const bytes = await compress(await bytesOfStored(plain.body), encoding, source.compression)
      return cachedBody(bytes, encoding, plain, source)
    })
  }

  /** A request that began before the current data version gets its response, which is not cached: no later
   * request may get it. */
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
  return { body: storedBody(content), encoding, headers: source.headers(encoding, next, own), next, own }
}
