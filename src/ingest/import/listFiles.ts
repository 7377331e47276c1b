import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../errors.ts'

export interface SourceFile {
  readonly path: string
  readonly bytes: number
}

/**
 * Lists the files to import: those named in `paths` and, from folders, every zip and every file whose name
 * without `.gz` matches `documentNames`. A folder's files are sorted by name.
 */
export async function listFiles(paths: readonly string[], documentNames: RegExp): Promise<SourceFile[]> {
  const files: SourceFile[] = []
  for (const path of paths) {
    const found = await stat(path).catch(() => null)
    if (found === null) {
      throw new Failure('parameter_invalid', `${path} does not exist.`, { param: 'PATH' })
    }
    if (found.isDirectory()) await listFolder(path, documentNames, files)
    else files.push({ path, bytes: found.size })
  }
  return files
}

/**
 * Includes unreadable entries (a broken link, a folder without permission): reading them reports the fault,
 * and everything else is imported.
 */
async function listFolder(folder: string, documentNames: RegExp, files: SourceFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null) {
    files.push({ path: folder, bytes: 0 })
    return
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await listFolder(path, documentNames, files)
    else if (/\.zip$/i.test(entry.name) || documentNames.test(entry.name.replace(/\.gz$/i, ''))) {
      const found = await stat(path).catch(() => null)
      files.push({ path, bytes: found?.size ?? 0 })
    }
  }
}
