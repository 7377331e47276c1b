import { mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../errors.ts'

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
