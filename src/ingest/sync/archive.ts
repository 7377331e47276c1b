import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'

/** Everything that was ever fetched, as it came: `<market>/<day>/<file>` below one folder. */
export interface Archive {
  /** Where a path of the archive lies. */
  locate(path: string): string
  has(path: string): Promise<boolean>
  /** null where the file is gone. */
  read(path: string): Promise<Uint8Array | null>
  /** Keeps an answer of the day, and returns its path. Nothing else that the day brought under the name is lost. */
  keep(market: string, day: IsoDate, fileName: string, bytes: Uint8Array): Promise<string>
}

/** A register that changes what it says more often in a day is asked too often. */
const mostOfADay = 1_000

export function openArchive(folder: string): Archive {
  const locate = (path: string) => join(folder, path)
  const has = async (path: string) => (await stat(locate(path)).catch(() => null))?.isFile() ?? false
  const read = async (path: string) => ((await has(path)) ? Bun.file(locate(path)).bytes() : null)
  return {
    locate,
    has,
    read,
    async keep(market, day, fileName, bytes) {
      refuseEscape(fileName)
      for (let turn = 1; turn <= mostOfADay; turn++) {
        const path = `${market.toLowerCase()}/${day}/${numbered(fileName, turn)}`
        const there = await read(path)
        if (there !== null && Buffer.compare(there, bytes) !== 0) continue
        if (there === null) await writeWhole(locate(path), bytes).catch(explainFault)
        return path
      }
      throw new Failure('conflict', `${fileName} came in more than ${mostOfADay} versions on ${day}.`)
    },
  }
}

/** `a.json`, then `a-2.json`. */
function numbered(fileName: string, turn: number): string {
  return turn === 1 ? fileName : fileName.replace(/(\.\w+)?$/, extension => `-${turn}${extension}`)
}

/** Parts of a name come from the register. */
function refuseEscape(fileName: string): void {
  const isPlain = fileName.length <= 300 && fileName.split('/').every(part => /^[\w-][\w.~=-]*$/.test(part))
  if (!isPlain)
    throw new Failure('internal', `${JSON.stringify(fileName)} is no name of a file in the archive.`)
}

/** A full disk or a closed folder is no defect. What was kept before stays. */
function explainFault(error: unknown): never {
  if (!(error instanceof Error) || !('syscall' in error)) throw error
  throw new Failure(
    'internal',
    `The archive cannot be written: ${error.message}. Mend it and run the same command again.`,
  )
}

/** The file is there whole or not at all, also after a power cut. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
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
