import type { BodyFormat } from '../backtest/request.ts'
import { Failure } from '../errors.ts'

/** A file of rows that exists and is not read yet. */
export interface PanelFile {
  readonly name: string
  readonly path: string
  readonly format: BodyFormat
  readonly isCompressed: boolean
  /** On disk, in bytes. */
  readonly size: number
}

const namePattern = /\.(csv|ndjson|jsonl)(\.gz)?$/i
/** Unpacked. */
const maxBytes = 1_024 * 1_024 * 1_024

export async function openPanel(path: string): Promise<PanelFile> {
  const stat = await Bun.file(path)
    .stat()
    .catch(() => null)
  if (stat === null || !stat.isFile())
    throw new Failure('parameter_invalid', `${path}: there is no such file.`)
  const ending = namePattern.exec(path)
  if (ending === null) {
    throw new Failure(
      'parameter_invalid',
      `${path}: the name must end in .csv, .ndjson or .jsonl, optionally with .gz: it decides how the file is read.`,
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

/** The bytes of the rows, unpacked.
 *
 * @param onRead gets the number of bytes read from the disk so far */
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
      if (size > maxBytes) throw tooLarge(file)
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
