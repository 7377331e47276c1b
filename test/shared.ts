import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../../shared')

/** The path of a real file that lies beside the checkout on our machines, null (and a line that says so) where
 * it does not: tests that need it are then skipped. */
export function sharedPath(path: string): string | null {
  const found = resolve(folder, path)
  if (existsSync(found)) return found
  console.warn(`skipped: ../shared/${path} is not on this machine`)
  return null
}
