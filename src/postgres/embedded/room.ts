import { statfsSync } from 'node:fs'

/** The size of a WAL segment. PostgreSQL stops if there is no room for the next one. */
const minFreeBytes = 16 * 2 ** 20

/** Whether the disk of `folder` has no room for PostgreSQL's next WAL segment. False if the system does not tell. */
export function hasNoRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < minFreeBytes
  } catch {
    return false
  }
}
