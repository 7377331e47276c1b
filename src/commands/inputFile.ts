import { access, constants } from 'node:fs/promises'
import { unpackRows } from '../backtest/panelFile/unpackRows.ts'
import { Failure, reasonOf } from '../errors.ts'

/** A file that a command reads, or standard input, that is not read yet. */
export interface InputFile {
  readonly name: string
  readonly bytes: ReadableStream<Uint8Array>
  /** As stored, in bytes; null for a stream, whose end is not known. */
  readonly size: number | null
}

/** Unpacked. */
const maxBytes = 1_024 * 1_024 * 1_024

/** @param path `-` is standard input */
export async function openInput(path: string): Promise<InputFile> {
  if (path === '-') return { name: 'standard input', bytes: Bun.stdin.stream(), size: null }
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
  return { name, bytes: file.stream(), size: stat.isFile() ? stat.size : null }
}

/** The whole content, unpacked if it is gzip.
 *
 * @param onRead gets the number of bytes read so far */
export async function readInput(
  { name, bytes }: InputFile,
  onRead: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(name)
      chunks.push(chunk)
      onRead(size)
    }
    const content = await unpackRows(joined(chunks), { bytes: maxBytes })
    refuseUnreadable(content, name)
    return content
  } catch (cause) {
    if (cause instanceof Failure)
      throw new Failure(cause.code, cause.message.replace(/^The (gzipped )?file /, `${name} `))
    throw new Failure('body_invalid', `${name} could not be read: ${reasonOf(cause)}.`, { cause })
  }
}

/** The parts in a buffer of their own, which can move to a thread. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** First bytes of what people send by mistake. As rows, their fault would be an unreadable cell in line 1. */
const unreadable: readonly (readonly [signature: string, fault: string])[] = [
  ['PK\x03\x04', 'is a zip archive. Unpack it, or use gzip.'],
  ['\xfd7zXZ', 'is compressed with xz. Unpack it, or use gzip.'],
  ['BZh', 'is compressed with bzip2. Unpack it, or use gzip.'],
  ['\x28\xb5\x2f\xfd', 'is compressed with zstd. Unpack it, or use gzip.'],
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
  return new Failure('body_invalid', `${name} is larger than 1 GB when unpacked. Split it by date.`)
}
