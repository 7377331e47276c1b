import { parse } from 'jsonc-parser'

interface LockEntry {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly os?: unknown
  readonly cpu?: unknown
}

interface Lock {
  readonly workspaces: Readonly<Record<string, LockEntry>>
  /** `name@version` first; its entry among the rest. Keys are paths of names: `a/b` is the `b` below `a`. */
  readonly packages: Readonly<Record<string, readonly [string, ...(string | LockEntry)[]]>>
}

export interface ProductionPackage {
  readonly name: string
  readonly version: string
  /** Below the folder of the project. */
  readonly folder: string
  /** Only for some systems or processors: it may not be installed here. */
  readonly isForPlatform: boolean
  /** The folder of the package that depends on it; null: the project does. */
  readonly parentFolder: string | null
}

/** Every package that `bun install --production` may install, by bun.lock. Optional peers are among them where
 * something else brings them: Bun installs those, too. */
export function productionPackages(lockText: string): ProductionPackage[] {
  const lock: Lock = parse(lockText, [], { allowTrailingComma: true })
  const found = new Map<string, ProductionPackage>()
  const waiting = Object.keys(lock.workspaces[''].dependencies ?? {}).map(name => ({ name, parent: '' }))
  for (const { name, parent } of waiting) {
    const key = keyOf(lock, parent, name)
    if (key === null || found.has(key)) continue
    const [id, ...rest] = lock.packages[key]
    const entry = rest.find(part => typeof part === 'object') ?? {}
    const isLocal = id.includes('@file:')
    found.set(key, {
      name,
      version: isLocal ? 'local' : id.slice(id.lastIndexOf('@') + 1),
      folder: folderOf(key),
      isForPlatform: entry.os !== undefined || entry.cpu !== undefined,
      parentFolder: parent === '' ? null : folderOf(parent),
    })
    const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies }
    for (const dependency of Object.keys(needed)) waiting.push({ name: dependency, parent: key })
  }
  return [...found.values()]
    .filter(({ version }) => version !== 'local')
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

/** The key under which a package finds another: its own below it, else that of the nearest package above. */
function keyOf({ packages }: Lock, from: string, name: string): string | null {
  const above = namesOf(from)
  for (let depth = above.length; depth >= 0; depth--) {
    const key = [...above.slice(0, depth), name].join('/')
    if (Object.hasOwn(packages, key)) return key
  }
  return null
}

const namesOf = (key: string): string[] => key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? []

const folderOf = (key: string) =>
  namesOf(key)
    .map(name => `node_modules/${name}`)
    .join('/')
