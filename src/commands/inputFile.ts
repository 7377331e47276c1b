import { access, constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BodySpool,
  removeAbandoned,
  type SpooledBody,
  spooledBytes,
} from '../backtest/panelFile/bodySpool.ts'
import { RowsMeasure } from '../backtest/panelFile/unpackRows.ts'
import { type Packing, packingOf, unpackStream } from '../backtest/panelFile/unpackStream.ts'
import { Failure, reasonOf } from '../errors.ts'

/** A file that a command reads, or standard input, before it is read. */
export interface InputFile {
  readonly name: string
  readonly bytes: ReadableStream<Uint8Array>
  /** Its path; null for what can be read only once. */
  readonly path: string | null
  /** The stored size in bytes; null for a stream, whose length is unknown. */
  readonly size: number | null
}

const gigabyte = 1_024 * 1_024 * 1_024
/** After unpacking. */
const maxBytes = 4 * gigabyte
/** For data that is read into memory as a whole. */
const maxLoadedBytes = gigabyte

/** @param path `-` for standard input */
export async function openInput(path: string): Promise<InputFile> {
  if (path === '-') return { name: 'standard input', bytes: Bun.stdin.stream(), path: null, size: null }
  if (path === '') throw new Failure('parameter_invalid', 'The name of the file is empty.')
  const file = Bun.file(path)
  const stat = await file.stat().catch(() => null)
  if (stat === null) throw new Failure('parameter_invalid', `${path} does not exist.`)
  if (stat.isDirectory()) throw new Failure('parameter_invalid', `${path} is a folder. Give a file.`)
  // A device may have no end, and Bun cannot wait for one.
  if (!stat.isFile() && !stat.isFIFO())
    throw new Failure(
      'parameter_invalid',
      `${path} is neither a file nor a pipe. Give a file, or - for standard input.`,
    )
  await access(path, constants.R_OK).catch(cause => {
    throw new Failure('parameter_invalid', `${path} cannot be read: ${reasonOf(cause)}.`, { cause })
  })
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const isFile = stat.isFile()
  return { name, bytes: file.stream(), path: isFile ? path : null, size: isFile ? stat.size : null }
}

/** The rows of a file, unpacked. */
export interface InputRows {
  /** A large file is read in place, or unpacked into a temporary one. */
  readonly body: SpooledBody
  /** Deletes the temporary file. */
  discard(): Promise<void>
}

/**
 * Reads a file into memory, unless it is too large and is better read in place.
 *
 * @param onRead receives the number of bytes read so far
 */
export async function readInput(file: InputFile, onRead: (bytes: number) => void): Promise<InputRows> {
  const { name, path, size } = file
  await removeAbandoned(spoolFolder(), Date.now())
  try {
    if (path !== null && size !== null && size >= spooledBytes) {
      const beginning = await Bun.file(path).slice(0, 8).bytes()
      refuseUnreadable(beginning, name)
      if (size > maxBytes) throw tooLarge(name)
      onRead(size)
      if (packingOf(beginning) === null) return { body: { path, bytes: size }, discard: async () => {} }
    }
    return await readStream(file, onRead)
  } catch (cause) {
    if (cause instanceof Failure)
      throw new Failure(cause.code, cause.message.replace(/^The (gzipped )?file /, `${name} `))
    throw new Failure('body_invalid', `${name} could not be read: ${reasonOf(cause)}.`, { cause })
  }
}

async function readStream(file: InputFile, onRead: (bytes: number) => void): Promise<InputRows> {
  const { name } = file
  const spool = new BodySpool(spoolFolder())
  let packing: Packing | null | undefined
  let measure: RowsMeasure | null = null
  const take = async (bytes: Uint8Array) => {
    if (spool.size + bytes.length > maxBytes) throw tooLarge(name)
    measure?.add(bytes)
    await spool.write(bytes)
  }
  try {
    const chunks = counted(file.bytes, onRead)
    const first = await chunks.next()
    if (first.done === true) throw new Failure('body_invalid', `${name} is empty.`)
    const all = (async function* () {
      yield first.value
      yield* chunks
    })()
    packing = packingOf(first.value)
    if (packing === null) for await (const bytes of all) await take(bytes)
    else {
      measure = new RowsMeasure({ bytes: maxBytes }, file.size ?? maxBytes)
      await unpackStream(all, packing, take, { name: 'The file' })
    }
    const body = await spool.finish()
    refuseUnreadable(await beginningOf(body), name)
    return { body, discard: () => spool.discard() }
  } catch (error) {
    await spool.discard()
    throw error
  }
}

async function* counted(
  stream: ReadableStream<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    onRead(size)
    yield chunk
  }
}

/** The whole content of a file that fits into memory. */
export async function loadRows(body: SpooledBody, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (body instanceof Uint8Array) return body
  if (body.bytes > maxLoadedBytes)
    throw new Failure(
      'body_invalid',
      `${name} is larger than 1 GB, which only CSV, NDJSON and Parquet files of a panel may be. Write it in one of these formats, or split it by date.`,
    )
  return Bun.file(body.path).bytes()
}

/**
 * A temporary file that contains the file between other bytes.
 *
 * @param skipped bytes to omit at the beginning of the file
 */
export async function frameRows(
  file: { readonly path: string },
  frame: { readonly before: Uint8Array; readonly skipped: number; readonly after: Uint8Array },
): Promise<InputRows> {
  const spool = new BodySpool(spoolFolder())
  try {
    await spool.write(frame.before)
    for await (const bytes of Bun.file(file.path).slice(frame.skipped).stream()) await spool.write(bytes)
    await spool.write(frame.after)
    return { body: await spool.finish(), discard: () => spool.discard() }
  } catch (error) {
    await spool.discard()
    throw error
  }
}

const spoolFolder = () => join(tmpdir(), `asfiled-${process.getuid?.() ?? 0}`)

const beginningOf = async (body: SpooledBody) =>
  body instanceof Uint8Array ? body : await Bun.file(body.path).slice(0, 8).bytes()

/**
 * The first bytes of files that people send by mistake. Read as rows, they would only be reported as an
 * unreadable cell in line 1.
 */
const unreadable: readonly (readonly [signature: string, fault: string])[] = [
  ['PK\x03\x04', 'is a zip archive. Unpack it, or use gzip or zstd.'],
  ['\xfd7zXZ', 'is compressed with xz. Unpack it, or use gzip or zstd.'],
  ['BZh', 'is compressed with bzip2. Unpack it, or use gzip or zstd.'],
  ['\xff\xfe', 'is UTF-16. Save it as UTF-8.'],
  ['\xfe\xff', 'is UTF-16. Save it as UTF-8.'],
]

function refuseUnreadable(content: Uint8Array, name: string): void {
  if (content.length === 0) throw new Failure('body_invalid', `${name} is empty.`)
  const beginning = Buffer.from(content.subarray(0, 8)).toString('latin1')
  const [, fault] = unreadable.find(([signature]) => beginning.startsWith(signature)) ?? []
  if (fault !== undefined) throw new Failure('body_invalid', `${name} ${fault}`)
}

function tooLarge(name: string): Failure {
  return new Failure('body_invalid', `${name} is larger than 4 GB when unpacked. Split it by date.`)
}
