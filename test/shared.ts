import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../../shared')

/** The path of a real file next to the checkout. null, with a message: it is not on this machine, and tests that need it are
 * skipped. */
export function sharedPath(path: string): string | null {
  const found = resolve(folder, path)
  if (existsSync(found)) return found
  console.warn(`skipped: ../shared/${path} is not on this machine`)
  return null
}
