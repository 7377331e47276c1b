import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'

/** Every file ever fetched, unchanged, as `<market>/<day>/<file>` below one folder. */
export interface Archive {
  /** The absolute path of an archived file. */
  locate(path: string): string
  has(path: string): Promise<boolean>
  /** Null if the file is gone. */
  read(path: string): Promise<Uint8Array | null>
  /**
   * Stores a response and returns its path in the archive. A different file with the same name and day is not
   * overwritten.
   */
  save(market: string, day: IsoDate, fileName: string, bytes: Uint8Array): Promise<string>
}

/** If a file has more versions on one day, the run requests it too often. */
const maxVersionsPerDay = 1_000

export function openArchive(folder: string): Archive {
  const locate = (path: string) => join(folder, path)
  const has = async (path: string) => (await stat(locate(path)).catch(() => null))?.isFile() ?? false
  const read = async (path: string) => ((await has(path)) ? Bun.file(locate(path)).bytes() : null)
  return {
    locate,
    has,
    read,
    async save(market, day, fileName, bytes) {
      assertSafeName(fileName)
      for (let version = 1; version <= maxVersionsPerDay; version++) {
        const path = `${market.toLowerCase()}/${day}/${versionedName(fileName, version)}`
        const existing = await read(path)
        if (existing !== null && Buffer.compare(existing, bytes) !== 0) continue
        if (existing === null) await writeAtomically(locate(path), bytes).catch(explainWriteError)
        return path
      }
      throw new Failure(
        'conflict',
        `There are more than ${maxVersionsPerDay} versions of ${fileName} from ${day}.`,
      )
    },
  }
}

/** `a.json`, then `a-2.json`. */
function versionedName(fileName: string, version: number): string {
  return version === 1 ? fileName : fileName.replace(/(\.\w+)?$/, extension => `-${version}${extension}`)
}

/** Parts of the name come from the register, and a name like `../x` must not lead out of the archive. */
function assertSafeName(fileName: string): void {
  const isPlain = fileName.length <= 300 && fileName.split('/').every(part => /^[\w-][\w.~=-]*$/.test(part))
  if (!isPlain)
    throw new Failure('internal', `${JSON.stringify(fileName)} is not a valid file name for the archive.`)
}

/** A full disk or a folder without write permission is the operator's problem, not a defect. */
function explainWriteError(error: unknown): never {
  if (!(error instanceof Error) || !('syscall' in error)) throw error
  throw new Failure(
    'internal',
    `The archive cannot be written: ${error.message}. Fix this, then run the same command again.`,
  )
}

/**
 * Writes to a temporary file and renames it, so that even after a power failure the file is either complete
 * or absent.
 */
async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(`${path}.part`, 'w')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}
