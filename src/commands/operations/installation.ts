import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Migration } from '../../postgres/history.ts'

const repository = resolve(import.meta.dir, '../../..')

/**
 * The commit of the running code: from the file that a container build writes, otherwise from the clone. Null
 * if there is neither.
 */
export function readCommit(folder: string = repository): string | null {
  const built = textOf(resolve(folder, 'commit.txt'))
  if (built !== null) return commitIn(built)
  const git = gitFolder(resolve(folder, '.git'))
  if (git === null) return null
  const head = textOf(resolve(git, 'HEAD')) ?? ''
  const reference = /^ref: (\S+)$/.exec(head)?.[1]
  if (reference === undefined) return commitIn(head)
  // A work tree has its own HEAD, but its branches are those of the clone.
  const common = resolve(git, textOf(resolve(git, 'commondir')) ?? '.')
  const loose = textOf(resolve(common, reference))
  if (loose !== null) return commitIn(loose)
  const packed = textOf(resolve(common, 'packed-refs')) ?? ''
  return commitIn(packed.split('\n').find(line => line.endsWith(` ${reference}`)) ?? '')
}

/** In a work tree, `.git` is a file that names the folder. */
function gitFolder(path: string): string | null {
  if (existsSync(resolve(path, 'HEAD'))) return path
  const named = /^gitdir: (.+)$/.exec(textOf(path) ?? '')?.[1]
  return named === undefined ? null : resolve(path, '..', named)
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}

const commitIn = (text: string): string | null => /^[0-9a-f]{40}\b/.exec(text)?.[0] ?? null

/** The number of the last migration, or 0: two versions with the same number can read the same database. */
export const schemaNumber = (migrations: readonly Pick<Migration, 'name'>[]): number =>
  Math.max(0, ...migrations.map(({ name }) => Number.parseInt(name, 10)))
