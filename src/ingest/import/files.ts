import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'

export interface SourceFile {
  readonly path: string
  readonly bytes: number
}

/** The files to import: those named, and in the folders named every zip and whatever `wanted` (without `.gz`) is the name
 * of, in the order of names. */
export async function listFiles(paths: readonly string[], wanted: RegExp): Promise<SourceFile[]> {
  const files: SourceFile[] = []
  for (const path of paths) {
    const found = await stat(path).catch(() => null)
    if (found === null) {
      throw new Failure('parameter_invalid', `There is no file or folder ${path}.`, { param: 'PATH' })
    }
    if (found.isDirectory()) await listFolder(path, wanted, files)
    else files.push({ path, bytes: found.size })
  }
  return files
}

/** What a folder names and nobody can look at (a link to nowhere, a closed folder) is listed too: reading it will
 * say what is wrong with it, and the rest is imported. */
async function listFolder(folder: string, wanted: RegExp, files: SourceFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null) {
    files.push({ path: folder, bytes: 0 })
    return
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await listFolder(path, wanted, files)
    else if (/\.zip$/i.test(entry.name) || wanted.test(entry.name.replace(/\.gz$/i, ''))) {
      const found = await stat(path).catch(() => null)
      files.push({ path, bytes: found?.size ?? 0 })
    }
  }
}
