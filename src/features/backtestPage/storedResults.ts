import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { type StoredChoice, storedName } from './storedGrid.ts'

export const storedPath = resolve(import.meta.dir, 'shippedResults.bin')

/** The best that zstd does: the file is written once and shipped. */
const level = 19
const newline = 0x0a

/** What the results are of. */
export interface ShippedArchive {
  /** Names of the archive, and those of them whose company has a figure of a full year that is not too old on every one of its days. */
  readonly names: number
  readonly withFigures: number
  readonly first: string
  readonly last: string
}

interface Head {
  readonly archive: ShippedArchive
  /** Names and lengths of the results, one after the other. */
  readonly results: readonly (readonly [name: string, length: number])[]
}

/** A line of JSON that says what follows, then all results, compressed. They share their dates and what does not depend on the
 * configuration, so that together they take a fraction. */
export function writeStored(results: ReadonlyMap<string, string>, archive: ShippedArchive): Uint8Array {
  const texts = [...results.values()].map(text => Buffer.from(text))
  const head: Head = { archive, results: [...results.keys()].map((name, i) => [name, texts[i].length]) }
  const packed = Bun.zstdCompressSync(Buffer.concat(texts), { level })
  return new Uint8Array(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), packed]))
}

/** The answers for the shipped archive that are shown without a key. The file is read at the first request, and unpacked for
 * each result that is not in the cache of responses yet: that takes some milliseconds, on another thread. */
export class StoredResults {
  #file: Promise<StoredFile> | null = null

  /** The JSON of the result of a choice, as the API answered it. */
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
