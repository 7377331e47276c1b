import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { type StoredChoice, storedName } from './storedGrid.ts'

export const storedPath = resolve(import.meta.dir, 'shippedResults.bin')

/** The highest level that zstd offers: the file is written once and shipped. */
const level = 19
const newline = 0x0a

/** The archive behind the stored results. */
export interface ShippedArchive {
  /**
   * The number of names in the archive, and how many of them belong to a company with a full-year figure that
   * was known by the name's last day and not yet too old on its first.
   */
  readonly names: number
  readonly withFigures: number
  readonly first: string
  readonly last: string
}

interface Head {
  readonly archive: ShippedArchive
  /** Names and lengths of the results, in order. */
  readonly results: readonly (readonly [name: string, length: number])[]
}

/**
 * A line of JSON that describes the contents, followed by all results, compressed together. They share their
 * dates and whatever does not depend on the configuration, so together they take a fraction of the space.
 */
export function writeStored(results: ReadonlyMap<string, string>, archive: ShippedArchive): Uint8Array {
  const texts = [...results.values()].map(text => Buffer.from(text))
  const head: Head = { archive, results: [...results.keys()].map((name, i) => [name, texts[i].length]) }
  const packed = Bun.zstdCompressSync(Buffer.concat(texts), { level })
  return new Uint8Array(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), packed]))
}

/**
 * The responses for the shipped archive that need no key. The file is read at the first request; a result
 * that is not in the response cache is unpacked on another thread, which takes some milliseconds.
 */
export class StoredResults {
  #file: Promise<StoredFile> | null = null

  /** The JSON result of a choice, as the API returned it. */
  async read(choice: StoredChoice): Promise<string> {
    return readStored(await this.#open(), storedName(choice))
  }

  async archive(): Promise<ShippedArchive> {
    return (await this.#open()).head.archive
  }

  #open(): Promise<StoredFile> {
    if (this.#file !== null) return this.#file
    const opening = openStored()
    this.#file = opening
    opening.catch(() => {
      this.#file = null
    })
    return opening
  }
}

interface StoredFile {
  readonly head: Head
  readonly packed: Uint8Array<ArrayBuffer>
}

export async function openStored(): Promise<StoredFile> {
  const bytes = await Bun.file(storedPath).bytes()
  const end = bytes.indexOf(newline)
  const head: Head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))
  return { head, packed: bytes.subarray(end + 1) }
}

export async function readStored({ head, packed }: StoredFile, name: string): Promise<string> {
  let start = 0
  for (const [known, length] of head.results) {
    if (known === name) {
      const whole = await Bun.zstdDecompress(packed)
      return new TextDecoder().decode(whole.subarray(start, start + length))
    }
    start += length
  }
  throw new Failure('internal', `No result is stored for ${name}.`)
}
