import { mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BodyFormat } from '../backtest/request.ts'
import { Failure } from '../errors.ts'

/** A file of rows, found and not yet read. */
export interface PanelFile {
  readonly name: string
  readonly path: string
  readonly format: BodyFormat
  readonly isCompressed: boolean
  /** On disk. */
  readonly size: number
}

const endings = /\.(csv|ndjson|jsonl)(\.gz)?$/i
const mostBytes = 1_024 * 1_024 * 1_024

export async function openPanel(path: string): Promise<PanelFile> {
  const stat = await Bun.file(path)
    .stat()
    .catch(() => null)
  if (stat === null || !stat.isFile())
    throw new Failure('parameter_invalid', `${path}: there is no such file.`)
  const ending = endings.exec(path)
  if (ending === null) {
    throw new Failure(
      'parameter_invalid',
      `${path}: the name has to end in .csv, .ndjson or .jsonl, also with .gz, so that it is clear how to read it.`,
    )
  }
  return {
    name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1),
    path,
    format: ending[1].toLowerCase() === 'csv' ? 'csv' : 'ndjson',
    isCompressed: ending[2] !== undefined,
    size: stat.size,
  }
}

/** The rows' bytes, unpacked.
 *
 * @param onRead called with the bytes read from the disk so far */
export async function readPanelFile(
  file: PanelFile,
  onRead: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let read = 0
  const counted = Bun.file(file.path)
    .stream()
    .pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          read += chunk.length
          onRead(read)
          controller.enqueue(chunk)
        },
      }),
    )
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of file.isCompressed
      ? counted.pipeThrough(new DecompressionStream('gzip'))
      : counted) {
      size += chunk.length
      if (size > mostBytes) throw tooLarge(file)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('parameter_invalid', `${file.path} could not be read: ${reason}`, { cause })
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

function tooLarge({ path }: PanelFile): Failure {
  return new Failure('parameter_invalid', `${path} is larger than 1 GB when unpacked. Split it by date.`)
}

/** Writes a file so that whoever looks sees the old one or the whole new one: a full disk or an interrupt in the middle
 * leaves what was there. What is no file (a pipe, /dev/stdout) is simply written to. */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => null)
    if (found !== null && !found.isFile()) await Bun.write(path, text)
    else await replace(found === null ? path : await realpath(path), text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure(
      'parameter_invalid',
      `${path || 'A file without a name'} could not be written: ${reason}`,
      {
        cause,
      },
    )
  }
}

async function replace(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const unfinished = join(folder, `.asfiled-${process.pid}-${crypto.randomUUID()}.tmp`)
  try {
    await Bun.write(unfinished, text)
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
