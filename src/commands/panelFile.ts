import { gunzipSync } from 'node:zlib'
import { Failure, reasonOf } from '../errors.ts'

/** A file of rows, or standard input, that is not read yet. */
export interface PanelFile {
  readonly name: string
  readonly bytes: ReadableStream<Uint8Array>
  /** As stored, in bytes; null for a stream, whose end is not known. */
  readonly size: number | null
}

/** Unpacked. */
const maxBytes = 1_024 * 1_024 * 1_024

/** @param path `-` is standard input */
export async function openPanel(path: string): Promise<PanelFile> {
  if (path === '-') return { name: 'standard input', bytes: Bun.stdin.stream(), size: null }
  const file = Bun.file(path)
  const stat = await file.stat().catch(() => null)
  if (stat === null) throw new Failure('parameter_invalid', `${path} does not exist.`)
  if (stat.isDirectory()) throw new Failure('parameter_invalid', `${path} is a folder. Give a file of rows.`)
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return { name, bytes: file.stream(), size: stat.isFile() ? stat.size : null }
}

/** The bytes of the rows, unpacked if they are gzip.
 *
 * @param onRead gets the number of bytes read so far */
export async function readPanelFile(
  { name, bytes }: PanelFile,
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
    const whole = joined(chunks, size)
    const isGzip = whole[0] === 0x1f && whole[1] === 0x8b
    return isGzip ? joined([gunzipSync(whole, { maxOutputLength: maxBytes })]) : whole
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(name)
    throw new Failure('body_invalid', `${name} could not be read: ${reasonOf(cause)}.`, { cause })
  }
}

/** The chunks in a buffer of their own, which can move to a thread. */
function joined(chunks: readonly Uint8Array[], size = chunks[0].length): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

function tooLarge(name: string): Failure {
  return new Failure('body_invalid', `${name} is larger than 1 GB when unpacked. Split it by date.`)
}
