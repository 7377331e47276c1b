import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The files below a folder as sorted relative paths. */
export function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true })
    .map(String)
    .filter(name => statSync(join(path, name)).isFile())
    .sort()
}
