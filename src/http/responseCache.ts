import { compress, type Encoding, minCompressedBytes } from './compression.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A serialised body, as its consumer needs it. A Blob is sent without being copied. */
export interface CachedBody {
  readonly blob: Blob
  readonly encoding: Encoding
  readonly headers: Headers
}

/** A body as it is made, and the cursor of the page after it where there is one. */
export interface RenderedBody {
  readonly content: string | Bytes
  readonly next?: string | null
}

interface Page {
  readonly bytes: Bytes
  readonly next: string | null
}

interface Entry {
  readonly made: Promise<Page>
  /** Set once it is made. */
  body: CachedBody | null
  size: number
  /** Read since the last eviction pass. */
  used: boolean
}

/** The cache keys of an answer's bodies. Made once per plan: a map finds the same string object faster than an equal one. */
export type BodyKeys = Readonly<Record<Encoding, string>>

export function bodyKeys(key: string): BodyKeys {
  return { identity: key, gzip: `gzip ${key}`, zstd: `zstd ${key}` }
}

export interface BodySource {
  readonly make: () => Promise<RenderedBody>
  /** The headers of an answer with this body. */
  readonly headers: (encoding: Encoding, next: string | null) => Headers
}

const maxBytes = 64 * 1_024 * 1_024
const maxEntryBytes = 8 * 1_024 * 1_024
/** What an entry costs in addition to its bytes, roughly. */
const entryBytes = 1_000

/** Serialised bodies of one data version, by plan, format and encoding, bounded by their bytes. Read only after authentication and
 * limits, and a plan's key contains who may see it. Requests for a body that is being rendered wait for it, so many requests for one
 * company are one query. */
export class ResponseCache {
  readonly #entries = new Map<string, Entry>()
  #version = -1
  #bytes = 0

  /** A body that is cached already, without a promise: nearly every request ends here. */
  find(version: number, names: BodyKeys, encoding: Encoding): CachedBody | null {
    if (version !== this.#version) return null
    const entry = this.#entries.get(names[encoding])
    if (entry === undefined) return null
    entry.used = true
    return entry.body
  }

  async get(version: number, names: BodyKeys, encoding: Encoding, making: BodySource): Promise<CachedBody> {
    if (version > this.#version) this.#startOver(version)
    const keep = (form: Encoding, make: () => Promise<Page>) => this.#keep(version, form, names, making, make)
    const plain = await keep('identity', async () => pageOf(await making.make()))
    const worthIt = encoding !== 'identity' && plain.bytes.length >= minCompressedBytes
    if (!worthIt) return bodyOf(plain, 'identity', making)
    const compressed = async () => ({ bytes: await compress(plain.bytes, encoding), next: plain.next })
    return bodyOf(await keep(encoding, compressed), encoding, making)
  }

  #keep(
    version: number,
    encoding: Encoding,
    names: BodyKeys,
    making: BodySource,
    make: () => Promise<Page>,
  ): Promise<Page> {
    // A newer data version came meanwhile: this request still gets its answer, but later ones must not.
    if (version !== this.#version) return make()
    const name = names[encoding]
    const known = this.#entries.get(name)
    if (known !== undefined) return known.made
    const entry: Entry = { made: make(), body: null, size: entryBytes + name.length, used: true }
    this.#entries.set(name, entry)
    this.#bytes += entry.size
    entry.made.then(
      page => this.#settle(name, entry, bodyOf(page, encoding, making), page.bytes.length),
      () => this.#drop(name, entry),
    )
    return entry.made
  }

  #settle(name: string, entry: Entry, body: CachedBody, size: number): void {
    if (this.#entries.get(name) !== entry) return
    if (size > maxEntryBytes) {
      this.#drop(name, entry)
      return
    }
    entry.body = body
    entry.size += size
    this.#bytes += size
    this.#makeRoom()
  }

  /** Passes over the entries from the oldest: one used since the last time is spared once. */
  #makeRoom(): void {
    for (const [name, entry] of this.#entries) {
      if (this.#bytes <= maxBytes) return
      if (entry.used) {
        entry.used = false
        this.#entries.delete(name)
        this.#entries.set(name, entry)
      } else {
        this.#drop(name, entry)
      }
    }
  }

  #drop(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return
    this.#entries.delete(name)
    this.#bytes -= entry.size
  }

  #startOver(version: number): void {
    this.#version = version
    this.#entries.clear()
    this.#bytes = 0
  }
}

function pageOf({ content, next = null }: RenderedBody): Page {
  return { bytes: typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content, next }
}

function bodyOf({ bytes, next }: Page, encoding: Encoding, making: BodySource): CachedBody {
  return { blob: new Blob([bytes]), encoding, headers: making.headers(encoding, next) }
}
