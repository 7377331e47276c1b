import { compress, type Encoding, leastCompressed } from './encoding.ts'

type Bytes = Uint8Array<ArrayBuffer>

export interface Body {
  readonly bytes: Bytes
  readonly encoding: Encoding
}

interface Entry {
  readonly made: Promise<Bytes>
  size: number
}

const mostBytes = 64 * 1_024 * 1_024
const mostOfOne = 8 * 1_024 * 1_024
/** What an entry costs beside its bytes, roughly. */
const entryBytes = 500

/** Serialised bodies of one data version, by plan, format and encoding; bounded by their bytes, the one used longest
 * ago goes first. Only ever asked after authentication and limits: a plan's key holds who may see it. Requests for
 * what is being made wait for it, so a rush for one company is one query. */
export class BodyCache {
  readonly #entries = new Map<string, Entry>()
  #version = -1
  #bytes = 0

  async get(version: number, key: string, encoding: Encoding, make: () => Promise<string>): Promise<Body> {
    if (version !== this.#version) this.#startOver(version)
    const plain = await this.#find(`identity\n${key}`, async () => new Uint8Array(Buffer.from(await make())))
    if (encoding === 'identity' || plain.length < leastCompressed)
      return { bytes: plain, encoding: 'identity' }
    return { bytes: await this.#find(`${encoding}\n${key}`, () => compress(plain, encoding)), encoding }
  }

  #find(name: string, make: () => Promise<Bytes>): Promise<Bytes> {
    const known = this.#entries.get(name)
    if (known !== undefined) {
      this.#entries.delete(name)
      this.#entries.set(name, known)
      return known.made
    }
    const entry: Entry = { made: make(), size: entryBytes + name.length }
    this.#entries.set(name, entry)
    this.#bytes += entry.size
    entry.made.then(
      bytes => this.#settle(name, entry, bytes.length),
      () => this.#drop(name, entry),
    )
    return entry.made
  }

  #settle(name: string, entry: Entry, size: number): void {
    if (this.#entries.get(name) !== entry) return
    if (size > mostOfOne) return this.#drop(name, entry)
    entry.size += size
    this.#bytes += size
    for (const [oldest, other] of this.#entries) {
      if (this.#bytes <= mostBytes) return
      this.#drop(oldest, other)
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
