import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

/** Modules that affect the figures of every register, and the instants at which they become known, in addition to those
 * that its own folder imports. */
const sharedModules = [
  './zones.ts',
  '../../facts/clockReadings.ts',
  '../../facts/deriveFacts.ts',
  '../import/mergeDocuments.ts',
  '../import/stateChecks.ts',
  '../observations/factsFromObservations.ts',
  '../observations/mergeObservations.ts',
]

const sourceFolder = resolve(import.meta.dir, '../..')

/**
 * The version of the code that turns a register's documents into figures, computed on the first call. When it changes,
 * all documents are read again. It is a digest of the register's module, of the shared rules and of everything that
 * they import, without types, comments and formatting. Another version of Bun may print the same code differently: the
 * documents are then read again, too.
 *
 * @param registerModule the path of `register.ts`
 */
export function derivationVersionOf(registerModule: string): () => string {
  let version: string | null = null
  return () => {
    version ??= versionOfModules(readModules(registerModule))
    return version
  }
}

export function versionOfModules(modules: ReadonlyMap<string, string>): string {
  const printer = new Bun.Transpiler({ loader: 'ts' })
  const printed = [...modules].map(([path, source]) => [path, printer.transformSync(source)])
  return Bun.hash.xxHash3(JSON.stringify(printed)).toString(36)
}

/** The sources of all modules that affect a register's figures, sorted by their paths below `src`. */
export function readModules(registerModule: string): Map<string, string> {
  const scanner = new Bun.Transpiler({ loader: 'ts' })
  const sources = new Map<string, string>()
  const open = [registerModule, ...sharedModules.map(path => resolve(import.meta.dir, path))]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const name = relative(sourceFolder, path)
    if (sources.has(name)) continue
    const source = readFileSync(path, 'utf8')
    sources.set(name, source)
    for (const { path: target } of scanner.scanImports(source))
      if (target.startsWith('.')) open.push(resolve(dirname(path), target))
  }
  return new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)))
}
