import { compress, type Encoding, leastCompressed } from './compression.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A serialised body, as its consumer needs it. A Blob is sent without being copied. */
export interface KeptBody {
  readonly blob: Blob
  readonly encoding: Encoding
  readonly headers: Headers
}

/** A body as it is made, and the cursor of the page after it where there is one. */
export interface MadeBody {
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
  body: KeptBody | null
  size: number
  /** Asked for since the broom last passed. */
  used: boolean
}

/** What the bodies of an answer are kept under. Made once for a plan: a string that was looked up before is found
 * faster than an equal one. */
export type BodyNames = Readonly<Record<Encoding, string>>

export function bodyNames(key: string): BodyNames {
  return { identity: key, gzip: `gzip ${key}`, zstd: `zstd ${key}` }
}

export interface Making {
  readonly make: () => Promise<MadeBody>
  /** Of an answer with this body. */
  readonly headers: (encoding: Encoding, next: string | null) => Headers
}

const mostBytes = 64 * 1_024 * 1_024
const mostOfOne = 8 * 1_024 * 1_024
/** What an entry costs beside its bytes, roughly. */
const entryBytes = 1_000

/** Serialised bodies of one data version, by plan, format and encoding; bounded by their bytes, those not used of
 * late go first. Only ever asked after authentication and limits: a plan's key holds who may see it. Requests for
 * what is being made wait for it, so a rush for one company is one query. */
export class BodyCache {
  readonly #entries = new Map<string, Entry>()
  #version = -1
  #bytes = 0

  /** What is there already: the way of nearly every request. */
  find(version: number, names: BodyNames, encoding: Encoding): KeptBody | null {
    if (version !== this.#version) return null
    const entry = this.#entries.get(names[encoding])
    if (entry === undefined) return null
    entry.used = true
    return entry.body
  }

  async get(version: number, names: BodyNames, encoding: Encoding, making: Making): Promise<KeptBody> {
    if (version > this.#version) this.#startOver(version)
    const keep = (form: Encoding, make: () => Promise<Page>) => this.#keep(version, form, names, making, make)
    const plain = await keep('identity', async () => pageOf(await making.make()))
    const worthIt = encoding !== 'identity' && plain.bytes.length >= leastCompressed
    if (!worthIt) return bodyOf(plain, 'identity', making)
    const compressed = async () => ({ bytes: await compress(plain.bytes, encoding), next: plain.next })
    return bodyOf(await keep(encoding, compressed), encoding, making)
  }

  #keep(
    version: number,
    encoding: Encoding,
    names: BodyNames,
    making: Making,
    make: () => Promise<Page>,
  ): Promise<Page> {
    // A newer version came while this was under way: it is for who asked before, and for nobody after.
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

  #settle(name: string, entry: Entry, body: KeptBody, size: number): void {
    if (this.#entries.get(name) !== entry) return
    if (size > mostOfOne) {
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
      if (this.#bytes <= mostBytes) return
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

function pageOf({ content, next = null }: MadeBody): Page {
  return { bytes: typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content, next }
}

function bodyOf({ bytes, next }: Page, encoding: Encoding, making: Making): KeptBody {
  return { blob: new Blob([bytes]), encoding, headers: making.headers(encoding, next) }
}
