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
  readonly blocks: readonly Block[]
}

interface Block {
  /** Compressed. */
  readonly bytes: number
  /** Names and lengths of the results in it, one after the other. */
  readonly results: readonly (readonly [name: string, length: number])[]
}

/** A line of JSON that says what follows, then a compressed block for each horizon. The results of one horizon share their dates and
 * what does not depend on the configuration, so that together they take a fraction. */
export function writeStored(results: ReadonlyMap<string, string>, archive: ShippedArchive): Uint8Array {
  const byHorizon = Map.groupBy(results, ([name]) => name.split(' ')[0])
  const blocks = [...byHorizon.values()].map(group => {
    const texts = group.map(([, text]) => Buffer.from(text))
    const packed = Bun.zstdCompressSync(Buffer.concat(texts), { level })
    const index: Block = {
      bytes: packed.length,
      results: group.map(([name], i) => [name, texts[i]?.length ?? 0] as const),
    }
    return { packed, index }
  })
  const head: Head = { archive, blocks: blocks.map(({ index }) => index) }
  const line = Buffer.from(`${JSON.stringify(head)}\n`)
  return new Uint8Array(Buffer.concat([line, ...blocks.map(({ packed }) => packed)]))
}

/** The answers for the shipped archive that are shown without a key. The file is read at the first request. A block is unpacked for
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
  readonly blocks: Uint8Array<ArrayBuffer>
}

export async function openStored(): Promise<StoredFile> {
  const bytes = await Bun.file(storedPath).bytes()
  const end = bytes.indexOf(newline)
  const head: Head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))
  return { head, blocks: bytes.subarray(end + 1) }
}

export async function readStored({ head, blocks }: StoredFile, name: string): Promise<string> {
  let at = 0
  for (const { bytes, results } of head.blocks) {
    let start = 0
    for (const [known, length] of results) {
      if (known === name) {
        const whole = await Bun.zstdDecompress(blocks.slice(at, at + bytes))
        return new TextDecoder().decode(whole.subarray(start, start + length))
      }
      start += length
    }
    at += bytes
  }
  throw new Failure('internal', `No result is stored for ${name}.`)
}
