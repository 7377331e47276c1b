/**
 * Files and folders in the ustar format, so that `tar` can read a backup, too. Everything is streamed: no
 * file is in memory as a whole.
 */

/** The message completes a sentence whose subject is the file. */
export class DamagedArchive extends Error {}

const blockBytes = 512
const maxNameBytes = 100
/** Eleven octal digits. PostgreSQL splits its own files at 1 GB. */
const maxFileBytes = 8 * 2 ** 30 - 1

export type EntryKind = 'file' | 'folder'

/** The header of an entry. `size` bytes and `padding(size)` follow it. */
export function tarHeader(name: string, kind: EntryKind, size: number, modifiedMs: number): Buffer {
  const header = Buffer.alloc(blockBytes)
  const shown = kind === 'folder' ? `${name}/` : name
  if (Buffer.byteLength(shown) > maxNameBytes || size > maxFileBytes)
    throw new Error(`${name} does not fit into a ustar archive.`)
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at)
  header.write(shown, 0)
  octal(kind === 'folder' ? 0o700 : 0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(Math.floor(modifiedMs / 1000), 136, 11)
  header.write(kind === 'folder' ? '5' : '0', 156)
  header.write('ustar\0' + '00', 257)
  octal(checksumOf(header), 148, 6)
  header.write('\0 ', 154)
  return header
}

/** The sum of all bytes, with spaces in place of the checksum itself. */
function checksumOf(header: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < blockBytes; at++) sum += at >= 148 && at < 156 ? 32 : header[at]
  return sum
}

/** Fills the last block of an entry's content. */
export const padding = (size: number) => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)

/** The end of an archive. */
export const tarEnd = () => Buffer.alloc(2 * blockBytes)

export interface TarEntry {
  readonly name: string
  readonly kind: EntryKind
  readonly size: number
  /** The content. Consume all of it before the next entry. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Reads the entries of an archive. Throws if it is not one or is truncated. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(chunks)
  for (;;) {
    const header = await source.exactly(blockBytes)
    if (header.every(byte => byte === 0)) break
    const { name, kind, size } = parseHeader(header)
    yield { name, kind, size, content: source.next(size) }
    await source.exactly(padding(size).length)
  }
  // Reads to the end of the stream, because a checksum of the whole stream follows.
  await source.drain()
}

function parseHeader(header: Buffer): { name: string; kind: EntryKind; size: number } {
  const text = (at: number, length: number) => header.toString('utf8', at, at + length).replace(/[\0 ]+$/, '')
  const octal = (at: number, length: number) => {
    const digits = text(at, length)
    if (!/^[0-7]+$/.test(digits)) throw new DamagedArchive('a header of the archive is not readable')
    return Number.parseInt(digits, 8)
  }
  if (octal(148, 8) !== checksumOf(header)) throw new DamagedArchive('a header of the archive is damaged')
  const type = text(156, 1)
  if (type !== '0' && type !== '5') throw new DamagedArchive(`the archive has an entry of type '${type}'`)
  const name = text(0, maxNameBytes).replace(/\/$/, '')
  return { name, kind: type === '5' ? 'folder' : 'file', size: octal(124, 12) }
}

/** Returns the bytes of a stream in pieces of the requested sizes. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async exactly(bytes: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of this.next(bytes)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *next(bytes: number): AsyncGenerator<Uint8Array> {
    let left = bytes
    while (left > 0) {
      if (this.#rest.length === 0) await this.#fill()
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }

  async #fill(): Promise<void> {
    const { value, done } = await this.#chunks.next()
    if (done) throw new DamagedArchive('it is truncated')
    this.#rest = value
  }
}
